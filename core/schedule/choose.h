/*
 * choose.h -- numbers that the emitters print, decided where all others are: pieces for threads and tiles of chains.
 */
#ifndef TH_CHOOSE_H
#define TH_CHOOSE_H

enum {
    CHOOSE_PIECE = 16384,      /* elements of a piece for a thread at least */
    CHOOSE_PIECES = 256,       /* pieces at most */
    CHOOSE_NARROW = 256,       /* rows of a piece where these are what vectors lie along: cache lines are read whole */
    CHOOSE_ROOM = 65536,       /* bytes of rows that a piece may have on its stack; longer ones stay with one thread */
    CHOOSE_WAVE = 256,         /* blocks whose results wait on the stack */
    CHOOSE_AHEAD = 8,          /* rows from a fetch to its use */
    CHOOSE_LINE = 64,          /* bytes of a line of memory */
    CHOOSE_CHAIN_TILE = 1024,  /* elements of a tile of a chain of steps */
    CHOOSE_CHAIN_TILES = 16,   /* tiles of a piece for a thread at least */
    CHOOSE_CHAIN_PIECES = 256, /* pieces at most */
    CHOOSE_STEPS = 32,         /* steps of a function from which they are data */
    CHOOSE_THREADS = 256,      /* of a GPU's block; fixed, so that results do not depend on the device */
    CHOOSE_BLOCKS = 1024,      /* of a launch at most */
    CHOOSE_LONG = 4096,        /* elements from which a block shares each reduction, or from CHOOSE_THREADS on, .. */
    CHOOSE_POINTS = 1024       /* ..where there are fewer results than this */
};

#endif
