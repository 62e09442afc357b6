/*
 * windows.c -- os.h on Windows (mingw-w64, winpthreads). Paths are in the code page of the process, as the C library
 * takes them.
 */
#define WIN32_LEAN_AND_MEAN
#define __USE_MINGW_ANSI_STDIO 1
#include "os.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <process.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */
int os_open(const char *path, OsOpen how) {
    static const int flags[] = {_O_RDONLY, _O_RDWR, _O_WRONLY | _O_TRUNC, _O_WRONLY | _O_CREAT | _O_EXCL};
    return _open(path, flags[how] | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

bool os_close(int fd) { return !_close(fd); }

static bool seen(OsFile *f, int rc, const struct _stati64 *st) {
    if (rc) return false;
    *f = (OsFile){st->st_size, (st->st_mode & _S_IFMT) == _S_IFREG};
    return true;
}

bool os_look(int fd, OsFile *f) {
    struct _stati64 st;
    int rc = _fstati64(fd, &st);
    return seen(f, rc, &st);
}

bool os_look_at(const char *path, OsFile *f) {
    struct _stati64 st;
    int rc = _stati64(path, &st);
    return seen(f, rc, &st);
}

bool os_follow(char *path, size_t room) { return (void)path, (void)room, true; }
bool os_inherit(int fd, const char *path) { return (void)fd, !_access(path, 2) || errno == ENOENT; }

int64_t os_read(int fd, void *p, int64_t n) { return _read(fd, p, (unsigned)(n > INT_MAX ? INT_MAX : n)); }
int64_t os_write(int fd, const void *p, int64_t n) { return _write(fd, p, (unsigned)(n > INT_MAX ? INT_MAX : n)); }

/* What happens at a place; the C library's own place moves, and comes back. */
int64_t os_read_at(int fd, void *p, int64_t n, int64_t at) {
    int64_t before = _telli64(fd);
    int64_t got = before < 0 || _lseeki64(fd, at, SEEK_SET) < 0 ? -1 : os_read(fd, p, n);
    return before >= 0 && _lseeki64(fd, before, SEEK_SET) < 0 ? -1 : got;
}

int64_t os_write_at(int fd, const void *p, int64_t n, int64_t at) {
    int64_t before = _telli64(fd);
    int64_t got = before < 0 || _lseeki64(fd, at, SEEK_SET) < 0 ? -1 : os_write(fd, p, n);
    return before >= 0 && _lseeki64(fd, before, SEEK_SET) < 0 ? -1 : got;
}

bool os_truncate(int fd, int64_t bytes) { return !_chsize_s(fd, bytes); }

bool os_rename(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return true;
    errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : EIO;
    return false;
}

void os_remove(const char *path) { _unlink(path); }

void *os_map(int fd, size_t n, bool write, bool shared) {
    DWORD protect = !write ? PAGE_READONLY : shared ? PAGE_READWRITE : PAGE_WRITECOPY;
    DWORD access = !write ? FILE_MAP_READ : shared ? FILE_MAP_WRITE : FILE_MAP_COPY;
    HANDLE m = CreateFileMappingA((HANDLE)_get_osfhandle(fd), NULL, protect, 0, 0, NULL);
    void *at = m ? MapViewOfFile(m, access, 0, 0, n) : NULL;
    if (m) CloseHandle(m); /* the view keeps it */
    if (!at) errno = ENOMEM;
    return at;
}

void os_unmap(void *at, size_t n) {
    (void)n;
    UnmapViewOfFile(at);
}

/* ---- memory, processes, time ------------------------------------------------------------------------------------- */
/* What is freed has no alignment of its own, so every block is of the one kind. */
void *os_alloc(void *old, size_t old_size, size_t size, size_t align) {
    void *p = size ? _aligned_malloc(size, align) : NULL;
    if (size && !p) return NULL;
    if (old && p) memcpy(p, old, old_size < size ? old_size : size);
    if (old) _aligned_free(old);
    return p;
}

long os_process(void) { return (long)_getpid(); }

int64_t os_now(void) {
    LARGE_INTEGER ticks, second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&second);
    int64_t whole = ticks.QuadPart / second.QuadPart, rest = ticks.QuadPart % second.QuadPart;
    return whole * 1000000000 + rest * 1000000000 / second.QuadPart;
}

int64_t os_thread_time(void) {
    FILETIME made, ended, system, user;
    if (!GetThreadTimes(GetCurrentThread(), &made, &ended, &system, &user)) return -1;
    uint64_t s = (uint64_t)system.dwHighDateTime << 32 | system.dwLowDateTime;
    uint64_t u = (uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime;
    return (int64_t)(s + u) * 100;
}
int64_t os_thread_waits(void) { return -1; }

/* ---- libraries --------------------------------------------------------------------------------------------------- */
#if TH_DLOPEN
void *os_library(const char *path) { return (void *)LoadLibraryA(path); }

void *os_library_bytes(const void *bytes, size_t n, int *fd) {
    (void)bytes, (void)n;
    *fd = -1;
    return NULL;
}

void *os_library_symbol(void *library, const char *name) {
    FARPROC found = GetProcAddress((HMODULE)library, name);
    void *p;
    memcpy(&p, &found, sizeof p);
    return p;
}

void os_library_close(void *library) { FreeLibrary((HMODULE)library); }
const char *os_library_error(void) { return "the library was not found, or a library that it needs"; }

bool os_library_path(const void *address, char *path, size_t room) {
    HMODULE m = NULL;
    DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExA(how, (LPCSTR)address, &m)) return false;
    DWORD n = GetModuleFileNameA(m, path, (DWORD)room);
    return n && n < room;
}
#endif

/* ---- numbers: this thread has the C locale meanwhile --------------------------------------------------------------
 */
typedef struct Locale {
    int mode;
    char before[128];
} Locale;

static void enter(Locale *l) {
    l->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    const char *now = setlocale(LC_NUMERIC, NULL);
    snprintf(l->before, sizeof l->before, "%s", now ? now : "C");
    if (strcmp(l->before, "C") != 0) setlocale(LC_NUMERIC, "C");
}

static void leave(const Locale *l) {
    if (strcmp(l->before, "C") != 0) setlocale(LC_NUMERIC, l->before);
    _configthreadlocale(l->mode);
}

double os_strtod(const char *s, char **end) {
    Locale l;
    enter(&l);
    double v = strtod(s, end);
    leave(&l);
    return v;
}

float os_strtof(const char *s, char **end) {
    Locale l;
    enter(&l);
    float v = strtof(s, end);
    leave(&l);
    return v;
}

int os_vformat(char *to, size_t size, const char *format, va_list ap) {
    Locale l;
    enter(&l);
    int n = vsnprintf(to, size, format, ap);
    leave(&l);
    return n;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */
int os_processors(void) {
    DWORD_PTR own = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) return 1;
    int n = __builtin_popcountll((unsigned long long)own);
    return n ? n : 1;
}

void os_yield(void) { SwitchToThread(); }

int os_processor(void) { return -1; }
void os_thread_avoid(OsThread of, int processor) { (void)of, (void)processor; }

bool os_thread_start(OsThread *t, void *(*work)(void *user), void *user) {
    return !pthread_create(t, NULL, work, user);
}
