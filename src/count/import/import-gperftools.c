/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the CPU profiler of gperftools writes
 * (https://gperftools.github.io/gperftools/cpuprofile-fileformat.html): words of 64 bits, low byte
 * first. A header; for each stack how often it was met, its depth and its addresses, leaf first; a
 * trailer, which is such a stack that was met never; and the text of /proc/PID/maps.
 *
 * It has no names. A function is the code at one address, called after its place in its file; written
 * as pprof such code has no name, so that its readers look for one.
 */
#include "src/base/input-file.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/import/import-formats.h"
#include "src/process/maps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FILE_MAX = 128 << 20,
	WORD = 8,
	HEADER_WORDS = 5, /* 0, how many follow, version 0, microseconds, 0 */
	US_NS = 1000,
};

struct gperftools {
	struct recording *recording;
	const char *bytes;
	size_t n_words, at; /* AT: the next one */
	VEC(uint32_t) mappings;
	VEC(uint32_t) stack;	/* leaf first */
	struct idmap locations; /* (address, 0) -> location */
	int64_t period_ns;
	uint32_t thread;
};

static uint64_t word_of(const char *bytes, size_t index)
{
	uint64_t word = 0;
	for (int i = WORD; i-- > 0;)
		word = word << 8 | (unsigned char)bytes[index * WORD + (size_t)i];
	return word;
}

static bool is_gperftools(const char *bytes, size_t length)
{
	return length >= HEADER_WORDS * WORD && word_of(bytes, 0) == 0 &&
	       word_of(bytes, 1) >= HEADER_WORDS - 2 && word_of(bytes, 1) < INPUT_PEEK &&
	       word_of(bytes, 2) == 0;
}

/* --- code ----------------------------------------------------------------------------- */

static void read_maps(struct gperftools *file, const char *text, const char *end)
{
	struct maps_line line;
	while (maps_next(&text, end, &line)) {
		if (line.permissions[2] != 'x' || recording_is_full(file->recording))
			continue;
		const char *path =
			recording_text(file->recording, line.path, line.path_length);
		const struct mapping mapping = {
			.start = line.start,
			.limit = line.limit,
			.file_offset = line.offset,
			.path = path,
			.module = recording_module(path),
			.build_id = "",
			.is_main = file->mappings.len == 0,
		};
		vec_push(&file->mappings,
			recording_mapping(file->recording, &mapping, NULL));
	}
}

/* PROFILE_NONE: it is in none. */
static uint32_t mapping_of(const struct gperftools *file, uint64_t address)
{
	const struct profile *profile = file->recording->profile;
	vec_each (&file->mappings, id) {
		const struct mapping *mapping = profile_mapping(profile, *id);
		if (address >= mapping->start && address < mapping->limit)
			return *id;
	}
	return PROFILE_NONE;
}

static uint32_t make_location(struct gperftools *file, uint64_t address)
{
	struct recording *recording = file->recording;
	const char *none = profile_string(recording->profile, "");
	uint32_t id = mapping_of(file, address);
	struct function function = {.module = none, .file = none};
	char *name;
	if (id == PROFILE_NONE) {
		name = mem_printf("[unknown+0x%" PRIx64 "]", address);
	} else {
		const struct mapping *in = profile_mapping(recording->profile, id);
		function.module = in->module;
		name = mem_printf("[%s+0x%" PRIx64 "]", in->module,
			address - in->start + in->file_offset);
	}
	function.name = function.system_name = profile_string(recording->profile, name);
	free(name);
	const struct line line = {.function = recording_function(recording, &function)};
	uint32_t location =
		profile_add_past_location(recording->profile, id, address, &line, 1);
	idmap_put(&recording->origin->location_flags, location, 0, LOCATION_NAMELESS);
	return location;
}

static uint32_t location_of(struct gperftools *file, uint64_t address)
{
	const uint32_t *known = idmap_get(&file->locations, address, 0);
	if (known)
		return *known;
	if (recording_is_full(file->recording))
		return file->recording->substitutes.location;
	uint32_t location = make_location(file, address);
	idmap_put(&file->locations, address, 0, location);
	return location;
}

/* --- samples -------------------------------------------------------------------------- */

/* Of callers the addresses are those that they return to. The handler can find the leaf twice: by
   the signal, and by the stack. */
static bool read_stack(
	struct gperftools *file, uint64_t count, uint64_t depth, struct error *err)
{
	if (count > INT64_MAX / 4 / (uint64_t)file->period_ns)
		return error_set(err, "a stack that was met too often");
	if (depth > RECORDING_STACK_MAX)
		return error_set(
			err, "a stack of more than %d frames", RECORDING_STACK_MAX);
	file->stack.len = 0;
	for (size_t i = 0; i < depth; i++) {
		uint64_t address = word_of(file->bytes, file->at + i);
		if (i == 1 && address == word_of(file->bytes, file->at))
			continue;
		vec_push(&file->stack, location_of(file, address - (i > 0)));
	}
	file->at += depth;
	const int64_t values[] = {(int64_t)count, (int64_t)count * file->period_ns};
	return recording_add(file->recording, file->thread, file->stack.data,
		file->stack.len, values, err);
}

/* The next stack, whose addresses are at file->at then. A count of 0 is that of the trailer. */
static bool next_stack(
	struct gperftools *file, uint64_t *count, uint64_t *depth, struct error *err)
{
	if (file->at + 2 < file->n_words) {
		*count = word_of(file->bytes, file->at);
		*depth = word_of(file->bytes, file->at + 1);
		file->at += 2;
		if (*depth > 0 && *depth <= file->n_words - file->at)
			return true;
	}
	return error_set(err, "has no end: it was cut short, or the program did not call "
			      "ProfilerStop");
}

/* The maps lie behind the stacks, which need them. */
static bool find_maps(struct gperftools *file, size_t size, struct error *err)
{
	uint64_t count, depth;
	do {
		if (!next_stack(file, &count, &depth, err))
			return false;
		file->at += depth;
	} while (count);
	read_maps(file, file->bytes + file->at * WORD, file->bytes + size);
	return true;
}

static bool read_words(struct gperftools *file, size_t size, struct error *err)
{
	struct recording *recording = file->recording;
	struct profile *strings = recording->profile;
	const struct value_type types[] = {
		{profile_string(strings, "samples"), profile_string(strings, "count")},
		{profile_string(strings, "cpu"), profile_string(strings, "nanoseconds")}};
	uint64_t period_us = word_of(file->bytes, 3), count = 1, depth;
	size_t first = 2 + (size_t)word_of(file->bytes, 1);
	if (period_us == 0 || period_us > INT32_MAX)
		return error_set(err, "its period is none");
	file->at = first;
	if (!recording_types(recording, types, 2, err) || !find_maps(file, size, err))
		return false;
	recording->origin->has_period_type = true;
	recording->origin->period_type = types[1];
	recording->origin->period = file->period_ns = (int64_t)period_us * US_NS;
	file->thread = recording_thread(recording, profile_string(strings, ""), 0);
	file->at = first;
	while (next_stack(file, &count, &depth, err) && count) {
		size_t place = file->at;
		if (!read_stack(file, count, depth, err))
			return error_prefix(err, "byte %zu", place * WORD);
	}
	return true;
}

static bool read_gperftools(
	struct recording *recording, struct input_file *input, struct error *err)
{
	char *bytes;
	size_t size;
	if (!input_file_rest(input, FILE_MAX, &bytes, &size, err))
		return false;
	struct gperftools file = {
		.recording = recording,
		.bytes = bytes,
		.n_words = size / WORD,
	};
	recording->beside_bytes = size;
	bool done = read_words(&file, size, err) ||
		    error_prefix(err, "%s", input_file_name(input));
	recording->beside_bytes = 0;
	vec_free(&file.mappings);
	vec_free(&file.stack);
	idmap_finish(&file.locations);
	free(bytes);
	return done;
}

const struct import_format import_gperftools = {
	.name = "gperftools",
	.is = is_gperftools,
	.read = read_gperftools,
};
