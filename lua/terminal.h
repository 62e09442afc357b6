/*
 * terminal.h -- reading lines for the runner's `theano -i`: with libedit (editing, history, completion) where it was
 * found when this was built and standard input is a terminal, else plain lines.
 */
#ifndef LT_TERMINAL_H
#define LT_TERMINAL_H

#include <lua.h>

/* Adds read_line, history, add_history and set_completer to the module table on top of the stack. */
void terminal_open(lua_State *L);
/* Gives the terminal back and writes the history. */
void terminal_close(void);

#endif
