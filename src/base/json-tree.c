/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/json-tree.h"

#include "src/base/clean.h"
#include "src/base/input-file.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	FILE_MAX = 128 << 20,
	TREE_MAX = 192 << 20, /* bytes of what jansson makes of a file, */
	ALL_MAX = 288 << 20,  /* and with the file */
	TEXT_TIMES = 3,	      /* as its scanner grows with the longest text */
};

/* A byte of JSON can cost a hundred in memory, as in "[{},{},...": so what jansson 2.14
   will allocate is estimated before. */
static bool fits(const char *bytes, size_t size, size_t *needed, struct error *err)
{
	uint64_t tree = 0, all, begin = 0, longest = 0;
	bool in_text = false;
	for (size_t i = 0; i < size; i++) {
		if (in_text && bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"') {
			longest = in_text && i - begin > longest ? i - begin : longest;
			in_text = !in_text;
			begin = i;
		} else if (!in_text)
			tree += bytes[i] == '{'	  ? 256
				: bytes[i] == '[' ? 128
				: bytes[i] == ':' ? 64
				: bytes[i] == ',' ? 48
						  : 1;
		else
			tree++;
	}
	*needed = (size_t)tree;
	all = size + tree + TEXT_TIMES * longest;
	if (tree <= TREE_MAX && all <= ALL_MAX)
		return true;
	return error_set(err,
		"would need more than %d MiB of memory; a part of it may do",
		(tree > TREE_MAX ? TREE_MAX : ALL_MAX) >> 20);
}

json_t *json_tree_parse(
	const char *bytes, size_t size, size_t flags, size_t *needed, struct error *err)
{
	json_error_t why;
	char text[sizeof(why.text) * 4];
	if (!fits(bytes, size, needed, err))
		return NULL;
	json_t *root = json_loadb(bytes, size, flags, &why);
	if (root)
		return root;
	clean_text(text, sizeof(text), why.text, strlen(why.text));
	error_set(err, "line %d: is no JSON (%.200s): the file is damaged or cut short",
		why.line, text);
	return NULL;
}

json_t *json_tree_read(struct input_file *input, size_t *needed, struct error *err)
{
	char *bytes;
	size_t size;
	if (!input_file_rest(input, FILE_MAX, &bytes, &size, err))
		return NULL;
	json_t *root = json_tree_parse(bytes, size, 0, needed, err);
	if (!root)
		error_prefix(err, "%s", input_file_name(input));
	free(bytes);
	return root;
}

const json_t *json_member(
	const json_t *object, const char *key, json_type type, struct error *err)
{
	const json_t *value = json_object_get(object, key);
	if (value && json_typeof(value) == type)
		return value;
	error_set(err, "has no %s '%s'",
		type == JSON_ARRAY    ? "list"
		: type == JSON_OBJECT ? "object"
				      : "text",
		key);
	return NULL;
}

bool json_whole(const json_t *value, int64_t *number)
{
	double real = json_is_number(value) ? json_number_value(value) : NAN;
	if (!(fabs(real) <= JSON_WHOLE_MAX))
		return false;
	*number = json_is_integer(value) ? json_integer_value(value) : llround(real);
	return true;
}

bool json_index(const json_t *value, size_t limit, uint32_t *index)
{
	json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
	if (number < 0 || (uint64_t)number >= limit)
		return false;
	*index = (uint32_t)number;
	return true;
}
