/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script`: for each sample a line that says who, when and which event,
 * then a line for each frame, leaf first, then an empty line. Without call chains the one
 * frame stands behind the event.
 *
 *	java 4711/4712 [001] 6512.345678:     250000 cpu-clock:pppH:
 *	            7f3a2c1d5e10 memcpy+0x20 (/usr/lib/libc.so.6)
 *
 * Values are samples, and the periods of the first event. Samples of other events have a
 * label that names theirs, and no period, which would be of another unit.
 */
#include "src/base/input-file.h"
#include "src/base/vec.h"

#include "src/count/import/import-formats.h"
#include "src/count/import/recording.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A part of a line. */
struct part {
	const char *text;
	size_t length;
};

struct header {
	struct part comm, event, frame; /* FRAME: what is behind the event */
	int64_t tid, period;
};

struct perf_reader {
	struct recording *recording;
	const char *event; /* the first one; NULL before the first sample */
	bool in_sample;
	uint32_t thread;
	int64_t values[2];
	VEC(uint32_t) locations;
	struct idmap by_event; /* (thread, event) -> thread, for events but the first */
};

static bool is_digits(struct part part)
{
	for (size_t i = 0; i < part.length; i++)
		if (!isdigit((unsigned char)part.text[i]))
			return false;
	return part.length > 0;
}

/* The next word of REST, which begins behind it then. */
static struct part take_word(struct part *rest)
{
	while (rest->length && isspace((unsigned char)*rest->text)) {
		rest->text++;
		rest->length--;
	}
	struct part word = {rest->text, 0};
	while (word.length < rest->length &&
		!isspace((unsigned char)word.text[word.length]))
		word.length++;
	rest->text += word.length;
	rest->length -= word.length;
	return word;
}

/* "6512.345678:" */
static bool is_time(struct part word)
{
	const char *point = memchr(word.text, '.', word.length);
	if (!point || word.length < 4 || word.text[word.length - 1] != ':')
		return false;
	size_t whole = (size_t)(point - word.text);
	return is_digits((struct part){word.text, whole}) &&
	       is_digits((struct part){point + 1, word.length - whole - 2});
}

/* "4711/4712", or the thread alone. */
static bool take_ids(struct part word, int64_t *tid)
{
	const char *slash = memchr(word.text, '/', word.length);
	struct part last = word;
	if (slash) {
		if (!is_digits((struct part){word.text, (size_t)(slash - word.text)}))
			return false;
		last.text = slash + 1;
		last.length = word.length - (size_t)(last.text - word.text);
	}
	*tid = strtoll(last.text, NULL, 10);
	return is_digits(last);
}

/* A comm may have blanks, and even numbers, in it: what stands before the time says where
   it ends. */
static bool parse_header(const char *line, size_t length, struct header *header)
{
	struct part rest = {line, length}, word, before = {0}, ids = {0};
	if (length == 0 || isspace((unsigned char)line[0]))
		return false;
	for (word = take_word(&rest); word.length && !is_time(word);
		word = take_word(&rest)) {
		bool is_cpu = word.text[0] == '[' && word.text[word.length - 1] == ']' &&
			      is_digits((struct part){word.text + 1, word.length - 2});
		before = is_cpu ? before : word;
	}
	ids = before;
	if (!word.length || !ids.length || ids.text == line ||
		!take_ids(ids, &header->tid))
		return false;
	header->comm = (struct part){line, (size_t)(ids.text - line)};
	while (header->comm.length &&
		isspace((unsigned char)header->comm.text[header->comm.length - 1]))
		header->comm.length--;
	word = take_word(&rest);
	header->period = 1;
	if (is_digits(word)) {
		header->period = strtoll(word.text, NULL, 10);
		word = take_word(&rest);
	}
	if (word.length < 2 || word.text[word.length - 1] != ':')
		return false;
	header->event = (struct part){word.text, word.length - 1};
	header->frame = rest;
	return true;
}

/* "7f3a2c1d5e10 name+0x20 (/usr/lib/libc.so.6)": both the name and the module may have
   blanks and brackets; the module begins behind the last " (". */
static bool parse_frame(struct part rest, struct part *name, struct part *module)
{
	struct part address = take_word(&rest);
	for (size_t i = 0; i < address.length; i++)
		if (!isxdigit((unsigned char)address.text[i]))
			return false;
	while (rest.length && isspace((unsigned char)rest.text[rest.length - 1]))
		rest.length--;
	if (!address.length || rest.length < 4 || rest.text[rest.length - 1] != ')')
		return false;
	size_t open = rest.length;
	while (open > 1 && !(rest.text[open - 1] == '(' && rest.text[open - 2] == ' '))
		open--;
	if (open <= 1)
		return false;
	*module = (struct part){rest.text + open, rest.length - open - 1};
	size_t first = 1, end = open - 2; /* the blank before the name, and that behind */
	*name = (struct part){rest.text + first, end > first ? end - first : 0};
	for (size_t i = name->length; i-- > 3;) {
		if (name->text[i - 2] != '+' || name->text[i - 1] != '0' ||
			name->text[i] != 'x')
			continue;
		name->length = i - 2;
		break;
	}
	return true;
}

static bool is_perf(const char *bytes, size_t length)
{
	(void)length;
	for (const char *line = bytes; *line;) {
		size_t size = strcspn(line, "\n");
		struct header header;
		if (size && line[0] != '#')
			return parse_header(line, size, &header);
		line += size + (line[size] == '\n');
	}
	return false;
}

/* --- samples -------------------------------------------------------------------------- */

static bool set_types(struct perf_reader *reader, struct part event, struct error *err)
{
	struct recording *recording = reader->recording;
	struct profile *profile = recording->profile;
	struct value_type types[2] = {
		{profile_string(profile, "samples"), profile_string(profile, "count")}};

	reader->event = recording_text(recording, event.text, event.length);
	bool is_clock = strncmp(reader->event, "cpu-clock", 9) == 0 ||
			strncmp(reader->event, "task-clock", 10) == 0;
	types[1].type = is_clock ? profile_string(profile, "cpu") : reader->event;
	types[1].unit = profile_string(profile, is_clock ? "nanoseconds" : "count");
	return recording_types(recording, types, 2, err);
}

static uint32_t thread_of(
	struct perf_reader *reader, const char *comm, int64_t tid, const char *event)
{
	struct recording *recording = reader->recording;
	if (event == reader->event)
		return recording_thread(recording, comm, tid);
	uint32_t plain = recording_thread(recording, comm, tid);
	uint32_t *known = idmap_get(&reader->by_event, plain, (uint64_t)(uintptr_t)event);
	if (known)
		return *known;
	struct profile *profile = recording->profile;
	const char *none = profile_string(profile, "");
	const struct label labels[] = {
		{profile_string(profile, "thread"), comm, none, 0},
		{profile_string(profile, "tid"), none, none, tid},
		{profile_string(profile, "event"), event, none, 0},
	};
	uint32_t id = recording_labelled_thread(recording, comm, tid, labels, 3);
	idmap_put(&reader->by_event, plain, (uint64_t)(uintptr_t)event, id);
	return id;
}

/* What perf has no name for is called after the file it is in, as pprof does it. */
static uint32_t location_of(
	struct recording *recording, struct part name, struct part file)
{
	if (file.length == 7 && memcmp(file.text, "inlined", 7) == 0)
		file.length = 0;
	const char *path = recording_text(recording, file.text, file.length);
	const char *text = recording_text(recording, name.text, name.length);
	if (strcmp(text, "[unknown]") == 0 && *path && *path != '[') {
		char *label = mem_printf("[%s]", recording_module(path));
		text = profile_string(recording->profile, label);
		free(label);
	}
	return recording_named_location(recording, text, path);
}

static void add_frame(struct perf_reader *reader, struct part name, struct part file)
{
	vec_push(&reader->locations, location_of(reader->recording, name, file));
}

static bool end_sample(struct perf_reader *reader, struct error *err)
{
	if (!reader->in_sample)
		return true;
	reader->in_sample = false;
	return recording_add(reader->recording, reader->thread, reader->locations.data,
		reader->locations.len, reader->values, err);
}

static bool begin_sample(
	struct perf_reader *reader, const struct header *header, struct error *err)
{
	struct recording *recording = reader->recording;
	struct part name, module;
	if (!reader->event && !set_types(reader, header->event, err))
		return false;
	const char *comm =
		recording_text(recording, header->comm.text, header->comm.length);
	const char *event =
		recording_text(recording, header->event.text, header->event.length);
	reader->thread = thread_of(reader, comm, header->tid, event);
	reader->values[0] = 1;
	reader->values[1] = event == reader->event ? header->period : 0;
	reader->locations.len = 0;
	reader->in_sample = true;
	if (parse_frame(header->frame, &name, &module))
		add_frame(reader, name, module);
	return true;
}

static bool read_line(
	struct perf_reader *reader, const char *line, size_t length, struct error *err)
{
	struct header header;
	struct part name, module;

	if (length == 0)
		return end_sample(reader, err);
	if (line[0] == '#')
		return true;
	if (!isspace((unsigned char)line[0])) {
		if (!end_sample(reader, err))
			return false;
		return parse_header(line, length, &header)
			       ? begin_sample(reader, &header, err)
			       : error_set(err,
					 "does not begin a sample, as 'comm tid time: "
					 "event:' does");
	}
	if (!reader->in_sample)
		return error_set(err, "is a frame of no sample");
	if (!parse_frame((struct part){line, length}, &name, &module))
		return error_set(err, "is no frame, as 'address name (file)' is");
	if (reader->locations.len > RECORDING_STACK_MAX)
		return true; /* recording_add says so */
	add_frame(reader, name, module);
	return true;
}

static bool read_perf(
	struct recording *recording, struct input_file *input, struct error *err)
{
	struct perf_reader reader = {.recording = recording};
	char *line;
	size_t length;
	bool done;

	while ((done = input_file_line(input, &line, &length, err)) && line) {
		done = read_line(&reader, line, length, err);
		if (done)
			continue;
		error_prefix(err, "%s: line %" PRIu64, input_file_name(input),
			input_file_line_number(input));
		break;
	}
	if (done && !end_sample(&reader, err))
		done = error_prefix(err, "%s: line %" PRIu64, input_file_name(input),
			input_file_line_number(input));
	idmap_finish(&reader.by_event);
	vec_free(&reader.locations);
	return done;
}

const struct import_format import_perf = {
	.name = "perf script",
	.is = is_perf,
	.read = read_perf,
};
