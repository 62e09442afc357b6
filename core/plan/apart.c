/* apart.c -- the texts of reasons. */
#include "apart.h"

const char *apart_text(int why) {
    static const char *const text[] = {
#define X(name, text) text,
        APART_MAP(X)
#undef X
    };
    return why >= 0 && why < APART_COUNT ? text[why] : "";
}
