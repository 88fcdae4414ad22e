/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dlang: the mangled name of a D function as its author wrote it.
 *
 * A name may be hostile, and libiberty's reader of D names goes back to try another reading
 * without a limit: a hundred bytes keep it busy for ever, and three thousand with back
 * references to types take gigabytes. This one counts its steps. What it writes is what
 * libiberty writes, for all names in the runtime libraries of gdc 12 and ldc 1.30.
 * The format: https://dlang.org/spec/abi.html#name_mangling. Any thread.
 */
#ifndef CPROFTOP_DLANG_H
#define CPROFTOP_DLANG_H

#include <stdbool.h>
#include <stddef.h>

/* Write to OUT, of ROOM bytes, what SYMBOL means, terminated. False if it is not the name
   of anything in D, needs more room, or is too much work: real names are read in some
   hundred steps, and a million are never taken. */
bool dlang_plain(const char *symbol, char *out, size_t room);

#endif
