/* buffers.c -- see buffers.h. Each piece has its size and its owner in front. */
#include "buffers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct Buffer {
    struct Buffer *next;
    Buffers *all;
    size_t bytes;
    _Alignas(64) char data[];
} Buffer;

struct Buffers {
    pthread_mutex_t lock;
    Buffer *kept;
    size_t out; /* in somebody's hands */
    bool closed;
};

Buffers *buffers_open(void) {
    Buffers *all = calloc(1, sizeof *all);
    if (all) pthread_mutex_init(&all->lock, NULL);
    return all;
}

static void buffers_free(Buffers *all) {
    while (all->kept) {
        Buffer *b = all->kept;
        all->kept = b->next;
        free(b);
    }
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void *buffers_take(Buffers *all, size_t bytes) {
    pthread_mutex_lock(&all->lock);
    Buffer **at = &all->kept, *b;
    while (*at && (*at)->bytes != bytes) at = &(*at)->next;
    b = *at;
    if (b) *at = b->next;
    else b = aligned_alloc(64, (sizeof *b + bytes + 63) / 64 * 64);
    if (b) {
        b->next = NULL;
        b->all = all;
        b->bytes = bytes;
        all->out++;
    }
    pthread_mutex_unlock(&all->lock);
    return b ? b->data : NULL;
}

void buffers_give(void *data) {
    if (!data) return;
    Buffer *b = (Buffer *)(void *)((char *)data - offsetof(Buffer, data));
    Buffers *all = b->all;
    pthread_mutex_lock(&all->lock);
    b->next = all->kept;
    all->kept = b;
    bool last = --all->out == 0 && all->closed;
    pthread_mutex_unlock(&all->lock);
    if (last) buffers_free(all);
}

void buffers_close(Buffers *all) {
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    all->closed = true;
    bool last = all->out == 0;
    pthread_mutex_unlock(&all->lock);
    if (last) buffers_free(all);
}
