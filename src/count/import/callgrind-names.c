/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/callgrind-names.h"

#include "src/count/import/recording.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const char *interned)
{
	return (uint64_t)(uintptr_t)interned;
}

static const char *text_of(
	struct callgrind_names *names, enum callgrind_kind kind, const char *text)
{
	if (kind != CALLGRIND_FUNCTION && strcmp(text, "???") == 0)
		text = "";
	return recording_text(names->recording, text, strlen(text));
}

const char *callgrind_name(
	struct callgrind_names *names, enum callgrind_kind kind, const char *text)
{
	char *end;
	while (*text == ' ' || *text == '\t')
		text++;
	if (*text != '(')
		return text_of(names, kind, text);
	uint64_t number = strtoull(text + 1, &end, 10);
	if (end == text + 1 || *end != ')') /* "(below main)" */
		return text_of(names, kind, text);
	uint32_t *known = idmap_get(&names->numbers, kind, number);
	for (end++; *end == ' ' || *end == '\t';)
		end++;
	if (!*end)
		return known ? names->texts.data[*known] : NULL;
	idmap_put(&names->numbers, kind, number, (uint32_t)names->texts.len);
	vec_push(&names->texts, text_of(names, kind, end));
	return names->texts.data[names->texts.len - 1];
}

uint32_t *callgrind_names_node(
	struct callgrind_names *names, const struct callgrind_place *place, bool *is_new)
{
	uint64_t name = key_of(place->function), file = key_of(place->declared);
	if (!idmap_get(&names->functions, name, file))
		idmap_put(&names->functions, name, file, (uint32_t)names->functions.len);
	uint32_t function = *idmap_get(&names->functions, name, file);
	*is_new = !idmap_get(&names->nodes, function, key_of(place->object));
	if (*is_new)
		idmap_put(&names->nodes, function, key_of(place->object), 0);
	return idmap_get(&names->nodes, function, key_of(place->object));
}

void callgrind_names_forget_nodes(struct callgrind_names *names)
{
	idmap_clear(&names->nodes);
}

uint32_t callgrind_names_location(
	struct callgrind_names *names, const struct callgrind_place *place, uint32_t line)
{
	const struct function function = {
		.name = place->function,
		.system_name = place->function,
		.module = profile_string(
			names->recording->profile, recording_module(place->object)),
		.file = line ? place->file : place->declared,
	};
	return recording_line_location(names->recording,
		recording_function(names->recording, &function), line, place->object);
}

size_t callgrind_names_bytes(const struct callgrind_names *names)
{
	size_t ids = names->numbers.cap + names->functions.cap + names->nodes.cap;
	return ids * sizeof(struct idmap_entry) +
	       names->texts.cap * sizeof(*names->texts.data);
}

void callgrind_names_finish(struct callgrind_names *names)
{
	idmap_finish(&names->numbers);
	idmap_finish(&names->functions);
	idmap_finish(&names->nodes);
	vec_free(&names->texts);
}
