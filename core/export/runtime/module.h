/* ---- a module of Lua: values are lists in lists, numbers, or strings of the array's bytes ----------------------- */
static void complain(lua_State *L, const Value *v, const char *what) { luaL_error(L, NAME ": %s: %s", v->name, what); }

/* The integer on top of the stack, in the range of v's type. */
static void put_integer(lua_State *L, const Value *v, unsigned char *to) {
    int whole, bits = 8 * v->bytes;
    lua_Integer n = lua_tointegerx(L, -1, &whole);
    if (!whole || (v->kind == 'u' && bits < 64 && (n < 0 || n >> bits)) ||
        (v->kind == 'i' && bits < 64 && (n < -((lua_Integer)1 << (bits - 1)) || n >> (bits - 1) > 0)))
        complain(L, v, "an integer of its type is wanted");
    if (bits == 8) *to = (unsigned char)n;
    else if (bits == 16) memcpy(to, &(uint16_t){(uint16_t)n}, 2);
    else if (bits == 32) memcpy(to, &(uint32_t){(uint32_t)n}, 4);
    else memcpy(to, &(uint64_t){(uint64_t)n}, 8);
}

/* Floats that double does not hold exactly as v's are rounded: numbers of Lua are doubles. */
static void put_float(lua_State *L, const Value *v, int bytes, unsigned char *to) {
    int fine;
    double x = lua_tonumberx(L, -1, &fine);
    if (!fine) complain(L, v, "a number is wanted");
    if (bytes == 4) memcpy(to, &(float){(float)x}, 4);
    else memcpy(to, &x, 8);
}

/* float16 (kind e) and bfloat16 (E): 10 and 7 digits behind the first, exponents up to 15 and 127. */
static void put_half(lua_State *L, const Value *v, unsigned char *to) {
    const int digits = v->kind == 'e' ? 10 : 7, top = v->kind == 'e' ? 15 : 127, infinite = (2 * top + 1) << digits;
    int fine, e;
    double x = lua_tonumberx(L, -1, &fine), a = fabs(x);
    long bits = infinite;
    if (!fine) complain(L, v, "a number is wanted");
    if (x != x) bits |= 1l << (digits - 1);
    else if (a <= ldexp(1.0, top + 1)) { /* to the nearest, to even between two */ (void)frexp(a, &e);
        e = e - 1 > 1 - top ? e - 1 : 1 - top;
        bits = (long)rint(ldexp(a, digits - e)) + ((long)(e + top - 1) << digits);
        if (bits > infinite) bits = infinite;
    }
    memcpy(to, &(uint16_t){(uint16_t)(bits | (signbit(x) ? 0x8000l : 0l))}, 2);
}

static double half_at(const Value *v, const unsigned char *from) {
    const int digits = v->kind == 'e' ? 10 : 7, top = v->kind == 'e' ? 15 : 127;
    uint16_t n;
    memcpy(&n, from, 2);
    const int e = (n & 0x7fff) >> digits, m = n & ((1 << digits) - 1);
    double x = e == 2 * top + 1 ? (m ? (double)NAN : (double)INFINITY)
                                : ldexp(e ? m + (1 << digits) : m, (e ? e : 1) - top - digits);
    return n & 0x8000 ? -x : x;
}

/* The element on top of the stack. */
static void put_element(lua_State *L, const Value *v, unsigned char *to) {
    int half = v->bytes / 2;
    if (v->kind == 'b' && lua_isboolean(L, -1)) *to = (unsigned char)lua_toboolean(L, -1);
    else if (v->kind == 'b') complain(L, v, "true or false is wanted");
    else if (v->kind == 'i' || v->kind == 'u') put_integer(L, v, to);
    else if (v->kind == 'f') put_float(L, v, v->bytes, to);
    else if (v->kind == 'e' || v->kind == 'E') put_half(L, v, to);
    else if (lua_istable(L, -1)) { /* {re, im} */ lua_rawgeti(L, -1, 1);
        put_float(L, v, half, to);
        lua_pop(L, 1);
        lua_rawgeti(L, -1, 2);
        put_float(L, v, half, to + half);
        lua_pop(L, 1);
    } else {
        put_float(L, v, half, to);
        memset(to + half, 0, (size_t)half);
    }
}

/* The list on top of the stack into `to` and what comes behind; d: its dimension, of v->ndim. Gives the end. */
static unsigned char *put_list(lua_State *L, const Value *v, int d, int64_t *shape, unsigned char *to) {
    if (d == v->ndim) {
        put_element(L, v, to);
        return to + v->bytes;
    }
    if (!lua_istable(L, -1)) complain(L, v, "a list is wanted in each of its dimensions");
    int64_t n = (int64_t)lua_rawlen(L, -1);
    if (shape[d] < 0 && n <= v->shape[d]) shape[d] = n;
    if (n != shape[d])
        luaL_error(L, NAME ": %s: %d elements in dimension %d, %d%s are wanted", v->name, (int)n, d + 1,
                   (int)(shape[d] < 0 ? v->shape[d] : shape[d]), shape[d] < 0 ? " at most" : "");
    luaL_checkstack(L, 3, "lists in lists");
    for (int64_t i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);
        to = put_list(L, v, d + 1, shape, to);
        lua_pop(L, 1);
    }
    return to;
}

/* The value at an index of the stack into memory for v. */
static void put_value(lua_State *L, int index, const Value *v, int64_t *shape, unsigned char *to) {
    for (int d = 0; d < v->ndim; d++) shape[d] = v->moves ? -1 : v->shape[d];
    if (lua_type(L, index) == LUA_TSTRING) {
        size_t n, want = (size_t)v->bytes;
        const char *bytes = lua_tolstring(L, index, &n);
        for (int d = 0; d < v->ndim; d++) want *= (size_t)v->shape[d];
        if (n != want) complain(L, v, "the string has another length than the array");
        for (int d = 0; d < v->ndim; d++) shape[d] = v->shape[d];
        memcpy(to, bytes, n);
        return;
    }
    lua_pushvalue(L, index);
    put_list(L, v, 0, shape, to);
    lua_pop(L, 1);
    for (int d = 0; d < v->ndim; d++)
        if (shape[d] < 0) shape[d] = v->shape[d]; /* of no rows */
}

static void push_element(lua_State *L, const Value *v, const unsigned char *from) {
    float one[2];
    double two[2];
    uint64_t n = 0;
    if (v->kind == 'b') lua_pushboolean(L, *from);
    else if (v->kind == 'e' || v->kind == 'E') lua_pushnumber(L, half_at(v, from));
    else if (v->kind == 'f' || v->kind == 'c') {
        int parts = v->kind == 'c' ? 2 : 1;
        if (v->bytes == 8 * parts) memcpy(two, from, (size_t)v->bytes);
        else {
            memcpy(one, from, (size_t)v->bytes);
            for (int i = 0; i < parts; i++) two[i] = one[i];
        }
        if (parts == 2) lua_createtable(L, 2, 0);
        for (int i = 0; i < parts; i++) {
            lua_pushnumber(L, two[i]);
            if (parts == 2) lua_rawseti(L, -2, i + 1);
        }
    } else {
        for (int i = 0; i < v->bytes; i++) { /* whatever the order of bytes */
            uint16_t first = 1;
            int little = *(unsigned char *)&first;
            n |= (uint64_t)from[little ? i : v->bytes - 1 - i] << (8 * i);
        }
        if (v->kind == 'i' && v->bytes < 8 && n >> (8 * v->bytes - 1)) n |= ~(uint64_t)0 << (8 * v->bytes);
        lua_pushinteger(L, (lua_Integer)n);
    }
}

static const unsigned char *push_list(lua_State *L, const Value *v, int d, const int64_t *shape,
                                      const unsigned char *from) {
    if (d == v->ndim) {
        push_element(L, v, from);
        return from + v->bytes;
    }
    luaL_checkstack(L, 3, "lists in lists");
    lua_createtable(L, (int)shape[d], 0);
    for (int64_t i = 1; i <= shape[d]; i++) {
        from = push_list(L, v, d + 1, shape, from);
        lua_rawseti(L, -2, (lua_Integer)i);
    }
    return from;
}

static Box *box_at(lua_State *L, int index) { return luaL_checkudata(L, index, NAME); }

static Box *box_new(lua_State *L) {
    Box *b = lua_newuserdata(L, sizeof *b);
    memset(b, 0, sizeof *b);
    luaL_setmetatable(L, NAME);
    return b;
}

/* NAME.new(): a state of its own, with the shared variables' first values. */
static int module_new(lua_State *L) {
    box_init(box_new(L));
    return 1;
}

/* NAME.copy(p) */
static int module_copy(lua_State *L) {
    const Box *from = box_at(L, 1);
    memcpy(box_new(L), from, sizeof *from);
    return 1;
}

/* NAME.reset(p): shared variables have their first values again. */
static int module_reset(lua_State *L) {
    box_init(box_at(L, 1));
    return 0;
}

static const Value *field_at(lua_State *L) {
    const char *key = luaL_checkstring(L, 2);
    for (int i = 0; i < NFIELD; i++)
        if (!strcmp(fields[i].name, key)) return &fields[i];
    luaL_error(L, NAME ": there is no shared variable %s", key);
    return NULL;
}

static int module_index(lua_State *L) {
    Box *b = box_at(L, 1);
    const Value *v = field_at(L);
    push_list(L, v, 0, v->shape, (unsigned char *)b + v->at);
    return 1;
}

static int module_newindex(lua_State *L) {
    Box *b = box_at(L, 1);
    const Value *v = field_at(L);
    size_t n = (size_t)v->bytes;
    int64_t shape[MOST_DIMS];
    for (int d = 0; d < v->ndim; d++) n *= (size_t)v->shape[d];
    unsigned char *aside = lua_newuserdata(L, n + 1);
    put_value(L, 3, v, shape, aside);
    memcpy((unsigned char *)b + v->at, aside, n);
    return 0;
}

/* p(arguments): its results. */
static int module_call(lua_State *L) {
    Box *b = box_at(L, 1);
    int given[NIN + 1] = {0}, n = lua_gettop(L) - 1;
    if (n > NIN) return luaL_error(L, NAME ": %d arguments, it has %d", n, NIN);
    for (int i = 0; i < NIN; i++) {
        given[i] = !lua_isnoneornil(L, i + 2);
        if (given[i]) put_value(L, i + 2, &ins[i], b->shape[i], (unsigned char *)b + ins[i].at);
        else if (!ins[i].usual) complain(L, &ins[i], "it is missing");
    }
    if (box_call(b, given)) return luaL_error(L, NAME ": %s", box_error(b));
    luaL_checkstack(L, NOUT + 1, "results");
    for (int i = 0; i < NOUT; i++)
        push_list(L, &outs[i], 0, outs[i].moves ? b->shape[NIN + i] : outs[i].shape, (unsigned char *)b + outs[i].at);
    return NOUT;
}
