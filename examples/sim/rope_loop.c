/*
 * rope_loop.c -- a physics loop around an exported model: a rope that hangs from one end and is let go. The model
 * (examples/sim/rope.lua) computes forces as the gradient of the rope's energy; here is only the loop.
 *   build/theano examples/sim/rope.lua DIR && cc -O2 -ffp-contract=off -IDIR examples/sim/rope_loop.c DIR/rope.c -lm
 * Prints where the free end is, the energy, and how long a step takes.
 */
#include "rope.h"

#include <stdio.h>
#include <time.h>

enum { POINTS = ROPE_AT_SIZE / 2, SECOND = 2000 };

int main(void) {
    static rope_state state;
    static double at[2][ROPE_AT_SIZE], speed[2][ROPE_SPEED_SIZE];
    double energy = 0;
    clock_t spent = 0;
    rope_init(&state);
    for (int i = 0; i < POINTS; i++) at[0][2 * i] = (double)i / (POINTS - 1);
    for (int step = 0; step <= 20 * SECOND; step++) {
        int now = step % 2, next = !now;
        clock_t from = clock();
        int bad = rope_call(&state, at[now], speed[now], &energy, at[next], speed[next]);
        spent += clock() - from;
        if (bad) {
            fprintf(stderr, "rope: %s\n", rope_error(&state));
            return 1;
        }
        if (step % (5 * SECOND) == 0)
            printf("%2d s: the end is at %6.3f %6.3f, energy %7.4f\n", step / SECOND, at[now][2 * POINTS - 2],
                   at[now][2 * POINTS - 1], energy);
    }
    printf("%.2f us a step of %d points\n", 1e6 * (double)spent / CLOCKS_PER_SEC / (20 * SECOND + 1), POINTS);
    return 0;
}
