/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit: LuaJIT 2.1 with 64-bit references on x86-64. Its functions are those of luajit-stack.h and
 * luajit-code.h; of others only that a process has it is known.
 */
#ifndef CPROFTOP_LUAJIT_H
#define CPROFTOP_LUAJIT_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime luajit_runtime;

#endif
