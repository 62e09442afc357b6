/*
 * export.c -- th_function_export: a function goes through bytes (core/model), so that the copy's shared variables are
 * the example's to change; all texts are made before the first file is.
 */
#include "export.h"

#include "base/files/file.h"

#include <stdio.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */
static bool taken(const Export *x, const char *name) {
    static const char *const words[] = {
        "state",    "buf",       "sym",       "frame",   "from",     "to",      "auto",   "break",    "case",
        "char",     "const",     "continue",  "default", "do",       "double",  "else",   "enum",     "extern",
        "float",    "for",       "goto",      "if",      "inline",   "int",     "long",   "register", "restrict",
        "return",   "short",     "signed",    "sizeof",  "static",   "struct",  "switch", "typedef",  "union",
        "unsigned", "void",      "volatile",  "while",   "class",    "new",     "delete", "this",     "template",
        "private",  "public",    "error",     "work",    "rt",       "run",     "fail",   "product",  "memcpy",
        "operator", "namespace", "true",      "false",   "bool",     "try",     "catch",  "using",    "virtual",
        "friend",   "typename",  "protected", "throw",   "explicit", "mutable", "export"};
    for (int i = 0; i < TH_LEN(words); i++)
        if (!strcmp(words[i], name)) return true;
    for (int i = 0; i < x->nfield; i++)
        if (x->field[i].name && !strcmp(x->field[i].name, name)) return true;
    for (int i = 0; i < x->nin; i++)
        if (x->in[i].name && !strcmp(x->in[i].name, name)) return true;
    for (int i = 0; i < x->nout; i++)
        if (x->out[i].name && !strcmp(x->out[i].name, name)) return true;
    return false;
}

static bool letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_'; }

bool export_name(Export *x, const char *wanted, const char *otherwise, const char **out) {
    enum { MOST = 48 };
    char *to = arena_alloc0(x->arena, MOST + 24);
    if (!to) return false;
    const char *from = wanted && letter(*wanted) && *wanted != '_' ? wanted : otherwise;
    size_t n = 0;
    for (; *from && n < MOST; from++) to[n++] = letter(*from) || (*from >= '0' && *from <= '9') ? *from : '_';
    for (int i = 2; taken(x, to); i++) snprintf(to + n, 24, "_%d", i);
    *out = to;
    return true;
}

/* NAME is part of every name of the program. */
static bool check_name(Export *x) {
    size_t n = x->name ? strlen(x->name) : 0;
    bool ok = n > 0 && n < sizeof x->upper - 8 && letter(*x->name) && *x->name != '_';
    for (size_t i = 0; ok && i < n; i++) ok = letter(x->name[i]) || (x->name[i] >= '0' && x->name[i] <= '9');
    if (!ok)
        return err(x->c, TH_ValueError,
                   "export: '%s' is not a name that C functions can begin with: letters, digits and _",
                   x->name ? x->name : "");
    for (size_t i = 0; i < n; i++)
        x->upper[i] = (char)(x->name[i] >= 'a' && x->name[i] <= 'z' ? x->name[i] - 32 : x->name[i]);
    return true;
}

/* ---- the files --------------------------------------------------------------------------------------------------- */
static bool path_of(const Export *x, const char *end, char path[900]) {
    const char *dir = x->how->dir ? x->how->dir : ".";
    bool named = *end == '.' || *end == '_';
    return (size_t)snprintf(path, 900, "%s/%s%s", dir, named ? x->name : "", end) < 900 ||
           err(x->c, TH_IOError, "export: the path of %s is too long", dir);
}

/* Nothing stands there, or what an export wrote: its first line, or the head of weights, says so. */
static bool may_write(const Export *x, const char *end) {
    char path[900], line[256];
    FileAt at;
    OsFile is;
    if (!path_of(x, end, path) || !ctx_file(x->c, 'w', path, &at)) return false;
    if (!os_look_at(at.path, &is)) return true;
    int fd = is.regular ? os_open(at.path, OS_READ) : -1;
    int64_t n = fd < 0 ? 0 : os_read(fd, line, sizeof line - 1);
    if (fd >= 0) os_close(fd);
    line[n > 0 ? n : 0] = 0;
    if (export_own_weights(line, n)) return true;
    line[strcspn(line, "\n")] = 0;
    return strstr(line, EXPORT_MARK) ||
           err(x->c, TH_IOError,
               "export: %s is there, and no export wrote it: another folder, or overwrite = true, helps", path);
}

typedef struct File {
    const char *end;
    const Text *text;
    bool wanted;
} File;

enum { FILES = 6 };
typedef struct Places {
    char path[FILES][900];
    Writer w[FILES];
} Places;

/* Every file is whole beside the old one before the first takes its place: a full disk leaves all of the old ones. */
static bool put(Export *x, const File *all, Places *at) {
    int n = 0, bad = -1;
    for (int i = 0; bad < 0 && i < FILES; i++) {
        const Text *text = all[i].text;
        if (!all[i].wanted) continue;
        if (!path_of(x, all[i].end, at->path[n]) || !writer_open(&at->w[n], x->c, at->path[n])) break;
        writer_put(&at->w[n], text->at ? text->at : "", text->n);
        if (!writer_end(&at->w[n++])) bad = n - 1;
    }
    bool ok = bad < 0 && !failed(x->c);
    for (int i = 0; i < n; i++) ok = writer_close(&at->w[i], ok || i == bad) && ok;
    return ok;
}

static bool files(Export *x) {
    const File all[FILES] = {{".h", &x->header, true},
                             {".c", &x->source, true},
                             {"_test.c", &x->test, true},
                             {"CMakeLists.txt", &x->cmake, true},
                             {"_lua.c", &x->module, x->how->lua},
                             {".weights", &x->weights, x->how->weights}};
    Places *at = arena_alloc(x->arena, sizeof *at);
    bool ok = at != NULL;
    for (int i = 0; ok && i < FILES; i++) ok = !all[i].wanted || x->how->overwrite || may_write(x, all[i].end);
    return ok && put(x, all, at);
}

static bool texts(Export *x) {
    return export_allowed(x) && export_record(x) && export_place(x) && export_hosts(x) && export_weights(x) &&
           export_header(x) && export_source(x) && export_test(x) && export_cmake(x) && export_module(x);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */
static ThFunction *copy_of(ThFunction *f) {
    void *bytes;
    size_t n;
    ThContext *c = th_function_context(f);
    if (th_function_save(f, NULL, &bytes, &n)) return NULL;
    ThFunction *g = th_load(c, bytes, n, "the function", NULL);
    th_free(c, bytes);
    return g;
}

static void forget(Export *x) {
    Text *text[] = {&x->source, &x->header, &x->test, &x->cmake, &x->module, &x->weights, &x->host};
    for (int i = 0; i < TH_LEN(text); i++) text_free(text[i]);
    for (int i = 0; i < x->nfield; i++) th_array_release(x->field[i].value);
    for (int i = 0; i < x->nin; i++) th_array_release(x->in[i].usual);
    for (int i = 0; x->arg && i < x->f->nin; i++) th_array_release(x->arg[i]);
    for (int i = 0; x->recorded && i < EXPORT_CALLS * x->f->nout; i++) th_array_release(x->recorded[i]);
    if (x->arena) arena_free(x->arena);
    th_function_release(x->f);
}

int th_function_export(ThFunction *f, const ThExport *given) {
    ThExport own;
    if (!f) return -1;
    ThContext *c = th_function_context(f);
    if (!given) return err_missing(c, __func__), -1;
    const ThExport *how = options_of(c, given, &own);
    if (!how) return -1;
    if (how->nexample < 0 || (how->nexample && !how->example) || (how->nresult_names && !how->result_names))
        return err_missing(c, __func__), -1;
    if (failed(c)) return -1;
    Export x = {.c = c, .how = how, .name = how->name};
    if (!check_name(&x) || !(x.f = copy_of(f))) return -1;
    x.p = function_plan(x.f);
    x.arena = arena_new(c);
    Text *text[] = {&x.source, &x.header, &x.test, &x.cmake, &x.module, &x.weights, &x.host};
    for (int i = 0; i < TH_LEN(text); i++) text_init(text[i], c);
    bool ok = x.arena && texts(&x) && files(&x);
    if (!ok && !failed(c)) err(c, TH_MemoryError, "export: no memory");
    forget(&x);
    return ok ? 0 : -1;
}
