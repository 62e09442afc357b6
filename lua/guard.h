/*
 * guard.h -- what keeps functions of Lua's libraries, which no hook interrupts, within the time of a sandbox. In: Lua
 * states of sandboxes alone. Out: libraries whose functions end when the script's time does.
 */
#ifndef LUA_GUARD_H
#define LUA_GUARD_H

#include <lua.h>

void lt_guard(lua_State *L);                    /* raises Interrupted where the script's time is over */
int lt_in_time(lua_State *L);                   /* the same as a function of Lua's */
void lt_guard_work(lua_State *L, size_t bytes); /* so many bytes are about to be gone through: the same, now and then */
void lt_guard_texts(lua_State *L);              /* in the library on top of the stack (string) */
void lt_guard_open(lua_State *L);               /* in the libraries string, table, utf8 and the basic one */

#endif
