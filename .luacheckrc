-- luacheck: Lua 5.4, no globals of our own, lines as long as in C.
std = "lua54"
max_line_length = 120
unused_args = false
files["spec"] = { std = "+busted" }
files["editor"] = { max_line_length = false, ignore = { "241" } } -- declarations, written by scripts/make-reference
