/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby-objects.h"

#include "src/base/bytes.h"
#include "src/base/clean.h"

#include <stdio.h>
#include <string.h>

enum {
	TYPE_MASK = 0x1f, /* of the first word of an object */
	TYPE_CLASS = 2,
	TYPE_MODULE = 3,
	TYPE_STRING = 5,
	TYPE_ARRAY = 7,
	TYPE_INCLUDED = 0x1c, /* ICLASS: a module, as an ancestor of a class */
	SINGLETON = 1 << 12,  /* of a class: of one object alone */
	ELSEWHERE = 1 << 13,  /* of a string: its bytes are not in it */
	EMBEDDED = 1 << 13,   /* of an array: its elements are in it */
	STRING_SHIFT = 14,    /* the length of one that is */
	ARRAY_SHIFT = 15,
	OBJECT_BYTES = 40,
	CLASS_AT = 8, /* in each object */
	DATA = 16,    /* in arrays that hold all themselves */
	/* of others, and of strings that do not */
	LENGTH = 16,
	STRING_PLACE = 24,
	ARRAY_PLACE = 32,
	TEXT_MAX = 1000,
	/* st_table, and its entries: a hash, a key, a value */
	TABLE_BYTES = 56,
	TABLE_LIMIT = 40,
	TABLE_ENTRIES = 48,
	ENTRY_BYTES = 24,
	ENTRY_KEY = 8,
	ENTRY_VALUE = 16,
	ENTRIES_MAX = 64,
	/* the table of names: arrays, with a string and a symbol for each number */
	NAMES_EACH = 512,
	NUMBER_SHIFT = 4,
};

/* The object at ADDRESS. What is no address, but a number or nil, is none. */
static bool read_object(const struct ruby_objects *objects, uint64_t address,
	unsigned char bytes[OBJECT_BYTES])
{
	return address % 8 == 0 &&
	       target_memory_read(&objects->memory, address, bytes, OBJECT_BYTES);
}

static unsigned type_of(const unsigned char *object)
{
	return bytes_u64(object, 0) & TYPE_MASK;
}

/* --- strings and arrays ----------------------------------------------------------------- */

bool ruby_objects_text(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size)
{
	unsigned char object[OBJECT_BYTES];
	char text[TEXT_MAX];
	if (!read_object(objects, address, object) || type_of(object) != TYPE_STRING)
		return false;
	const struct ruby_layout *layout = objects->layout;
	uint64_t flags = bytes_u64(object, 0);
	uint64_t length = layout->string_length ? bytes_u64(object, layout->string_length)
						: flags >> STRING_SHIFT & TYPE_MASK;
	uint64_t at = address + layout->string_data;
	if (flags & ELSEWHERE) {
		length = bytes_u64(object, LENGTH);
		at = bytes_u64(object, STRING_PLACE);
	}
	if (length > TEXT_MAX ||
		(length > 0 && !target_memory_read(&objects->memory, at, text, length)))
		return false;
	clean_text(out, size, text, length);
	return true;
}

/* Element INDEX of the array at ADDRESS. */
static bool read_element(const struct ruby_objects *objects, uint64_t address,
	uint64_t index, uint64_t *element)
{
	unsigned char object[OBJECT_BYTES];
	if (!read_object(objects, address, object) || type_of(object) != TYPE_ARRAY)
		return false;
	uint64_t flags = bytes_u64(object, 0);
	uint64_t length = flags >> ARRAY_SHIFT & objects->layout->array_mask;
	uint64_t at = address + DATA;
	if (!(flags & EMBEDDED)) {
		length = bytes_u64(object, LENGTH);
		at = bytes_u64(object, ARRAY_PLACE);
	}
	return index < length &&
	       target_memory_read(&objects->memory, at + index * sizeof(*element),
		       element, sizeof(*element));
}

/* A path is a string, or an array of the path as it was given and the absolute one. */
bool ruby_objects_path(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size)
{
	uint64_t path;
	for (uint64_t i = 2; i-- > 0;)
		if (read_element(objects, address, i, &path) &&
			ruby_objects_text(objects, path, out, size))
			return true;
	return ruby_objects_text(objects, address, out, size);
}

/* --- names by numbers ------------------------------------------------------------------- */

static bool name_in(const struct ruby_objects *objects, uint64_t names, uint64_t place,
	char *out, size_t size)
{
	uint64_t part, text;
	return read_element(objects, names, place / NAMES_EACH, &part) &&
	       read_element(objects, part, place % NAMES_EACH * 2, &text) &&
	       ruby_objects_text(objects, text, out, size);
}

bool ruby_objects_name(
	const struct ruby_objects *objects, uint64_t number, char *out, size_t size)
{
	uint64_t place =
		number > objects->layout->last_operator ? number >> NUMBER_SHIFT : number;
	return objects->names && name_in(objects, objects->names, place, out, size);
}

bool ruby_objects_are_names(const struct ruby_objects *objects, uint64_t address)
{
	char text[8];
	for (const char *operator= "+-*/<"; *operator; operator++)
		if (!name_in(objects, address, (unsigned char)*operator, text,
			    sizeof(text)) ||
			text[0] != *operator|| text[1] != '\0')
			return false;
	return true;
}

/* --- classes ---------------------------------------------------------------------------- */

/* Go through the variables of the class OBJECT, from *NEXT on. */
static bool next_variable(const struct ruby_objects *objects, const unsigned char *object,
	uint64_t *next, uint64_t *key, uint64_t *value)
{
	const struct ruby_layout *layout = objects->layout;
	uint64_t extension = bytes_u64(object, layout->extension), variables;
	unsigned char table[TABLE_BYTES], entry[ENTRY_BYTES];
	if (extension == 0 || *next >= ENTRIES_MAX ||
		!target_memory_read(&objects->memory, extension + layout->variables,
			&variables, sizeof(variables)) ||
		!target_memory_read(&objects->memory, variables, table, sizeof(table)) ||
		*next >= bytes_u64(table, TABLE_LIMIT) ||
		!target_memory_read(&objects->memory,
			bytes_u64(table, TABLE_ENTRIES) + *next * ENTRY_BYTES, entry,
			sizeof(entry)))
		return false;
	++*next;
	*key = bytes_u64(entry, ENTRY_KEY);
	*value = bytes_u64(entry, ENTRY_VALUE);
	return true;
}

/* What the class at ADDRESS, with the bytes OBJECT, has at PLACE of its extension, or, up to 3.1, among
   its variables as WANTED. */
static bool find_variable(const struct ruby_objects *objects, uint64_t address,
	const unsigned char *object, uint16_t place, uint64_t wanted, uint64_t *value)
{
	uint64_t next = 0, key;
	if (objects->layout->has_extension_inside)
		return target_memory_read(&objects->memory,
			address + objects->layout->extension + place, value,
			sizeof(*value));
	while (wanted != 0 && next_variable(objects, object, &next, &key, value))
		if (key == wanted)
			return true;
	return false;
}

void ruby_objects_learn(struct ruby_objects *objects, uint64_t object)
{
	unsigned char bytes[OBJECT_BYTES], own[OBJECT_BYTES];
	uint64_t next = 0, key, value;
	char text[8];
	if (objects->layout->has_extension_inside ||
		!read_object(objects, object, bytes) || type_of(bytes) != TYPE_CLASS ||
		!read_object(objects, bytes_u64(bytes, CLASS_AT), own))
		return;
	while (!objects->class_name && next_variable(objects, bytes, &next, &key, &value))
		if (ruby_objects_text(objects, value, text, sizeof(text)) &&
			strcmp(text, "Object") == 0)
			objects->class_name = key;
	next = 0;
	while (!objects->belongs_to && next_variable(objects, own, &next, &key, &value))
		if (value == object)
			objects->belongs_to = key;
}

bool ruby_objects_owner(
	const struct ruby_objects *objects, uint64_t address, char *out, size_t size)
{
	const struct ruby_layout *layout = objects->layout;
	unsigned char bytes[OBJECT_BYTES];
	uint64_t value;
	const char *mark = "#";
	if (!read_object(objects, address, bytes))
		return false;
	if (type_of(bytes) == TYPE_INCLUDED) {
		address = bytes_u64(bytes, CLASS_AT);
		if (!read_object(objects, address, bytes))
			return false;
	}
	if (type_of(bytes) == TYPE_CLASS && bytes_u64(bytes, 0) & SINGLETON) {
		mark = ".";
		if (!find_variable(objects, address, bytes, layout->attached,
			    objects->belongs_to, &address) ||
			!read_object(objects, address, bytes))
			return false;
	}
	if ((type_of(bytes) != TYPE_CLASS && type_of(bytes) != TYPE_MODULE) ||
		!find_variable(objects, address, bytes, layout->class_path,
			objects->class_name, &value) ||
		!ruby_objects_text(objects, value, out, size - 1))
		return false;
	strcat(out, mark);
	return true;
}
