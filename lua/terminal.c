/*
 * terminal.c -- lines from the user. In: prompts. Out: lines without their end; nil at the end of input, false where
 * Ctrl-C gave the line up. Always holds: the terminal is in its own mode outside read_line; part of the runner only,
 * one process and one terminal, hence the static state.
 */
#include "terminal.h"
#include "threads.h"

#include <lauxlib.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t given_up;

static void on_give_up(int sig) {
    (void)sig;
    given_up = 1;
}

/* Ctrl-C ends the read that waits (no SA_RESTART) instead of the process. */
static struct sigaction catch_give_up(void) {
    struct sigaction mine = {.sa_handler = on_give_up}, old;
    sigemptyset(&mine.sa_mask);
    given_up = 0;
    sigaction(SIGINT, &mine, &old);
    return old;
}

/* ---- plain lines ------------------------------------------------------------------------------------------------- */
static int plain_line(lua_State *L, const char *prompt) {
    if (isatty(STDIN_FILENO)) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    char byte;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &byte, 1)) == 1 && byte != '\n') luaL_addchar(&b, byte);
    luaL_pushresult(&b);
    if (n != 1 && isatty(STDIN_FILENO)) putchar('\n');
    if (n < 0 && errno == EINTR && given_up) lua_pushboolean(L, 0);
    else if (n != 1 && !lua_rawlen(L, -1)) lua_pushnil(L);
    return 1;
}

#ifdef TH_HAVE_LIBEDIT
#include <dlfcn.h>
#include <histedit.h>
#include <locale.h>
#include <wchar.h>

enum { HISTORY_LINES = 2000 };

/* libedit is opened by the first line that a terminal is asked for: where it is not, lines are read plainly, and a
 * runner that was carried to another machine runs. */
/* clang-format off */
#define EDIT_FUNCTIONS(X) \
    X(el_end) X(el_gets) X(el_init) X(el_insertstr) X(el_line) X(el_reset) X(el_set) X(el_source) \
    X(history) X(history_end) X(history_init)
/* clang-format on */
static struct {
#define EDIT_FIELD(name) __typeof__(name) *name;
    EDIT_FUNCTIONS(EDIT_FIELD)
} edit;

static bool open_libedit(void) {
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define EDIT_SYMBOL(name) all = all && (edit.name = (__typeof__(edit.name))dlsym(library, #name)) != NULL;
    EDIT_FUNCTIONS(EDIT_SYMBOL)
    if (!all && library) dlclose(library);
    return all;
}

static EditLine *editor;
static History *past;
static char *past_path;
static const char *shown_prompt = "";
static lua_State *completing; /* while read_line waits */
static const char completer;  /* its address names the Lua function in the registry */

static char *prompt_of(EditLine *e) {
    (void)e;
    return (char *)(uintptr_t)shown_prompt;
}

static int get_char(EditLine *e, wchar_t *out) {
    (void)e;
    mbstate_t shift = {0};
    for (;;) {
        char byte;
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR && !given_up) continue;
        if (n <= 0) return 0;
        size_t r = mbrtowc(out, &byte, 1, &shift);
        if (r == (size_t)-2) continue; /* the rest of the character follows */
        if (r == (size_t)-1) *out = L'?';
        return 1;
    }
}

/* Tab: the completer gets the text before the cursor and answers (text to insert or nil, list to show or nil). */
static unsigned char complete(EditLine *e, int ch) {
    (void)ch;
    lua_State *L = completing;
    const LineInfo *line = edit.el_line(e);
    unsigned char result = CC_ERROR;
    int top = lua_gettop(L);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &completer) != LUA_TFUNCTION) return lua_settop(L, top), CC_ERROR;
    lua_pushlstring(L, line->buffer, (size_t)(line->cursor - line->buffer));
    if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
        if (lua_isstring(L, -2) && !edit.el_insertstr(e, lua_tostring(L, -2))) result = CC_REFRESH;
        if (lua_isstring(L, -1)) {
            printf("\n%s\n", lua_tostring(L, -1));
            result = CC_REDISPLAY;
        }
    }
    lua_settop(L, top);
    return result;
}

static bool begin_editing(void) {
    HistEvent event;
    if (editor || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return editor != NULL;
    const char *term = getenv("TERM");
    if ((term && !strcmp(term, "dumb")) || !open_libedit()) return false;
    setlocale(LC_CTYPE, ""); /* so that letters beyond ASCII are one character each */
    past = edit.history_init();
    if (past) edit.history(past, &event, H_SETSIZE, HISTORY_LINES);
    if (past) edit.history(past, &event, H_SETUNIQUE, 1);
    editor = edit.el_init("theano", stdin, stdout, stderr);
    if (!editor) return false;
    edit.el_set(editor, EL_PROMPT, prompt_of);
    edit.el_set(editor, EL_EDITOR, "emacs");
    edit.el_set(editor, EL_SIGNAL, 0);
    edit.el_set(editor, EL_GETCFN, get_char);
    if (past) edit.el_set(editor, EL_HIST, edit.history, past);
    edit.el_set(editor, EL_ADDFN, "theano-complete", "completes a name", complete);
    edit.el_set(editor, EL_BIND, "^I", "theano-complete", NULL);
    edit.el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    edit.el_source(editor, NULL); /* ~/.editrc has the last word */
    return true;
}

static int edited_line(lua_State *L, const char *prompt) {
    int n = 0;
    shown_prompt = prompt;
    completing = L;
    const char *text = edit.el_gets(editor, &n);
    if (given_up) {
        edit.el_reset(editor);
        puts("^C");
        lua_pushboolean(L, 0);
    } else if (!text || n <= 0) {
        puts("");
        lua_pushnil(L);
    } else lua_pushlstring(L, text, (size_t)n - (text[n - 1] == '\n'));
    return 1;
}

/* history(path): earlier sessions' lines, and where this one's are added at the end. */
static int read_history(lua_State *L) {
    HistEvent event;
    const char *path = luaL_checkstring(L, 1);
    if (!begin_editing() || !past || past_path) return 0;
    past_path = strdup(path);
    if (past_path) edit.history(past, &event, H_LOAD, past_path);
    return 0;
}

static int add_history(lua_State *L) {
    HistEvent event;
    const char *line = luaL_checkstring(L, 1);
    if (past) edit.history(past, &event, H_ENTER, line);
    return 0;
}

static int set_completer(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &completer);
    return 0;
}

void terminal_close(void) {
    HistEvent event;
    if (past && past_path) edit.history(past, &event, H_SAVE, past_path);
    if (editor) edit.el_end(editor);
    if (past) edit.history_end(past);
    free(past_path);
    editor = NULL;
    past = NULL;
    past_path = NULL;
}
#else
static bool begin_editing(void) { return false; }
static int edited_line(lua_State *L, const char *prompt) { return plain_line(L, prompt); }
static int nothing(lua_State *L) { return lua_settop(L, 0), 0; }
static lua_CFunction const read_history = nothing, add_history = nothing, set_completer = nothing;
void terminal_close(void) {}
#endif

static int read_line(lua_State *L) { /* read_line(prompt) -> line | nil at the end of input | false after Ctrl-C */
    const char *prompt = luaL_checkstring(L, 1);
    bool edits = begin_editing();
    struct sigaction old = catch_give_up();
    int n = edits ? edited_line(L, prompt) : plain_line(L, prompt);
    sigaction(SIGINT, &old, NULL);
    return n;
}

/* ---- what takes long --------------------------------------------------------------------------------------------- */
/* A line on the terminal that counts the seconds while the main thread is at work; another thread writes it, and takes
 * it away at the end. What is over soon shows nothing. */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool on, over;
    char text[100];
} busy = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct timespec later(struct timespec t, long ms) {
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *count(void *unused) {
    (void)unused;
    enum { FIRST = 500, EACH = 200 }; /* ms */
    struct timespec start, at, now;
    bool shown = false;
    clock_gettime(CLOCK_REALTIME, &start);
    at = later(start, FIRST);
    pthread_mutex_lock(&busy.lock);
    while (!busy.over) {
        if (pthread_cond_timedwait(&busy.changed, &busy.lock, &at) != ETIMEDOUT) continue;
        clock_gettime(CLOCK_REALTIME, &now);
        long tenths = (long)(now.tv_sec - start.tv_sec) * 10 + (now.tv_nsec - start.tv_nsec) / 100000000;
        fprintf(stderr, "\r%s .. %ld.%ld s\033[K", busy.text, tenths / 10, tenths % 10);
        fflush(stderr);
        shown = true;
        at = later(now, EACH);
    }
    pthread_mutex_unlock(&busy.lock);
    if (shown) fputs("\r\033[K", stderr);
    fflush(stderr);
    return NULL;
}

static int begin_busy(lua_State *L) { /* busy(text) */
    const char *text = luaL_checkstring(L, 1);
    if (busy.on || !isatty(STDERR_FILENO)) return 0;
    size_t n = strcspn(text, "\n\r\033");
    if (n >= sizeof busy.text) n = sizeof busy.text - 1;
    memcpy(busy.text, text, n);
    busy.text[n] = 0;
    busy.over = false;
    busy.on = thread_begin(&busy.thread, count, NULL); /* Ctrl-C is the main thread's */
    return 0;
}

static int end_busy(lua_State *L) {
    (void)L;
    if (!busy.on) return 0;
    pthread_mutex_lock(&busy.lock);
    busy.over = true;
    pthread_cond_signal(&busy.changed);
    pthread_mutex_unlock(&busy.lock);
    pthread_join(busy.thread, NULL);
    busy.on = false;
    return 0;
}

void terminal_open(lua_State *L) {
    const luaL_Reg fns[] = {{"read_line", read_line},
                            {"history", read_history},
                            {"add_history", add_history},
                            {"set_completer", set_completer},
                            {"busy", begin_busy},
                            {"idle", end_busy},
                            {NULL, NULL}};
    luaL_setfuncs(L, fns, 0);
}
