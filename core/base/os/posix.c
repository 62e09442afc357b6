/*
 * posix.c -- os.h on systems with POSIX's files: Linux with glibc or musl, and WASI, which has no threads, processes or
 * libraries.
 */
#define _GNU_SOURCE /* sched_getaffinity, dladdr, strtod_l */
#include "os.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if OS_POSIX
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#endif
#if TH_DLOPEN
#include <dlfcn.h>
#endif

/* ---- files ------------------------------------------------------------------------------------------------------- */
int os_open(const char *path, OsOpen how) {
    static const int flags[] = {O_RDONLY | O_NONBLOCK, O_RDWR | O_NONBLOCK, O_WRONLY | O_TRUNC,
                                O_WRONLY | O_CREAT | O_EXCL};
    return open(path, flags[how] | O_CLOEXEC, 0666);
}

bool os_close(int fd) { return !close(fd); }

static bool tell(OsFile *f, int rc, const struct stat *st) {
    if (rc) return false;
    *f = (OsFile){st->st_size, S_ISREG(st->st_mode)};
    return true;
}

bool os_look(int fd, OsFile *f) {
    struct stat st;
    int rc = fstat(fd, &st);
    return tell(f, rc, &st);
}

bool os_look_at(const char *path, OsFile *f) {
    struct stat st;
    int rc = lstat(path, &st);
    return tell(f, rc, &st);
}

bool os_follow(char *path, size_t room) {
    char text[4096];
    for (int i = 0; i < 40; i++) {
        if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/fd/", 8)) return true;
        ssize_t n = readlink(path, text, sizeof text - 1);
        if (n < 0) return true; /* no link */
        text[n] = 0;
        char *name = strrchr(path, '/');
        char *from = *text == '/' || !name ? path : name + 1;
        size_t left = room - (size_t)(from - path);
        if ((size_t)snprintf(from, left, "%s", text) >= left) return errno = ENAMETOOLONG, false;
    }
    return errno = ELOOP, false;
}

#if OS_POSIX
bool os_inherit(int fd, const char *path) {
    struct stat st;
    if (stat(path, &st)) return true;
    if (access(path, W_OK)) return false;
    int rc = fchown(fd, st.st_uid, st.st_gid); /* a wish, for those who may */
    return (void)rc, !fchmod(fd, st.st_mode & 0777);
}
#else
bool os_inherit(int fd, const char *path) { return (void)fd, (void)path, true; }
#endif

int64_t os_read(int fd, void *p, int64_t n) {
    ssize_t got;
    do got = read(fd, p, (size_t)n);
    while (got < 0 && errno == EINTR);
    return got;
}

int64_t os_write(int fd, const void *p, int64_t n) {
    ssize_t got;
    do got = write(fd, p, (size_t)n);
    while (got < 0 && errno == EINTR);
    return got;
}

int64_t os_read_at(int fd, void *p, int64_t n, int64_t at) {
    ssize_t got;
    do got = pread(fd, p, (size_t)n, at);
    while (got < 0 && errno == EINTR);
    return got;
}

int64_t os_write_at(int fd, const void *p, int64_t n, int64_t at) {
    ssize_t got;
    do got = pwrite(fd, p, (size_t)n, at);
    while (got < 0 && errno == EINTR);
    return got;
}

bool os_truncate(int fd, int64_t bytes) { return !ftruncate(fd, bytes); }
bool os_rename(const char *from, const char *to) { return !rename(from, to); }
void os_remove(const char *path) { unlink(path); }

#if OS_POSIX
void *os_map(int fd, size_t n, bool write, bool shared) {
    void *at = mmap(NULL, n, write ? PROT_READ | PROT_WRITE : PROT_READ, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void os_unmap(void *at, size_t n) { munmap(at, n); }
#else
void *os_map(int fd, size_t n, bool write, bool shared) {
    (void)fd, (void)n, (void)write, (void)shared;
    errno = ENOSYS;
    return NULL;
}

void os_unmap(void *at, size_t n) { (void)at, (void)n; }
#endif

/* ---- memory, processes, time ------------------------------------------------------------------------------------- */
/* Large blocks in few pages: the first write to a page costs more than what is written there. */
static void few_pages(char *p, size_t size) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20, from = ((uintptr_t)p + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)p + size) / page * page;
    if (to >= from + 2 * page) madvise((void *)from, to - from, MADV_HUGEPAGE); /* a wish */
#else
    (void)p, (void)size;
#endif
}

/* Alignments above 16 cannot be kept by realloc, so those blocks are moved. */
void *os_alloc(void *old, size_t old_size, size_t size, size_t align) {
    if (!size) {
        free(old);
        return NULL;
    }
    if (align <= 16) return realloc(old, size);
    void *p = NULL;
    if (posix_memalign(&p, align, size)) return NULL;
    few_pages(p, size);
    if (old) {
        memcpy(p, old, old_size < size ? old_size : size);
        free(old);
    }
    return p;
}

#if OS_POSIX
long os_process(void) { return (long)getpid(); }
#else
long os_process(void) { return 1; }
#endif

static int64_t clock_of(clockid_t id) {
    struct timespec t;
    return clock_gettime(id, &t) ? -1 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t os_now(void) { return clock_of(CLOCK_MONOTONIC); }
#if OS_POSIX
int64_t os_thread_time(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }
int64_t os_thread_waits(void) {
#if OS_POSIX && defined(RUSAGE_THREAD)
    struct rusage u;
    if (!getrusage(RUSAGE_THREAD, &u)) return u.ru_nvcsw;
#endif
    return -1;
}
#else
int64_t os_thread_time(void) { return os_now(); }
int64_t os_thread_waits(void) { return -1; }
#endif

/* ---- libraries --------------------------------------------------------------------------------------------------- */
#if TH_DLOPEN
void *os_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

/* The descriptor stays open: the dynamic linker knows a library by its name, which must not become another's. */
void *os_library_bytes(const void *bytes, size_t n, int *fd) {
    *fd = -1;
#if defined(MFD_CLOEXEC)
    char path[32];
    *fd = memfd_create("theano", MFD_CLOEXEC);
    for (const char *p = bytes; *fd >= 0 && n;) {
        int64_t wrote = os_write(*fd, p, (int64_t)n);
        if (wrote > 0) p += wrote, n -= (size_t)wrote;
        else os_close(*fd), *fd = -1;
    }
    if (*fd < 0) return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", *fd);
    void *library = os_library(path);
    if (!library) os_close(*fd), *fd = -1;
    return library;
#else
    (void)bytes, (void)n;
    return NULL;
#endif
}

void *os_library_symbol(void *library, const char *name) { return dlsym(library, name); }
void os_library_close(void *library) { dlclose(library); }
const char *os_library_error(void) {
    const char *said = dlerror();
    return said ? said : "nobody knows why";
}

bool os_library_path(const void *address, char *path, size_t room) {
    Dl_info me;
    if (dladdr(address, &me) && me.dli_fname && strchr(me.dli_fname, '/') && !access(me.dli_fname, F_OK))
        return (size_t)snprintf(path, room, "%s", me.dli_fname) < room;
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0;
}
#endif

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
/* The C library has this one ready: no memory is taken and nothing is to be freed. */
static locale_t plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double os_strtod(const char *s, char **end) { return strtod_l(s, end, plain()); }
float os_strtof(const char *s, char **end) { return strtof_l(s, end, plain()); }

int os_vformat(char *to, size_t size, const char *format, va_list ap) {
    locale_t before = uselocale(plain()); /* of this thread alone */
    int n = vsnprintf(to, size, format, ap);
    uselocale(before);
    return n;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */
#if OS_THREADS
/* Two numbers of a small file ("max": the first is -1), or one; how many. */
static int numbers(const char *path, long long v[2]) {
    char text[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n > 3 && !memcmp(text, "max", 3)) memcpy(text, " -1", 3);
    return n > 0 ? sscanf(text, "%lld %lld", &v[0], &v[1]) : 0;
}

/* Processors' time that the group may have in each period, in whole processors; most where it has no limit. */
static int group_processors(const char *root, const char *group, int most) {
    char path[4096 + 64];
    long long v[2] = {-1, 0}, period[2] = {0, 0};
    snprintf(path, sizeof path, "%.2000s%.2000s/cpu.max", root, group);
    if (numbers(path, v) < 2) { /* the first version of control groups */
        snprintf(path, sizeof path, "%.2000s%.2000s/cpu.cfs_quota_us", root, group);
        if (numbers(path, v) < 1) return most;
        snprintf(path, sizeof path, "%.2000s%.2000s/cpu.cfs_period_us", root, group);
        v[1] = numbers(path, period) ? period[0] : 0;
    }
    if (v[0] <= 0 || v[1] <= 0 || v[0] / v[1] >= most) return most;
    return v[0] < v[1] ? 1 : (int)(v[0] / v[1]);
}

int os_group_processors(const char *groups, const char *root, int most) {
    char text[4096], one[2048], mine[2048];
    int fd = open(groups, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        char *of = strchr(line, ':'), *path = of ? strchr(of + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        bool second = !of[1], cpu = second || !strcmp(of + 1, "cpu") || !strncmp(of + 1, "cpu,", 4);
        if (!cpu || strstr(path, "..")) continue;
        snprintf(one, sizeof one, "%.1000s%s", root, second ? "" : "/cpu");
        snprintf(mine, sizeof mine, "%.2000s", strcmp(path, "/") ? path : "");
        for (char *last = mine;; *last = 0) { /* its own group and those around it */
            most = group_processors(one, mine, most);
            if (!(last = strrchr(mine, '/'))) break;
        }
    }
    return most;
}

int os_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    return os_group_processors("/proc/self/cgroup", "/sys/fs/cgroup", CPU_COUNT(&set));
}

int os_processor(void) { return sched_getcpu(); }

void os_thread_avoid(OsThread of, int processor) {
    cpu_set_t set;
    if (processor < 0 || processor >= CPU_SETSIZE || pthread_getaffinity_np(of, sizeof set, &set)) return;
    CPU_CLR(processor, &set);
    if (CPU_COUNT(&set)) sched_setaffinity(0, sizeof set, &set);
}

void os_yield(void) { sched_yield(); }

bool os_thread_start(OsThread *t, void *(*work)(void *user), void *user) {
    sigset_t others, before;
    sigfillset(&others);
    for (int i = 0; i < 4; i++) /* blocked, a fault would go past the host's handler */
        sigdelset(&others, (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL}[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    bool ok = !pthread_create(t, NULL, work, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}
#endif
