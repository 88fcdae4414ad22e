/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock-names: what the program calls the memory that a lock is in: "orders".
 *
 * Of global and static variables, by the symbols of the files whose code runs: "orders",
 * "stripes+0x80", "arena (libfoo.so)"; if several of a file are called the same, the
 * address is behind the name. The reader's thread.
 */
#ifndef CPROFTOP_LOCK_NAMES_H
#define CPROFTOP_LOCK_NAMES_H

#include "src/base/vec.h"
#include "src/read/space/address-space.h"

#include <stddef.h>
#include <stdint.h>

struct known_variable {
	uint64_t start;
	uint64_t size;
	char *name; /* NULL: none is known */
};

struct lock_names {
	VEC(struct known_variable) known;
	uint64_t generation; /* of the mappings that they are by */
};

void lock_names_finish(struct lock_names *names);

/* Append " -> NAME" to TEXT, of SIZE bytes, if ADDRESS has one. */
void lock_names_append(struct lock_names *names, struct address_space *space,
	uint64_t address, char *text, size_t size);

#endif
