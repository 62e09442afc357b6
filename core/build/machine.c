/*
 * machine.c -- vectors of generated code, as a width and as flags of the compiler: what this processor has, or what the
 * user's flags (gcc.cxxflags) leave of it: code for -march=x86-64 runs on every such processor, and its vector
 * functions must be those of 16 bytes.
 */
#include "build.h"
#include "text/emit.h"

#include <string.h>

/* The word stands among the flags. */
static bool has(const char *flags, const char *word) {
    size_t n = strlen(word);
    for (const char *p = flags; (p = strstr(p, word)); p += n)
        if ((p == flags || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

static int allowed(const char *flags) {
    if (has(flags, "-march=x86-64") || has(flags, "-march=x86-64-v2") || has(flags, "-mno-avx") ||
        has(flags, "-mno-avx2"))
        return 16;
    return has(flags, "-march=x86-64-v3") || has(flags, "-mno-avx512f") ? 32 : 64;
}

int machine_vector_bytes(ThContext *c) {
    int most = allowed(config_str(c, "gcc.cxxflags")), bytes = isa_vector_bytes();
    return bytes < most ? bytes : most;
}

const char *machine_flags(ThContext *c) {
#if TH_WIDE
    int bytes = machine_vector_bytes(c);
    if (bytes == 64) return " -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512";
    if (bytes == 32) return " -mavx2 -mfma";
#else
    (void)c;
#endif
    return "";
}
