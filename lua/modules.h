/* modules.h -- where the runner finds the modules of this project (modules.c). */
#ifndef LT_MODULES_H
#define LT_MODULES_H

#include <lua.h>

/* Puts the folder of our modules on package.path, and a searcher for them before that of files. */
void modules_open(lua_State *L);

#endif
