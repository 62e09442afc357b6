/*
 * key.c -- what of a unit's text decides its code: the text without comments, and with the pointers' names (p_NAME,
 * after the user's variables) numbered in the order in which they come. Two texts that differ in names alone have one
 * key, so renaming a variable builds nothing; each function still shows its own names.
 */
#include "build.h"

#include <string.h>

static bool word_char(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* The number of a name, given at its first sight. */
static bool number(ThContext *c, Map *names, const char *name, size_t n, uint32_t *k) {
    uint64_t h = hash_bytes(name, n, 23);
    if (map_get(names, h, k)) return true;
    *k = (uint32_t)names->n;
    return map_put(c, names, h, *k);
}

static const char *skip_string(const char *p) {
    char quote = *p++;
    while (*p && *p != quote) p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

/* The text up to p is taken as it is. */
static void take(Text *t, const char **from, const char *p) {
    text_put_n(t, *from, (size_t)(p - *from));
    *from = p;
}

char *key_canonical(ThContext *c, const char *source) {
    Text t;
    Map names = {0};
    text_init(&t, c);
    const char *from = source, *p = source;
    bool ok = true;
    while (ok && *p) {
        if (p[0] == '/' && p[1] == '*') {
            take(&t, &from, p);
            const char *end = strstr(p + 2, "*/");
            from = p = end ? end + 2 : p + strlen(p);
        } else if (*p == '"' || *p == '\'') {
            p = skip_string(p);
        } else if (word_char(*p)) {
            const char *word = p;
            uint32_t k = 0;
            while (word_char(*p)) p++;
            if (word[0] != 'p' || word[1] != '_') continue;
            take(&t, &from, word);
            ok = number(c, &names, word, (size_t)(p - word), &k);
            text_printf(&t, "p_%u", k);
            from = p;
        } else p++;
    }
    take(&t, &from, p);
    map_free(c, &names);
    if (!ok) text_free(&t);
    return ok ? text_take(&t) : NULL;
}
