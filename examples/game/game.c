/*
 * game.c -- a small game: hunters chase their prey around rocks. Their moves are a network's, trained by train.lua and
 * loaded as data; the rules are a Lua script that is read again whenever it changes; this host has the loop and the
 * picture.
 *   build/examples/game/game POLICY [--rules FILE]                  a window, 60 frames a second (needs SDL2)
 *   build/examples/game/game POLICY --frames N [--picture FILE]     no window: N frames, the last one as a PNG file;
 *                                                                   --fast: without waiting for the next frame's time
 * Says at the end what the network took of a frame.
 */
#include "theano.h"

#include "picture.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef GAME_SDL
#include <SDL.h>
#endif

enum { MOST = 256, SEEN = 6, MOST_ROCKS = 16, TRAIL = 24 };
static const float DT = 1.0f / 60, PREY = 10, HUNTER = 5;

typedef struct Vec {
    float x, y;
} Vec;

typedef struct Rules {
    int hunters, nrock;
    float push, drag, rock_size;
    unsigned color;
    Vec rock[MOST_ROCKS];
} Rules;

typedef struct Game {
    lua_State *L;
    const char *rules_path;
    struct timespec rules_time;
    int rules_read;
    Rules rules;
    ThContext *c;
    ThFunction *policy;
    ThCall *call; /* bound to `seen`, of so many hunters */
    ThArray *args;
    int bound;
    float seen[MOST][SEEN];
    Vec place[MOST], speed[MOST], prey, trail[TRAIL];
    int frame, caught;
    double net, worst, total; /* seconds of the network: the last frame's, the longest, all of them */
    Picture picture;
} Game;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- rules: a script -----------------------------------------------------------------------------------------------
 */
static float number(lua_State *L, const char *name, float least, float most, float otherwise) {
    lua_getfield(L, -1, name);
    float v = lua_isnumber(L, -1) ? (float)lua_tonumber(L, -1) : otherwise;
    lua_pop(L, 1);
    return v < least ? least : v > most ? most : v;
}

static Vec vec_at(lua_State *L, int index) {
    Vec v = {0, 0};
    if (lua_istable(L, index)) {
        lua_rawgeti(L, index, 1);
        lua_rawgeti(L, index < 0 ? index - 1 : index, 2);
        v = (Vec){(float)lua_tonumber(L, -2), (float)lua_tonumber(L, -1)};
        lua_pop(L, 2);
    }
    return v;
}

/* The table of rules on the stack; what is missing stays usual. */
static void take_rules(Game *g) {
    lua_State *L = g->L;
    Rules r = {.hunters = (int)number(L, "hunters", 1, MOST, 32),
               .push = number(L, "push", 0, 20, 4),
               .drag = number(L, "drag", 0, 10, 0.8f),
               .rock_size = number(L, "rock", 0.01f, 0.5f, 0.12f),
               .color = (unsigned)number(L, "color", 0, 0xffffff, 0xffffff)};
    if (lua_getfield(L, -1, "rocks") == LUA_TTABLE)
        for (int i = 1; i <= MOST_ROCKS && lua_rawgeti(L, -1, i) == LUA_TTABLE; i++) {
            r.rock[r.nrock++] = vec_at(L, -1);
            lua_pop(L, 1);
        }
    lua_settop(L, 1);
    for (int i = g->rules.hunters; i < r.hunters; i++) { /* newcomers stand on a circle */
        float angle = 2.399963f * (float)i;
        g->place[i] = (Vec){0.9f * cosf(angle), 0.9f * sinf(angle)};
        g->speed[i] = (Vec){0, 0};
    }
    g->rules = r;
}

/* Reads the script where it changed; with a mistake in it the rules stay what they were. */
static void read_rules(Game *g) {
    struct stat st;
    if (stat(g->rules_path, &st) || !memcmp(&st.st_mtim, &g->rules_time, sizeof st.st_mtim)) return;
    g->rules_time = st.st_mtim;
    lua_State *L = g->L;
    lua_settop(L, 1);
    if (luaL_loadfile(L, g->rules_path) || lua_pcall(L, 0, 1, 0) || !lua_istable(L, -1)) {
        fprintf(stderr, "game: the rules stay as they were: %s\n",
                lua_isstring(L, -1) ? lua_tostring(L, -1) : "the script returns no table");
        lua_settop(L, 1);
        return;
    }
    lua_replace(L, 1); /* the rules lie at the bottom of the stack */
    lua_pushvalue(L, 1);
    take_rules(g);
    g->rules_read++;
}

static void move_prey(Game *g) {
    lua_State *L = g->L;
    if (lua_getfield(L, 1, "prey") == LUA_TFUNCTION) {
        lua_pushnumber(L, (double)g->frame * (double)DT);
        if (!lua_pcall(L, 1, 2, 0)) g->prey = (Vec){(float)lua_tonumber(L, -2), (float)lua_tonumber(L, -1)};
        else fprintf(stderr, "game: %s\n", lua_tostring(L, -1));
    }
    lua_settop(L, 1);
    g->trail[g->frame % TRAIL] = g->prey;
}

/* ---- hunters -------------------------------------------------------------------------------------------------------
 */
static Vec nearest_rock(const Game *g, Vec p) {
    Vec best = {p.x + 2, p.y};
    float least = 1e9f;
    for (int i = 0; i < g->rules.nrock; i++) {
        float dx = g->rules.rock[i].x - p.x, dy = g->rules.rock[i].y - p.y, far = dx * dx + dy * dy;
        if (far < least) least = far, best = g->rules.rock[i];
    }
    return best;
}

static int bind(Game *g) {
    if (g->bound == g->rules.hunters) return 0;
    const int64_t shape[2] = {g->rules.hunters, SEEN};
    th_call_release(g->call);
    th_array_release(g->args);
    g->args = th_array_wrap(g->c, TH_FLOAT32, 2, shape, NULL, g->seen, NULL, NULL);
    g->call = g->args ? th_call_new(g->policy, &(ThArg){.kind = TH_ARG_ARRAY, .array = g->args}, 1) : NULL;
    g->bound = g->call ? g->rules.hunters : 0;
    return g->call ? 0 : -1;
}

/* What the network sees, what it says, and how long it thought. */
static const Vec *think(Game *g) {
    for (int i = 0; i < g->rules.hunters; i++) {
        Vec p = g->place[i], r = nearest_rock(g, p);
        const float seen[SEEN] = {g->prey.x - p.x, g->prey.y - p.y, g->speed[i].x, g->speed[i].y, r.x - p.x, r.y - p.y};
        memcpy(g->seen[i], seen, sizeof seen);
    }
    double from = now();
    if (bind(g) || th_call_run(g->call)) {
        const char *why = g->call ? th_call_error_text(g->call) : th_error_text(g->c);
        fprintf(stderr, "game: %s\n", why);
        return NULL;
    }
    g->net = now() - from;
    g->total += g->net;
    if (g->frame > 1 && g->net > g->worst) g->worst = g->net;
    return th_array_data(th_call_output(g->call, 0, NULL));
}

/* Who is inside of another one or of a rock is put to its rim. */
static void keep_apart(Vec *p, Vec from, float distance) {
    float dx = p->x - from.x, dy = p->y - from.y, far = sqrtf(dx * dx + dy * dy);
    if (far >= distance || far < 1e-6f) return;
    p->x = from.x + dx / far * distance;
    p->y = from.y + dy / far * distance;
}

static int step(Game *g) {
    const Rules *r = &g->rules;
    move_prey(g);
    const Vec *push = think(g);
    if (!push) return -1;
    for (int i = 0; i < r->hunters; i++) {
        Vec *v = &g->speed[i], *p = &g->place[i];
        v->x += DT * (r->push * push[i].x - r->drag * v->x);
        v->y += DT * (r->push * push[i].y - r->drag * v->y);
        p->x += DT * v->x, p->y += DT * v->y;
        for (int k = 0; k < r->nrock; k++) keep_apart(p, r->rock[k], r->rock_size);
        for (int k = 0; k < i; k++) keep_apart(p, g->place[k], 2 * HUNTER / (PICTURE_H / 2));
        float dx = p->x - g->prey.x, dy = p->y - g->prey.y;
        g->caught += dx * dx + dy * dy < 0.01f;
    }
    g->frame++;
    return 0;
}

/* ---- the picture ---------------------------------------------------------------------------------------------------
 */
static float across(float x) { return PICTURE_W / 2 + x * PICTURE_H / 2; }
static float down(float y) { return PICTURE_H / 2 - y * PICTURE_H / 2; }

static void draw(Game *g, double fps) {
    Picture *p = &g->picture;
    char text[64];
    picture_fill(p, 0x10121c);
    for (int i = 0; i < g->rules.nrock; i++)
        picture_disc(p, across(g->rules.rock[i].x), down(g->rules.rock[i].y),
                     g->rules.rock_size * PICTURE_H / 2 - HUNTER, 0x4a4e69);
    for (int i = 0; i < TRAIL && i < g->frame; i++)
        picture_disc(p, across(g->trail[i].x), down(g->trail[i].y), 2, 0x5c3a21);
    for (int i = 0; i < g->rules.hunters; i++) {
        Vec at = g->place[i], v = g->speed[i];
        picture_disc(p, across(at.x - 0.03f * v.x), down(at.y - 0.03f * v.y), HUNTER * 0.6f, 0x1f5c74);
        picture_disc(p, across(at.x), down(at.y), HUNTER, g->rules.color);
    }
    picture_disc(p, across(g->prey.x), down(g->prey.y), PREY, 0xff9f1c);
    snprintf(text, sizeof text, "NET %.0f US", g->net * 1e6);
    picture_text(p, 8, 8, 2, 0xd0d4e4, text);
    snprintf(text, sizeof text, "%d HUNTERS", g->rules.hunters);
    picture_text(p, 8, 28, 2, 0x8d93ab, text);
    snprintf(text, sizeof text, "%.0f A S", fps);
    if (fps > 0) picture_text(p, 8, 48, 2, 0x8d93ab, text);
}

/* ---- with a window, and without
 * -------------------------------------------------------------------------------------- */
#ifdef GAME_SDL
static int play(Game *g) {
    if (SDL_Init(SDL_INIT_VIDEO)) return fprintf(stderr, "game: %s\n", SDL_GetError()), -1;
    SDL_Window *w =
        SDL_CreateWindow("hunters", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, PICTURE_W, PICTURE_H, 0);
    SDL_Renderer *r = w ? SDL_CreateRenderer(w, -1, 0) : NULL;
    SDL_Texture *t =
        r ? SDL_CreateTexture(r, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, PICTURE_W, PICTURE_H) : NULL;
    bool on = t != NULL;
    double next = now(), last = next;
    while (on) {
        for (SDL_Event e; SDL_PollEvent(&e);)
            if (e.type == SDL_QUIT || (e.type == SDL_KEYDOWN && e.key.keysym.sym == SDLK_ESCAPE)) on = false;
        if (g->frame % 15 == 0) read_rules(g);
        if (step(g)) break;
        double fps = 1 / (now() - last + 1e-9);
        last = now();
        draw(g, fps);
        SDL_UpdateTexture(t, NULL, g->picture.at, PICTURE_W * (int)sizeof(uint32_t));
        SDL_RenderCopy(r, t, NULL, NULL);
        SDL_RenderPresent(r);
        next += (double)DT;
        double wait = next - now();
        if (wait > 0) SDL_Delay((unsigned)(wait * 1000));
        else next = now();
    }
    SDL_Quit();
    return 0;
}
#else
static int play(Game *g) {
    (void)g;
    fprintf(stderr, "game: it was built without SDL2: --frames N [--picture FILE] plays without a window\n");
    return -1;
}
#endif

static int play_unseen(Game *g, int frames, bool fast, const char *picture) {
    double start = now();
    while (g->frame < frames) {
        if (g->frame % 15 == 0) read_rules(g);
        if (step(g)) return -1;
        double wait = start + (double)g->frame * (double)DT - now();
        if (!fast && wait > 0) nanosleep(&(struct timespec){(time_t)wait, (long)(fmod(wait, 1) * 1e9)}, NULL);
    }
    double each = g->total / frames;
    printf("%d frames, rules read %d times, prey touched %d times\n", frames, g->rules_read, g->caught);
    printf("network: %.1f us a frame for %d hunters, %.1f us at most, %.2f %% of a frame's time\n", each * 1e6,
           g->rules.hunters, g->worst * 1e6, 100 * each / (double)DT);
    draw(g, 0);
    if (picture && picture_save(&g->picture, picture))
        return fprintf(stderr, "game: %s was not written\n", picture), -1;
    return 0;
}

static int fail(Game *g) {
    fprintf(stderr, "game: %s: %s\n", th_error_name(th_error(g->c)), th_error_text(g->c));
    return 1;
}

int main(int argc, char **argv) {
    static Game g;
    const char *picture = NULL;
    int frames = 0;
    bool fast = false;
    g.rules_path = GAME_RULES;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--fast")) fast = true;
        else if (!strcmp(argv[i], "--rules") && i + 1 < argc) g.rules_path = argv[++i];
        else if (!strcmp(argv[i], "--picture") && i + 1 < argc) picture = argv[++i];
        else if (!strcmp(argv[i], "--frames") && i + 1 < argc) frames = atoi(argv[++i]);
        else argc = 0;
    }
    if (argc < 2) return fprintf(stderr, "game POLICY [--rules FILE] [--frames N [--fast] [--picture FILE]]\n"), 2;
    g.c = th_context_new(NULL);
    g.L = luaL_newstate();
    if (!g.c || !g.L) return 1;
    luaL_requiref(g.L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(g.L, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_settop(g.L, 0);
    lua_newtable(g.L);
    g.policy = th_load_file(g.c, argv[1], NULL);
    if (!g.policy) return fail(&g);
    read_rules(&g);
    if (!g.rules_read) return 1;
    int bad = frames > 0 ? play_unseen(&g, frames, fast, picture) : play(&g);
    th_call_release(g.call);
    th_array_release(g.args);
    th_function_release(g.policy);
    th_context_release(g.c);
    lua_close(g.L);
    return bad != 0;
}
