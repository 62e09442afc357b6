/*
 * place.h -- where the steps of a plan run when there is a device, and which values go over for them.
 *
 * In: a plan, and of each step whether it has a form for the device. Out: a side for each step, and the moves: a value
 * goes over before the first step that needs it on the other side, once, and before a loop that does not write it.
 * Shared variables that a step of the device uses live there, arguments on the host. Whoever runs the steps knows of
 * each call where its values are: what is there already does not move, nor do arms that are not taken.
 */
#ifndef TH_PLACE_H
#define TH_PLACE_H

#include "plan.h"

typedef enum {
    PLACE_HOST,
    PLACE_DEVICE,
    PLACE_LENGTHS /* of the host, beside the device: it only computes lengths, from lengths; nobody waits for it */
} PlaceSide;
typedef enum {
    MOVE_OVER,
    MOVE_BACK,
    MOVE_HEAD, /* back, but only the beginning: lengths of a sparse matrix */
    MOVE_WAIT  /* until it is known whether a step before failed */
} MoveKind;
typedef enum { MOVE_BEFORE_STEP, MOVE_BEFORE_REGION, MOVE_EACH_TURN, MOVE_AT_END } MoveWhen;
typedef struct PlaceMove {
    uint8_t kind, when;
    int at, buf; /* a step or a region; which buffer, -1: MOVE_WAIT */
} PlaceMove;
typedef struct Places {
    ThContext *ctx;
    size_t bytes;
    uint8_t *side;    /* by step: PlaceSide */
    uint8_t *steered; /* by region: a branch or loop that the device steers: see place.c */
    int *root;        /* by buffer: itself; of a window, the buffer that it shows */
    int *over;        /* the arguments that go over in every call, whatever it finds: at once, when it begins */
    int nover;
    PlaceMove *move; /* all others, in the order of the steps */
    int nmove, room;
} Places;

typedef bool PlaceForm(const Plan *p, int step, void *user);        /* it has a form for the device */
Places *place_make(const Plan *p, PlaceForm *has_form, void *user); /* NULL with the error set */
void place_free(Places *m);
void place_text(Text *t, const Plan *p, const Places *m); /* what goes over, and where the host waits */

#endif
