/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby-objects: texts, names and classes of a Ruby process, from its memory while it runs.
 *
 * Up to 3.1 a class keeps its name among its variables, under a name that is a number; and numbers
 * have names in a table (global_symbols) that no symbol leads to. Both are found by what they hold:
 * the name of Object is "Object", and the name of the number '+' is "+".
 *
 * The process may be hostile: all that is read is bounded, and texts are cleaned. One thread.
 */
#ifndef CPROFTOP_RUBY_OBJECTS_H
#define CPROFTOP_RUBY_OBJECTS_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/ruby/ruby-layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ruby_objects {
	const struct ruby_layout *layout;
	struct target_memory memory;
	uint64_t names;			 /* the table of names; 0: not found */
	uint64_t class_name, belongs_to; /* numbers of names; 0: not found */
};

/* Learn the numbers from Object, which is at OBJECT. */
void ruby_objects_learn(struct ruby_objects *objects, uint64_t object);

/* Is the table of names at ADDRESS? */
bool ruby_objects_are_names(const struct ruby_objects *objects, uint64_t address);

/* The String at ADDRESS, cleaned, with at most SIZE bytes; or the path that a file was loaded by,
   absolute if there is such. */
bool ruby_objects_text(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size);
bool ruby_objects_path(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size);

/* The name with NUMBER. */
bool ruby_objects_name(
	const struct ruby_objects *objects, uint64_t number, char *out, size_t size);

/* What stands before a method that the class or module at ADDRESS has: "Name#", or "Name." if
   only Name itself has it. False: it has no name. */
bool ruby_objects_owner(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size);

#endif
