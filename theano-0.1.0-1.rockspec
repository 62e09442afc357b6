-- `luarocks --lua-version 5.4 make` in the tree builds and installs this; what it needs of the system is in docs/install.md.
rockspec_format = "3.0"
package = "theano"
version = "0.1.0-1"
source = { url = "theano-0.1.0.tar.gz" } -- not fetched by `make`; `scripts/package source` writes it
description = {
  summary = "Theano's language of symbolic tensor expressions",
  detailed = "Expressions, their gradients, and functions compiled of them: C is written, compiled and run, or a plan interpreted.",
  license = "MIT",
}
supported_platforms = { "linux" }
-- The commands of the runner (theano run, sweep, doctor ..) also use argparse, dkjson and luv, where they are there.
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = { ZLIB = { header = "zlib.h" }, XXHASH = { header = "xxhash.h" } }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    CMAKE_INSTALL_BINDIR = "$(BINDIR)",
    TH_LUA_DIR = "$(LUADIR)",
    TH_LUA_C_DIR = "$(LIBDIR)",
    TH_ROCK = "ON",
    TH_TESTS = "OFF",
  },
}
