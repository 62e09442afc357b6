/*
 * threads.h -- a thread that leaves signals to the one that runs scripts. Faults are its own: blocked ones would end
 * the process without the handler of whoever has one.
 */
#ifndef LUA_THREADS_H
#define LUA_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

static inline bool thread_begin(pthread_t *t, void *(*work)(void *user), void *user) {
    sigset_t others, old;
    sigfillset(&others);
    for (int i = 0; i < 4; i++) sigdelset(&others, (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL}[i]);
    pthread_sigmask(SIG_SETMASK, &others, &old);
    bool ok = !pthread_create(t, NULL, work, user);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

#endif
