/*
 * memory.c -- the emulated GPU's memory: pages of the host that only the driver's own work may touch. Of what is
 * allocated the end lies at the end of a page, so that one byte too many is a fault. While the driver is at work a
 * block is opened by the fault of its first touch: work costs by what it touches, not by all there is. With
 * CUDA_EMULATED_OPEN=1 in the environment the host may touch all, which saves time where that is not what is tried.
 */
#define _GNU_SOURCE
#include "emulated.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGN = 256 };

typedef struct Block {
    struct Block *next;
    char *pages, *at;
    size_t room, bytes; /* of pages between the fences; what was asked for, rounded up to ALIGN */
    bool open;
} Block;

typedef struct Pinned {
    struct Pinned *next;
    char *at;
    size_t bytes;
} Pinned;

static Block *blocks;
static Pinned *pinned;
static size_t used;
static int depth;
size_t memory_limit = (size_t)1 << 34;

size_t memory_used(void) { return used; }

/* Since the first block whether all of them are open to the host. */
static bool open_to_all(void) {
    static int is = -1;
    if (is < 0) is = getenv("CUDA_EMULATED_OPEN") != NULL;
    return is;
}

static void protect(Block *b, bool open) {
    mprotect(b->pages, b->room, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    b->open = open;
}

static struct sigaction before; /* what others do about a fault */

/* The first touch of a block by the driver's work opens it; any other fault comes again and is for others. */
static void on_fault(int number, siginfo_t *info, void *context) {
    const char *at = info->si_addr;
    (void)number, (void)context;
    for (Block *b = depth ? blocks : NULL; b; b = b->next)
        if (!b->open && at >= b->pages && at < b->pages + b->room) {
            protect(b, true);
            return;
        }
    sigaction(SIGSEGV, &before, NULL);
}

static void catch_faults(void) {
    static bool caught;
    struct sigaction catch = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!caught) sigaction(SIGSEGV, &catch, &before);
    caught = true;
}

void memory_open(void) { depth++; }

void memory_close(void) {
    if (--depth || open_to_all()) return;
    for (Block *b = blocks; b; b = b->next)
        if (b->open) protect(b, false);
}

int memory_new(size_t bytes, Address *at) {
    if (bytes == 0) return BAD_VALUE;
    if (bytes > memory_limit || used > memory_limit - bytes) return NO_MEMORY;
    Block *b = calloc(1, sizeof *b);
    if (!b) return NO_MEMORY;
    b->bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    b->room = (b->bytes + PAGE - 1) / PAGE * PAGE;
    char *all = mmap(NULL, b->room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        free(b);
        return NO_MEMORY;
    }
    b->pages = all + PAGE;
    b->at = b->pages + b->room - b->bytes;
    b->next = blocks;
    blocks = b;
    used += b->bytes;
    catch_faults();
    memory_open();
    protect(b, true);
    memset(b->at, 0xff, b->bytes); /* nobody may count on zeros */
    memory_close();
    *at = (uintptr_t)b->at;
    return OK;
}

static void unmap(Block *b) {
    used -= b->bytes;
    munmap(b->pages - PAGE, b->room + 2 * PAGE);
    free(b);
}

int memory_drop(Address at) {
    for (Block **b = &blocks; *b; b = &(*b)->next)
        if ((uintptr_t)(*b)->at == at) {
            Block *gone = *b;
            *b = gone->next;
            unmap(gone);
            return OK;
        }
    return BAD_VALUE;
}

bool memory_holds(Address at, size_t bytes) {
    for (const Block *b = blocks; b; b = b->next) {
        Address from = (uintptr_t)b->at;
        if (at >= from && at - from <= b->bytes && bytes <= b->bytes - (at - from)) return true;
    }
    return false;
}

void memory_lose(void) {
    while (blocks) {
        Block *b = blocks;
        blocks = b->next;
        unmap(b);
    }
}

int pinned_new(size_t bytes, void **at) {
    Pinned *p = malloc(sizeof *p);
    if (!p || !(p->at = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN))) {
        free(p);
        return NO_MEMORY;
    }
    p->bytes = bytes;
    p->next = pinned;
    pinned = p;
    *at = p->at;
    return OK;
}

int pinned_drop(void *at) {
    for (Pinned **p = &pinned; *p; p = &(*p)->next)
        if ((*p)->at == at) {
            Pinned *gone = *p;
            *p = gone->next;
            free(gone->at);
            free(gone);
            return OK;
        }
    return BAD_VALUE;
}

bool pinned_holds(const void *at) {
    for (const Pinned *p = pinned; p; p = p->next)
        if ((const char *)at >= p->at && (const char *)at < p->at + p->bytes) return true;
    return false;
}
