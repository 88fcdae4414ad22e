/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/import-pprof-tables.h"

#include "src/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pprof_file_finish(struct pprof_file *file)
{
	vec_free(&file->strings);
	vec_free(&file->functions);
	vec_free(&file->lines);
	vec_free(&file->columns);
	idmap_finish(&file->function_ids);
	idmap_finish(&file->mapping_ids);
	idmap_finish(&file->location_ids);
}

bool pprof_file_text(
	struct pprof_file *file, int64_t index, const char **text, struct error *err)
{
	if (index >= 0 && (uint64_t)index >= file->strings.len &&
		(uint64_t)index < file->n_strings) {
		*text = file->recording->substitutes.text;
		return true;
	}
	if (index < 0 || (uint64_t)index >= file->strings.len) {
		/* A file without a single string has no use for "", either. */
		if (index != 0)
			return error_set(err, "string %" PRId64 " of %zu", index,
				file->strings.len);
		*text = profile_string(file->recording->profile, "");
		return true;
	}
	struct pprof_text *string = &file->strings.data[index];
	if (!string->text)
		string->text = recording_text(
			file->recording, (const char *)string->bytes, string->length);
	*text = string->text;
	return true;
}

bool pprof_file_visit(struct pprof_file *file, enum pprof_field number, pprof_visit visit,
	struct error *err)
{
	struct wire rest = file->content;
	struct wire_field field;
	while (wire_next(&rest, &field)) {
		if (field.number != (uint32_t)number)
			continue;
		if (field.length > PPROF_MESSAGE_MAX && number != PPROF_STRING &&
			number != PPROF_TIMES)
			return error_set(err, "an entry of more than %d MiB",
				PPROF_MESSAGE_MAX >> 20);
		if (!visit(file, &field, err))
			return false;
	}
	if (rest.at == rest.end)
		return true;
	return error_set(err,
		"no field can be read at byte %zu of %zu (unpacked): the file is damaged "
		"or cut short, get it anew",
		(size_t)(rest.at - file->content.at),
		(size_t)(rest.end - file->content.at));
}

bool pprof_file_is_full(struct pprof_file *file)
{
	size_t ids =
		file->function_ids.cap + file->mapping_ids.cap + file->location_ids.cap;
	file->recording->beside_bytes =
		(size_t)(file->content.end - file->content.at) +
		file->strings.cap * sizeof(*file->strings.data) +
		file->functions.cap * sizeof(*file->functions.data) +
		ids * sizeof(struct idmap_entry);
	return recording_is_full(file->recording);
}

static bool damaged(struct error *err, const char *what, size_t number)
{
	return error_set(err, "%s %zu cannot be read: the file is damaged", what, number);
}

/* --- strings -------------------------------------------------------------------------- */

static bool visit_string(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	file->n_strings++;
	if (pprof_file_is_full(file))
		return true;
	if (field->type != WIRE_BYTES)
		return damaged(err, "string", file->strings.len);
	vec_push(&file->strings,
		(struct pprof_text){.bytes = field->bytes, .length = field->length});
	return true;
}

bool pprof_file_strings(struct pprof_file *file, struct error *err)
{
	return pprof_file_visit(file, PPROF_STRING, visit_string, err);
}

/* --- mappings ------------------------------------------------------------------------- */

static bool add_mapping(
	struct pprof_file *file, const PB(Mapping) * message, struct error *err)
{
	struct recording *recording = file->recording;
	struct mapping mapping = {
		.start = message->memory_start,
		.limit = message->memory_limit,
		.file_offset = message->file_offset,
		.is_main = recording->profile->mappings->len == 0,
	};
	const struct mapping_claims claims = {
		.has_functions = message->has_functions,
		.has_filenames = message->has_filenames,
		.has_line_numbers = message->has_line_numbers,
		.has_inline_frames = message->has_inline_frames,
	};
	if (!pprof_file_text(file, message->filename, &mapping.path, err) ||
		!pprof_file_text(file, message->build_id, &mapping.build_id, err))
		return error_prefix(err, "mapping %" PRIu64, message->id);
	mapping.module = recording_module(mapping.path);
	idmap_put(&file->mapping_ids, message->id, 0,
		recording_mapping(recording, &mapping, &claims));
	return recording_check(recording, err);
}

static bool visit_mapping(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	if (pprof_file_is_full(file))
		return true;
	PB(Mapping) *message =
		perftools__profiles__mapping__unpack(NULL, field->length, field->bytes);
	if (!message)
		return damaged(err, "mapping", file->mapping_ids.len + 1);
	bool done = add_mapping(file, message, err);
	perftools__profiles__mapping__free_unpacked(message, NULL);
	return done;
}

bool pprof_file_mappings(struct pprof_file *file, struct error *err)
{
	return pprof_file_visit(file, PPROF_MAPPING, visit_mapping, err);
}

/* --- functions ------------------------------------------------------------------------ */

static uint32_t to_line(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static bool add_function(
	struct pprof_file *file, const PB(Function) * message, struct error *err)
{
	struct pprof_function function = {.start_line = to_line(message->start_line)};
	if (!pprof_file_text(file, message->name, &function.name, err) ||
		!pprof_file_text(
			file, message->system_name, &function.system_name, err) ||
		!pprof_file_text(file, message->filename, &function.file, err))
		return error_prefix(err, "function %" PRIu64, message->id);
	idmap_put(&file->function_ids, message->id, 0, (uint32_t)file->functions.len);
	vec_push(&file->functions, function);
	return true;
}

static bool visit_function(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	if (pprof_file_is_full(file))
		return true;
	PB(Function) *message =
		perftools__profiles__function__unpack(NULL, field->length, field->bytes);
	if (!message)
		return damaged(err, "function", file->functions.len + 1);
	bool done = add_function(file, message, err);
	perftools__profiles__function__free_unpacked(message, NULL);
	return done;
}

bool pprof_file_functions(struct pprof_file *file, struct error *err)
{
	return pprof_file_visit(file, PPROF_FUNCTION, visit_function, err);
}

/* --- locations ------------------------------------------------------------------------ */

static bool add_line(struct pprof_file *file, const PB(Line) * message,
	const char *module, struct error *err)
{
	if (message->function_id == 0)
		return true; /* a line of no function: pprof has none, either */
	const uint32_t *place = idmap_get(&file->function_ids, message->function_id, 0);
	if (!place && file->recording->is_full) {
		vec_push(&file->lines,
			(struct line){.function = file->recording->substitutes.function});
		vec_push(&file->columns, 0);
		return true;
	}
	if (!place)
		return error_set(err,
			"refers to function %" PRIu64 ", which is not there",
			message->function_id);
	const struct pprof_function *source = &file->functions.data[*place];
	struct function function = {
		.name = source->name,
		.system_name = source->system_name,
		.module = module,
		.file = source->file,
		.start_line = source->start_line,
	};
	vec_push(&file->lines,
		(struct line){
			.function = recording_function(file->recording, &function),
			.line = to_line(message->line),
		});
	vec_push(&file->columns, to_line(message->column));
	return true;
}

/* Code without a name is called as pprof calls it: by the file that it lies in. */
static void add_placeholder(struct pprof_file *file, const char *module)
{
	struct recording *recording = file->recording;
	char *text = module[0] == '[' ? mem_strdup(module)
				      : mem_printf("[%s]", *module ? module : "unknown");
	const char *name = profile_string(recording->profile, text);
	struct function function = {
		.name = name,
		.system_name = name,
		.module = module,
		.file = profile_string(recording->profile, ""),
	};
	free(text);
	vec_push(&file->lines,
		(struct line){.function = recording_function(recording, &function)});
}

static bool add_location(
	struct pprof_file *file, const PB(Location) * message, struct error *err)
{
	struct recording *recording = file->recording;
	uint32_t mapping = PROFILE_NONE;
	const char *module = profile_string(recording->profile, "");
	unsigned flags = message->is_folded ? LOCATION_FOLDED : 0;

	if (message->mapping_id) {
		const uint32_t *known =
			idmap_get(&file->mapping_ids, message->mapping_id, 0);
		if (!known && !recording->is_full)
			return error_set(err,
				"refers to mapping %" PRIu64 ", which is not there",
				message->mapping_id);
		if (known) {
			mapping = *known;
			module = profile_mapping(recording->profile, mapping)->module;
		}
	}
	if (message->n_line > RECORDING_LINES_MAX)
		return error_set(err, "has more than %d lines", RECORDING_LINES_MAX);
	file->lines.len = file->columns.len = 0;
	for (size_t i = 0; i < message->n_line; i++)
		if (!add_line(file, message->line[i], module, err))
			return false;
	if (file->lines.len == 0) {
		flags |= LOCATION_NAMELESS;
		add_placeholder(file, module);
	}
	uint32_t id = profile_add_past_location(recording->profile, mapping,
		message->address, file->lines.data, (uint32_t)file->lines.len);
	idmap_put(&file->location_ids, message->id, 0, id);
	if (flags)
		idmap_put(&recording->origin->location_flags, id, 0, flags);
	for (size_t i = 0; i < file->columns.len; i++)
		if (file->columns.data[i])
			idmap_put(&recording->origin->columns, id, i,
				file->columns.data[i]);
	return recording_check(recording, err);
}

static bool visit_location(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	if (pprof_file_is_full(file))
		return true;
	PB(Location) *message =
		perftools__profiles__location__unpack(NULL, field->length, field->bytes);
	if (!message)
		return damaged(err, "location", file->location_ids.len + 1);
	bool done = add_location(file, message, err) ||
		    error_prefix(err, "location %" PRIu64, message->id);
	perftools__profiles__location__free_unpacked(message, NULL);
	return done;
}

bool pprof_file_locations(struct pprof_file *file, struct error *err)
{
	return pprof_file_visit(file, PPROF_LOCATION, visit_location, err);
}
