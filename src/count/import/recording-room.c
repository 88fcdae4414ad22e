/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory a recording may take, and what stands for what it has no room for. */
#include "src/count/import/recording.h"

#include "src/base/id-index.h"

#include <limits.h>
#include <math.h>

enum {
	NO_TID = INT_MIN, /* no thread has it, nor one without a number */
	INDEX_BYTES = 8 * sizeof(uint32_t) / 3, /* of an entry of an id_index, at most */
	NODE_BYTES = sizeof(struct stack_node) + INDEX_BYTES,
	/* What two reports have of each, and what making one takes (calltree.c, report-build.c). */
	NODE_SHOWN = 2 * sizeof(struct report_node) + sizeof(struct weight) + 40,
	FUNCTION_SHOWN = 2 * sizeof(struct report_function) + 32,
	THREAD_SHOWN = 2 * sizeof(struct report_thread) + 64,
	ROW_SHOWN = 2 * sizeof(struct report_stack) + 4 * sizeof(struct idmap_entry),
};

static size_t bytes_of(const struct idmap *ids)
{
	return ids->cap * sizeof(*ids->entries);
}

/* What it keeps of what it is told, without what it finds that by. */
static size_t kept_bytes(const struct recording *recording)
{
	const struct origin *origin = recording->origin;
	size_t ids = bytes_of(&origin->location_flags) + bytes_of(&origin->columns) +
		     bytes_of(&origin->rows);
	size_t entries = origin->labels.cap * sizeof(*origin->labels.data) +
			 origin->of_thread.cap * sizeof(*origin->of_thread.data) +
			 origin->of_mapping.cap * sizeof(*origin->of_mapping.data) +
			 origin->values.cap * sizeof(*origin->values.data) +
			 origin->moments.cap * sizeof(*origin->moments.data) +
			 origin->moment_values.cap * sizeof(*origin->moment_values.data);
	return profile_bytes(recording->profile) + ids + entries +
	       (size_t)stacktab_nodes(recording->stacktab) * NODE_BYTES;
}

size_t recording_bytes(const struct recording *recording)
{
	return kept_bytes(recording) + bytes_of(&recording->pairs) +
	       bytes_of(&recording->functions) + bytes_of(&recording->kin) +
	       bytes_of(&recording->paths) + bytes_of(&recording->lines) +
	       bytes_of(&recording->names) + bytes_of(&recording->thread_names);
}

size_t recording_shown_bytes(const struct recording *recording)
{
	const struct profile *profile = recording->profile;
	size_t samples = recording->origin->moments.len;
	if (samples < recording->origin->rows.len)
		samples = recording->origin->rows.len;
	return kept_bytes(recording) +
	       (size_t)stacktab_nodes(recording->stacktab) * NODE_SHOWN +
	       profile->functions->len * FUNCTION_SHOWN +
	       profile->threads->len * THREAD_SHOWN + samples * sizeof(struct sample) +
	       recording->origin->rows.len * ROW_SHOWN;
}

/* Made when they are needed first, so that a recording with room for all has none of them. */
static void make_substitutes(struct recording *recording)
{
	struct profile *profile = recording->profile;
	const char *none = profile_string(profile, "");
	struct function function = {
		.name = profile_string(profile, RECORDING_LEFT_OUT),
		.system_name = profile_string(profile, RECORDING_LEFT_OUT),
		.module = none,
		.file = none,
		.kin = PROFILE_NONE,
		.is_synthetic = true,
	};
	struct recording_substitutes *substitutes = &recording->substitutes;
	substitutes->text = function.name;
	substitutes->function = profile_derive_function(profile, &function);
	const struct line line = {.function = substitutes->function};
	substitutes->location =
		profile_add_past_location(profile, PROFILE_NONE, 0, &line, 1);
	substitutes->stack = stacktab_intern(
		recording->stacktab, &substitutes->location, 1, UNWIND_ROOT);
	substitutes->thread = profile_add_thread(profile, NO_TID, substitutes->text);
	while (recording->origin->of_thread.len <= substitutes->thread)
		vec_push(&recording->origin->of_thread, (struct label_range){0});
}

bool recording_has_room(const struct recording *recording, size_t bytes)
{
	return !recording->is_full &&
	       recording_shown_bytes(recording) <= recording->most_bytes &&
	       recording->beside_bytes + recording_bytes(recording) + bytes <=
		       recording->most_read_bytes;
}

bool recording_is_full(struct recording *recording)
{
	if (recording->is_full || recording_has_room(recording, 0))
		return recording->is_full;
	recording->is_full = true;
	make_substitutes(recording);
	return true;
}

double recording_part_left_out(const struct recording *recording, uint32_t type)
{
	const struct origin *origin = recording->origin;
	double left_out = 0, all = 0;
	for (size_t i = 0; i < origin->rows.cap && recording->substitutes.stack; i++) {
		const struct idmap_entry *row = &origin->rows.entries[i];
		if (!row->used)
			continue;
		double value = (double)origin->values
				       .data[row->value * origin->types.len + type];
		all += fabs(value);
		if (row->b == recording->substitutes.stack)
			left_out += fabs(value);
	}
	return all > 0 ? left_out / all : 0;
}

bool recording_check(const struct recording *recording, struct error *err)
{
	const struct profile *profile = recording->profile;
	const struct {
		size_t count;
		const char *what;
	} tables[] = {
		{profile->locations->len, "locations"},
		{profile->functions->len, "functions"},
		{profile->threads->len, "threads or sets of labels"},
		{profile->mappings->len, "mappings"},
		{recording->origin->labels.len, "labels"},
		{recording->origin->rows.len, "samples"},
	};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].count > RECORDING_ENTRIES_MAX)
			return error_set(err, "more than %d million %s",
				RECORDING_ENTRIES_MAX >> 20, tables[i].what);
	return true;
}
