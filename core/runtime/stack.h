/*
 * stack.h -- from one stack to another within a thread: what a function called must keep goes to the stack that
 * is left, and comes back from the one that is gone on with. A dozen instructions on x86-64 and arm64, the C library's
 * (which asks the system each time) elsewhere; HAS_STACKS is not defined where there is no way, or a sanitizer that
 * does not know stacks of our own.
 */
#ifndef TH_STACK_H
#define TH_STACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(_WIN32)
/* none */
#elif defined(__x86_64__) || defined(__aarch64__)
#define HAS_STACKS 1
typedef void *StackPlace; /* the top of a stack that was left */

/* Leaves this stack, whose place goes to *from, for the one at `to`. */
void stack_switch(StackPlace *from, StackPlace to);
/* Where a stack begins that was never on: fn runs there, and must not return. */
static inline StackPlace stack_begin(char *stack, size_t bytes, void (*fn)(void)) {
    uintptr_t top = ((uintptr_t)stack + bytes) & ~(uintptr_t)15;
#if defined(__x86_64__)
    uintptr_t *at = (uintptr_t *)top - 1; /* as if fn were called from nowhere: its return address */
    *at = 0;
    *--at = (uintptr_t)fn;
    for (int i = 0; i < 6; i++) *--at = 0; /* rbp, rbx, r12 .. r15 */
    unsigned rounding;
    unsigned short x87;
    __asm__ volatile("stmxcsr %0" : "=m"(rounding));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    *--at = (uintptr_t)rounding | (uintptr_t)x87 << 32;
    return at;
#else
    uintptr_t *at = (uintptr_t *)top - 20;
    for (int i = 0; i < 20; i++) at[i] = 0;
    at[11] = (uintptr_t)fn; /* x30 */
    return at;
#endif
}
#elif defined(__GLIBC__)
#define HAS_STACKS 1
#include <ucontext.h>
typedef ucontext_t StackPlace;
#define stack_switch(from, to) swapcontext((from), &(to))
static inline StackPlace stack_begin(char *stack, size_t bytes, void (*fn)(void)) {
    StackPlace p;
    getcontext(&p);
    p.uc_stack.ss_sp = stack;
    p.uc_stack.ss_size = bytes;
    p.uc_link = NULL;
    makecontext(&p, fn, 0);
    return p;
}
#endif

#endif
