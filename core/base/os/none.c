/*
 * none.c -- os.h where something is left out: libraries that are opened (TH_DLOPEN=OFF), threads (WASI).
 */
#include "os.h"

#if !TH_DLOPEN
void *os_library(const char *path) {
    (void)path;
    return NULL;
}

void *os_library_bytes(const void *bytes, size_t n, int *fd) {
    (void)bytes, (void)n;
    *fd = -1;
    return NULL;
}

void *os_library_symbol(void *library, const char *name) {
    (void)library, (void)name;
    return NULL;
}

void os_library_close(void *library) { (void)library; }
const char *os_library_error(void) { return "this library was built to open no others (TH_DLOPEN=OFF)"; }

bool os_library_path(const void *address, char *path, size_t room) {
    (void)address, (void)room;
    path[0] = 0;
    return false;
}
#endif

#if !OS_THREADS
int os_processors(void) { return 1; }
void os_yield(void) {}

int os_processor(void) { return -1; }
void os_thread_avoid(OsThread of, int processor) { (void)of, (void)processor; }
bool os_thread_start(OsThread *t, void *(*work)(void *user), void *user) {
    (void)t, (void)work, (void)user;
    return false;
}
#endif

#if defined(__wasi__)
/* Debian's libclang_rt.builtins is compiled with guards of stacks, which its wasi-libc has not. */
__attribute__((weak)) size_t __stack_chk_guard = (size_t)0x595e9fbd;
__attribute__((weak)) _Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
#endif
