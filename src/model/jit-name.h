/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-name: a function as a JIT compiler's author wrote it, without how it was compiled.
 *
 * V8 compiles one function up to four times, and its perf map has a name for each: a kind
 * of code, a mark of the tier, the name, and the script's whole path ("JS:*parse
 * /srv/app/node_modules/acorn/dist/acorn.js:2667:19"; src/logging/log.cc and
 * objects/code-kind.cc of V8: "~" interpreted, "^" baseline, "+" maglev, "*" turbofan).
 * CPython's is "py::parse:/srv/app/parser.py" (Python/perf_trampoline.c). A person asks
 * about the function: the mark goes, and the path is as short as a file's is elsewhere.
 * Any thread.
 */
#ifndef CPROFTOP_JIT_NAME_H
#define CPROFTOP_JIT_NAME_H

#include <stdbool.h>

/* Did a JIT compiler write NAME, rather than a linker? */
bool jit_name_is(const char *name);

/* NAME without its tier, and with the last part of the path only; to be freed. NULL if it
   stays as it is. */
char *jit_name_short(const char *name);

#endif
