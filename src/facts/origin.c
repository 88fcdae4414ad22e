/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/origin.h"

#include "src/base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum value_kind value_kind(const struct value_type *type, uint64_t *scale)
{
	static const struct {
		const char *unit;
		enum value_kind kind;
		uint64_t scale;
	} units[] = {
		{"nanoseconds", VALUE_TIME, 1},
		{"nanosecond", VALUE_TIME, 1},
		{"ns", VALUE_TIME, 1},
		{"microseconds", VALUE_TIME, 1000},
		{"us", VALUE_TIME, 1000},
		{"milliseconds", VALUE_TIME, 1000000},
		{"ms", VALUE_TIME, 1000000},
		{"seconds", VALUE_TIME, 1000000000},
		{"s", VALUE_TIME, 1000000000},
		{"bytes", VALUE_BYTES, 1},
		{"byte", VALUE_BYTES, 1},
		{"kilobytes", VALUE_BYTES, 1 << 10},
		{"megabytes", VALUE_BYTES, 1 << 20},
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].unit, type->unit) != 0)
			continue;
		*scale = units[i].scale;
		return units[i].kind;
	}
	*scale = 1;
	return VALUE_COUNT;
}

struct origin *origin_create(void)
{
	struct origin *origin = mem_zalloc(sizeof(*origin));
	origin->references = 1;
	origin->default_type = origin->drop_frames = origin->keep_frames = "";
	origin->doc_url = "";
	origin->title = origin->command = "";
	return origin;
}

struct origin *origin_ref(const struct origin *origin)
{
	struct origin *counted = (struct origin *)origin;
	if (counted)
		atomic_fetch_add(&counted->references, 1);
	return counted;
}

void origin_unref(const struct origin *origin)
{
	struct origin *counted = (struct origin *)origin;
	if (!counted || atomic_fetch_sub(&counted->references, 1) != 1)
		return;
	vec_free(&counted->types);
	vec_free(&counted->comments);
	vec_free(&counted->labels);
	vec_free(&counted->of_thread);
	vec_free(&counted->of_mapping);
	vec_free(&counted->values);
	vec_free(&counted->moments);
	vec_free(&counted->moment_values);
	idmap_finish(&counted->location_flags);
	idmap_finish(&counted->columns);
	idmap_finish(&counted->rows);
	free(counted);
}

uint32_t origin_row(const struct origin *origin, uint32_t thread, uint32_t stack)
{
	const uint32_t *row = idmap_get(&origin->rows, thread, stack);
	assert(row);
	return *row;
}

const int64_t *origin_values(
	const struct origin *origin, const int64_t *part, uint32_t thread, uint32_t stack)
{
	return (part ? part : origin->values.data) +
	       (size_t)origin_row(origin, thread, stack) * origin->types.len;
}

int64_t *origin_part(const struct origin *origin, uint64_t from_ns, uint64_t to_ns)
{
	const struct origin_moment *moments = origin->moments.data;
	size_t n = origin->moments.len, n_types = origin->types.len;
	if (!n || (moments[0].time_ns >= from_ns && moments[n - 1].time_ns < to_ns))
		return NULL;
	int64_t *sums = mem_zalloc((origin->values.len + 1) * sizeof(*sums));
	for (size_t i = 0; i < n; i++) {
		if (moments[i].time_ns < from_ns || moments[i].time_ns >= to_ns)
			continue;
		for (size_t type = 0; type < n_types; type++)
			sums[moments[i].row * n_types + type] +=
				origin->moment_values
					.data[moments[i].place * n_types + type];
	}
	return sums;
}

unsigned origin_location_flags(const struct origin *origin, uint32_t location)
{
	const uint32_t *flags =
		origin ? idmap_get(&origin->location_flags, location, 0) : NULL;
	return flags ? *flags : 0;
}

uint32_t origin_column(const struct origin *origin, uint32_t location, uint32_t index)
{
	const uint32_t *column = idmap_get(&origin->columns, location, index);
	return column ? *column : 0;
}

static void copy_ids(struct idmap *to, const struct idmap *from)
{
	for (size_t i = 0; i < from->cap; i++)
		if (from->entries[i].used)
			idmap_put(to, from->entries[i].a, from->entries[i].b,
				from->entries[i].value);
}

struct origin *origin_copy_facts(const struct origin *origin)
{
	struct origin *copy = origin_create();
	vec_each (&origin->types, type)
		vec_push(&copy->types, *type);
	copy->default_type = origin->default_type;
	copy->period_type = origin->period_type;
	copy->has_period_type = origin->has_period_type;
	copy->period = origin->period;
	copy->time_ns = origin->time_ns;
	copy->duration_ns = origin->duration_ns;
	copy->drop_frames = origin->drop_frames;
	copy->keep_frames = origin->keep_frames;
	copy->doc_url = origin->doc_url;
	copy->title = origin->title;
	copy->command = origin->command;
	copy->pid = origin->pid;
	vec_each (&origin->comments, comment)
		vec_push(&copy->comments, *comment);
	vec_each (&origin->labels, label)
		vec_push(&copy->labels, *label);
	vec_each (&origin->of_thread, range)
		vec_push(&copy->of_thread, *range);
	vec_each (&origin->of_mapping, claims)
		vec_push(&copy->of_mapping, *claims);
	copy_ids(&copy->location_flags, &origin->location_flags);
	copy_ids(&copy->columns, &origin->columns);
	return copy;
}

bool origin_find_type(const struct origin *origin, const char *type, uint32_t *found)
{
	for (uint32_t i = 0; i < origin->types.len; i++)
		if (strcmp(origin->types.data[i].type, type) == 0) {
			*found = i;
			return true;
		}
	return false;
}

unsigned origin_frequency_hz(const struct origin *origin)
{
	uint64_t scale;
	if (!origin->has_period_type || origin->period <= 0 ||
		value_kind(&origin->period_type, &scale) != VALUE_TIME)
		return 0;
	double period_ns = (double)origin->period * (double)scale;
	return (unsigned)(1e9 / period_ns + 0.5); /* the period was rounded */
}

const struct label *origin_label(
	const struct origin *origin, uint32_t thread, const char *key)
{
	if (!origin)
		return NULL;
	struct label_range range = origin->of_thread.data[thread];
	for (uint32_t i = range.first; i < range.first + range.count; i++)
		if (strcmp(origin->labels.data[i].key, key) == 0)
			return &origin->labels.data[i];
	return NULL;
}

bool origin_label_names_thread(const struct label *label)
{
	static const char *const names[] = {
		"thread", "thread_comm", "thread_name", "comm"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (label->text[0] && strcmp(label->key, names[i]) == 0)
			return true;
	return false;
}

void origin_add_values(
	struct origin *origin, uint32_t thread, uint32_t stack, const int64_t *values)
{
	size_t n = origin->types.len;
	uint32_t *known = idmap_get(&origin->rows, thread, stack);
	uint32_t row = known ? *known : (uint32_t)origin->rows.len;
	if (!known)
		idmap_put(&origin->rows, thread, stack, row);
	for (size_t i = 0; i < n; i++)
		if (known)
			origin->values.data[row * n + i] += values[i];
		else
			vec_push(&origin->values, values[i]);
}
