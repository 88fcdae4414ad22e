/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind-names: the functions, files and objects that a callgrind file names, each in
 * full once, "(7) main", and then as "(7)".
 *
 * Used by import-callgrind.c only.
 */
#ifndef CPROFTOP_CALLGRIND_NAMES_H
#define CPROFTOP_CALLGRIND_NAMES_H

#include "src/base/idmap.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

enum callgrind_kind {
	CALLGRIND_OBJECT,
	CALLGRIND_FILE,
	CALLGRIND_FUNCTION,
	CALLGRIND_KINDS
};

/* The strings are the profile's. "???" is "", except for functions. */
struct callgrind_place {
	const char *object, *function;
	const char *declared; /* the file that FUNCTION is in */
	const char *file;     /* the file at hand, another one in what was inlined */
};

struct callgrind_names {
	struct recording *recording;

	/* Private. */
	struct idmap numbers; /* (kind, number) -> index of texts */
	VEC(const char *) texts;
	struct idmap functions; /* (function, declared) -> a number */
	struct idmap nodes;	/* (number, object) -> node */
};

/* What TEXT says, "main", "(7) main" or "(7)". NULL: a number without a name. */
const char *callgrind_name(
	struct callgrind_names *names, enum callgrind_kind kind, const char *text);

/* Where the caller keeps the node of a function, and whether it must put it there. */
uint32_t *callgrind_names_node(
	struct callgrind_names *names, const struct callgrind_place *place, bool *is_new);
void callgrind_names_forget_nodes(struct callgrind_names *names);

/* A location in the profile, of LINE in PLACE; 0: no line. */
uint32_t callgrind_names_location(struct callgrind_names *names,
	const struct callgrind_place *place, uint32_t line);

/* Memory, roughly, besides the recording's. */
size_t callgrind_names_bytes(const struct callgrind_names *names);

void callgrind_names_finish(struct callgrind_names *names);

#endif
