/*
 * host.h -- private to host.c, library.c, where.c and draws.c: a host step that is being written.
 */
#ifndef TH_EXPORT_HOST_H
#define TH_EXPORT_HOST_H

#include "export.h"
#include "graph/services.h"

enum { HOST_MOST = 2 * TH_MAX_NDIM };
typedef struct Capture {
    Export *x;
    Text *t;
    const PlanHost *h;
    int step;
    ThArray *array[HOST_MOST];
    char *base[HOST_MOST]; /* where the buffer of each operand begins */
    int64_t bytes[HOST_MOST];
    char *room[HOST_MOST]; /* ours */
    char *more;            /* what the step asks for while it looks at its parameters; ours */
    int64_t nmore;
    bool bad;
} Capture;

const char *host_type(ThDtype d);                             /* in C; NULL: the texts have no such elements */
int host_refuse(Capture *q);                                  /* the step cannot be written; 1 */
void host_place(Capture *q, const char *type, const void *p); /* an address as a place in the plan's buffers */
void host_numbers(Text *t, const int64_t *v, int n);
/* So many bytes of the state's work, aligned by 64, while the step runs: as an expression. */
void host_room(Capture *q, const char *type, int64_t bytes);

/* library.c: services that it writes as calls of the texts in runtime/ */
int library_sort(HostCall *h, const SortWork *w);
int library_search(HostCall *h, const SearchWork *w);
int library_fft(HostCall *h, const FftWork *w);
int library_factor(HostCall *h, const FactorWork *w);
void library_texts(const Export *x, Text *t); /* those that are called */

/* runtime.c: a text with names that OF makes in the place of FN */
void export_named_text(Text *t, const char *text, const char *end);
int attention_put(HostCall *h, const AttentionWork *w); /* attention.c */
const char *attention_text(void);
int picks_put(HostCall *h, const PickWork *w); /* picks.c */
void picks_text(const Export *x, Text *t);
int convs_put(HostCall *h, const ConvWork *w); /* convs.c */

/* where.c, draws.c: the same */
int where_count(HostCall *h, const CountWork *w);
int where_nonzero(HostCall *h, const NonzeroWork *w);
int where_repeat(HostCall *h, const RepeatWork *w);
int where_unique(HostCall *h, const UniqueWork *w);
void where_texts(const Export *x, Text *t);
const char *where_unique_text(void); /* for the sorts of a dtype */
int draws_state(HostCall *h, const StateWork *w);
void draws_texts(const Export *x, Text *t);

#endif
