/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangled: what the mangled name of a function in C++, Rust or D means.
 *
 * The names come from the target's files, and may be made to keep who reads them busy for
 * ever. libiberty reads them; it cannot be interrupted, so a name is first looked at for what is
 * known to take it long (src/facts/mangled/mangled-cost.h), and its output is cut off at the end
 * of the buffer. So any name is read, or refused, within a second; real ones take microseconds. Any thread.
 */
#ifndef CPROFTOP_MANGLED_H
#define CPROFTOP_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/* Longer symbols are not read. (Of C++, libiberty reads 1,024 bytes.) */
	MANGLED_MAX_BYTES = 16 << 10,
	/* What a name may mean. */
	MANGLED_PLAIN_MAX_BYTES = 64 << 10,
};

/* Write what SYMBOL means to OUT, of ROOM bytes, terminated. False if it is not mangled,
   needs more room, or might be too much work. Without WITH_PARAMETERS neither these nor the
   type returned are written for C++. Rust's hashes are left out. */
bool mangled_read(const char *symbol, bool with_parameters, char *out, size_t room);

#endif
