/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-tree: a file in JSON, read by jansson, at a cost that is bounded.
 *
 * Pure but for the file; what it returns is jansson's.
 */
#ifndef CPROFTOP_JSON_TREE_H
#define CPROFTOP_JSON_TREE_H

#include "src/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_file;

/* All of INPUT, which the caller gives back by json_decref. NULL: it is no JSON, or too
   much of it; ERR names the file. *NEEDED: about how many bytes it has. */
json_t *json_tree_read(struct input_file *input, size_t *needed, struct error *err);

/* The same of SIZE bytes in memory; ERR names nothing. FLAGS as json_loadb() has them: with JSON_ALLOW_NUL
   a text in it may hold a NUL. */
json_t *json_tree_parse(
	const char *bytes, size_t size, size_t flags, size_t *needed, struct error *err);

/* The member KEY of OBJECT, which must be of TYPE; NULL otherwise. */
const json_t *json_member(
	const json_t *object, const char *key, json_type type, struct error *err);

/* What a number in JSON, a double to most who read it, can count one by one. */
#define JSON_WHOLE_MAX ((int64_t)1 << 53)

/* A number of at most that size, rounded. False: VALUE is none. */
bool json_whole(const json_t *value, int64_t *number);

/* The same for one of LIMIT entries, of a table in memory. */
bool json_index(const json_t *value, size_t limit, uint32_t *index);

#endif
