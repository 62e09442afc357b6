/*
 * buffers.h -- memory that a thread fills and somebody reads, kept for the next of the same size. Taken and given back
 * on any thread; what is out when the buffers are closed is freed when it comes back.
 */
#ifndef LT_BUFFERS_H
#define LT_BUFFERS_H

#include <stddef.h>

typedef struct Buffers Buffers;

Buffers *buffers_open(void);                    /* NULL: no memory */
void *buffers_take(Buffers *all, size_t bytes); /* aligned to 64 bytes; NULL: no memory */
void buffers_give(void *data);                  /* may be NULL */
void buffers_close(Buffers *all);               /* may be NULL */

#endif
