/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua: Lua 5.1 to 5.4. Its functions are those of lua-stack.h and lua-code.h.
 */
#ifndef CPROFTOP_LUA_H
#define CPROFTOP_LUA_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime lua_runtime;

#endif
