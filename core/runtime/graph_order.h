/*
 * graph_order.h -- what each launch of a call that becomes a graph waits for: those before it that write what it
 * touches, or touch what it writes, and no others, so that a device runs side by side what does not meet. In: stretches
 * of memory, launch by launch. Out: the graph's edges.
 *
 * A graph of one line after the other is had by a queue anyway. Here what a launch waits for is told to the device
 * before it is queued (graph_after), and asked afterwards which node it became (graph_at). The last ORDER_KEPT launches
 * are looked at one by one; a launch for which there is no room any more waits for all of them, and stands for them.
 */
#ifndef TH_GRAPH_ORDER_H
#define TH_GRAPH_ORDER_H

#include "many.h"

enum { ORDER_KEPT = 32, ORDER_SPANS = 512, ORDER_ALL = -1 };

typedef struct OrderNode {
    void *node;
    int step;         /* of the plan */
    int first, n;     /* its stretches, from Order.span[first] on */
    uint32_t reaches; /* those of the kept ones that it comes after, however far */
} OrderNode;

typedef struct Order {
    DeviceQueue *q;
    bool works; /* a graph is made, and the device does what it is asked */
    bool line;  /* it did not once: from then on one launch waits for the one before it */
    OrderNode kept[ORDER_KEPT];
    int n, spans;
    ManySpan span[ORDER_SPANS];
    void *base; /* all others come after this one, NULL: there is none */
    int base_step;
    void *told[ORDER_KEPT]; /* the nodes that what is queued next waits for.. */
    int ntold;
    uint32_t now; /* ..of the launch that is queued: those of the kept ones that it waits for.. */
    bool all;     /* ..that is, for all */
} Order;

void graph_order_begin(Order *o, DeviceQueue *q);
/* What is queued next touches these; n: ORDER_ALL, that is not known. */
void graph_order_before(Order *o, const ManySpan *span, int n);
/* It was queued, for this step. waits: bit i, it waits for the step 1 + i before it; bit 63: for one that is further
 * away, and all behind that. */
void graph_order_after(Order *o, int step, uint64_t *waits);
void graph_order_end(Order *o); /* the last launch is all that are left */

#endif
