/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua: which Lua or LuaJIT a process has. Nobody knows its functions yet, so that is all that it
 * says: what a person sees of such a program are native frames.
 */
#ifndef CPROFTOP_LUA_H
#define CPROFTOP_LUA_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime lua_runtime, luajit_runtime;

#endif
