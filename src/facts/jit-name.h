/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-name: the name of JIT-compiled code, without the marks of how it was compiled.
 *
 * V8 compiles one function up to four times, and its perf map has a name for each: a kind
 * of code, a mark of the compiler tier, the function's name, and the script's whole path
 * ("JS:*parse /srv/app/node_modules/acorn/dist/acorn.js:2667:19"; src/logging/log.cc and
 * objects/code-kind.cc of V8: "~" interpreted, "^" baseline, "+" maglev, "*" turbofan).
 * CPython's is "py::parse:/srv/app/parser.py" (Python/perf_trampoline.c). What matters is
 * the function: the mark is removed, and only the last part of the path is kept. Any
 * thread.
 */
#ifndef CPROFTOP_JIT_NAME_H
#define CPROFTOP_JIT_NAME_H

#include <stdbool.h>

/* Did a JIT compiler write NAME, rather than a linker? */
bool jit_name_is(const char *name);

/* NAME without the mark of its tier, and with the last part of the path only; the caller
   frees it. NULL if NAME stays as it is. */
char *jit_name_short(const char *name);

#endif
