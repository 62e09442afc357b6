/*
 * os.h -- what a system gives: files, time, threads, libraries. Nothing else in core/base, core/graph, core/ops and
 * core/runtime calls the system; what is of POSIX alone (the compiler driver in core/build, base/trusted.c) says so.
 *
 * posix.c is for Linux, musl and WASI, windows.c for Windows, none.c for what is left out. What a system lacks is a
 * constant here that is 0, and a call that says no.
 */
#ifndef TH_BASE_OS_H
#define TH_BASE_OS_H

#include "options.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || defined(__wasi__)
#define OS_POSIX 0 /* directories that can be trusted, processes, fork */
#else
#define OS_POSIX 1
#endif
#if defined(__wasi__)
#define OS_THREADS 0
#else
#define OS_THREADS 1
#endif

/* ---- files: numbers of open files, errno where it says no -------------------------------------------------------- */
typedef enum {
    OS_READ,   /* never waits, also where the path is a fifo */
    OS_CHANGE, /* reading and writing */
    OS_TRUNCATE,
    OS_NEW /* fails where there is one */
} OsOpen;
typedef struct OsFile {
    int64_t bytes;
    bool regular;
} OsFile;
int os_open(const char *path, OsOpen how); /* -1: no */
bool os_close(int fd);
bool os_look(int fd, OsFile *f);
bool os_look_at(const char *path, OsFile *f); /* of a link, not of what it leads to */
/* Up to n bytes, 0 at the end; -1: no. */
int64_t os_read(int fd, void *p, int64_t n);
int64_t os_write(int fd, const void *p, int64_t n);
/* The same at a place, wherever the file stands. */
int64_t os_read_at(int fd, void *p, int64_t n, int64_t at);
int64_t os_write_at(int fd, const void *p, int64_t n, int64_t at);
bool os_truncate(int fd, int64_t bytes);
bool os_rename(const char *from, const char *to); /* what was there is replaced, at once */
void os_remove(const char *path);
/* The pages of a whole file: to be read, and written where `write`; shared: the file changes too. NULL: no. */
void *os_map(int fd, size_t n, bool write, bool shared);
void os_unmap(void *at, size_t n);

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/* As a ThAllocFn: size bytes with the contents of old, or 0: old is freed. align: a power of two. */
void *os_alloc(void *old, size_t old_size, size_t size, size_t align);

/* ---- processes --------------------------------------------------------------------------------------------------- */
long os_process(void); /* another number in a forked child */

/* ---- time: nanoseconds ------------------------------------------------------------------------------------------- */
int64_t os_now(void);          /* never goes back */
int64_t os_thread_time(void);  /* for which this thread ran; -1: nobody knows */
int64_t os_thread_waits(void); /* how often it gave its processor away itself; -1: nobody knows */

/* ---- libraries of machine code (TH_DLOPEN) ----------------------------------------------------------------------- */
void *os_library(const char *path); /* NULL: no, and os_library_error tells */
/* Of bytes that lie in memory, through a file without a name; *fd is to be closed after the library. NULL: no. */
void *os_library_bytes(const void *bytes, size_t n, int *fd);
void *os_library_symbol(void *library, const char *name);
void os_library_close(void *library);
const char *os_library_error(void);
/* Where the code of an address comes from, or this program; false: nobody knows. */
bool os_library_path(const void *address, char *path, size_t room);

/* ---- numbers in the C locale, whatever the host has set ---------------------------------------------------------- */
double os_strtod(const char *s, char **end);
float os_strtof(const char *s, char **end);
int os_vformat(char *to, size_t size, const char *format, va_list ap);

/* ---- threads ----------------------------------------------------------------------------------------------------- */
int os_processors(void); /* that this process may use: by affinity, and by the time that its control groups give it */
/* The latter: of the groups that a file as /proc/self/cgroup names, below root as below /sys/fs/cgroup; 1 to `most`. */
int os_group_processors(const char *groups, const char *root, int most);
void os_yield(void);
#if OS_THREADS
#include <pthread.h>
typedef pthread_mutex_t OsLock;
typedef pthread_cond_t OsEvent;
typedef pthread_t OsThread;
#define OS_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
static inline void os_lock_init(OsLock *l) { pthread_mutex_init(l, NULL); }
/* Its thread may take it again. */
static inline void os_lock_init_again(OsLock *l) {
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(l, &again);
    pthread_mutexattr_destroy(&again);
}
static inline void os_lock_end(OsLock *l) { pthread_mutex_destroy(l); }
static inline void os_lock(OsLock *l) { pthread_mutex_lock(l); }
static inline void os_unlock(OsLock *l) { pthread_mutex_unlock(l); }
static inline void os_event_init(OsEvent *e) { pthread_cond_init(e, NULL); }
static inline void os_event_end(OsEvent *e) { pthread_cond_destroy(e); }
static inline void os_event_wait(OsEvent *e, OsLock *l) { pthread_cond_wait(e, l); }
static inline void os_event_tell(OsEvent *e) { pthread_cond_broadcast(e); } /* all who wait */
static inline OsThread os_thread(void) { return pthread_self(); }
static inline bool os_thread_same(OsThread a, OsThread b) { return pthread_equal(a, b); }
static inline void os_thread_join(OsThread t) { pthread_join(t, NULL); }
static inline void os_thread_leave(OsThread t) { pthread_detach(t); } /* nobody will wait for it */
#else
typedef char OsLock, OsEvent, OsThread;
#define OS_LOCK_INIT 0
static inline void os_lock_init(OsLock *l) { *l = 0; }
static inline void os_lock_init_again(OsLock *l) { *l = 0; }
static inline void os_lock_end(OsLock *l) { (void)l; }
static inline void os_lock(OsLock *l) { (void)l; }
static inline void os_unlock(OsLock *l) { (void)l; }
static inline void os_event_init(OsEvent *e) { *e = 0; }
static inline void os_event_end(OsEvent *e) { (void)e; }
static inline void os_event_wait(OsEvent *e, OsLock *l) { (void)e, (void)l; }
static inline void os_event_tell(OsEvent *e) { (void)e; }
static inline OsThread os_thread(void) { return 0; }
static inline bool os_thread_same(OsThread a, OsThread b) { return a == b; }
static inline void os_thread_join(OsThread t) { (void)t; }
static inline void os_thread_leave(OsThread t) { (void)t; }
#endif
int os_processor(void); /* that this thread is on now; -1: nobody knows */
/* This thread runs on the processors that `of` may use but for this one, from now on, where there are any. */
void os_thread_avoid(OsThread of, int processor);
/* Signals are for the host's own threads: this one gets none. False: there are no threads, or no more. */
bool os_thread_start(OsThread *t, void *(*work)(void *user), void *user);

#endif
