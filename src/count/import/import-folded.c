/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: "outermost;...;leaf NUMBER", as flamegraph.pl reads them. Frames stay as
 * they are, with the "_[j]", "_[k]", "_[i]" that some tools put behind them and the thread
 * or program that some put first, so that they can be written again as they were.
 */
#include "src/base/input-file.h"
#include "src/base/vec.h"
#include "src/count/import/import-formats.h"
#include "src/count/import/import.h"
#include "src/count/import/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct folded {
	struct recording *recording;
	VEC(uint32_t) locations; /* of the line at hand, outermost first */
	VEC(uint32_t) stack;	 /* leaf first */
	const char *no_module;
	uint32_t thread;
};

/* The end of a line: a blank and a number. Tools that weigh time write fractions, which
   are rounded. False if there is none. *STACK is the length of what is before it. */
static bool take_number(const char *line, size_t length, size_t *stack, int64_t *number)
{
	size_t end = length;
	while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	size_t at = end, point = end;
	while (at > 0 && ((line[at - 1] >= '0' && line[at - 1] <= '9') ||
				 (line[at - 1] == '.' && point == end))) {
		at--;
		if (line[at] == '.')
			point = at;
	}
	if (at == end || at == 0 || line[at] == '.' ||
		(line[at - 1] != ' ' && line[at - 1] != '\t'))
		return false;
	errno = 0;
	intmax_t whole = strtoimax(line + at, NULL, 10);
	if (errno || whole == INT64_MAX)
		return false;
	if (point + 1 < end && line[point + 1] >= '5')
		whole++;
	*number = whole;
	while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t'))
		at--;
	*stack = at;
	return true;
}

static bool is_text(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)bytes[i] < ' ' && !strchr("\t\n\r", bytes[i]))
			return false;
	return true;
}

static bool is_skipped(const char *line, size_t length)
{
	return length == 0 || (line[0] == '#' && (length == 1 || line[1] == ' '));
}

static bool is_folded(const char *bytes, size_t length)
{
	if (!is_text(bytes, length))
		return false;
	for (const char *line = bytes; *line;) {
		const char *end = strchr(line, '\n');
		size_t size = end ? (size_t)(end - line) : strlen(line), stack;
		int64_t number;
		if (size && line[size - 1] == '\r')
			size--;
		if (!is_skipped(line, size))
			/* A first line so long that its end is not here has frames. */
			return take_number(line, size, &stack, &number) ||
			       (!end && strchr(line, ';'));
		line = end ? end + 1 : line + strlen(line);
	}
	return false;
}

static bool read_line(
	struct folded *folded, const char *line, size_t length, struct error *err)
{
	struct recording *recording = folded->recording;
	int64_t number;
	size_t size;

	if (!take_number(line, length, &size, &number))
		return error_set(
			err, "is no folded stack: it must end with a blank and a number");
	folded->locations.len = folded->stack.len = 0;
	for (const char *frame = line, *end = line + size; frame <= end;) {
		const char *next = memchr(frame, ';', (size_t)(end - frame));
		size_t n = (size_t)((next ? next : end) - frame);
		if (n)
			vec_push(&folded->locations,
				recording_named_location(recording,
					recording_text(recording, frame, n),
					folded->no_module));
		frame += n + 1;
		if (folded->locations.len > RECORDING_STACK_MAX)
			break; /* recording_add says so */
	}
	for (size_t i = folded->locations.len; i-- > 0;)
		vec_push(&folded->stack, folded->locations.data[i]);
	return recording_add(recording, folded->thread, folded->stack.data,
		folded->stack.len, &number, err);
}

static bool read_folded(
	struct recording *recording, struct input_file *input, struct error *err)
{
	const struct value_type type = {
		profile_string(recording->profile, "samples"),
		profile_string(recording->profile, "count"),
	};
	struct folded folded = {
		.recording = recording,
		.no_module = profile_string(recording->profile, ""),
	};
	char *line;
	size_t length;

	if (!recording_types(recording, &type, 1, err))
		return error_prefix(err, "%s", input_file_name(input));
	folded.thread = recording_thread(recording, folded.no_module, 0);
	bool done;
	while ((done = input_file_line(input, &line, &length, err)) && line) {
		if (is_skipped(line, length) || read_line(&folded, line, length, err))
			continue;
		done = error_prefix(err, "%s: line %" PRIu64, input_file_name(input),
			input_file_line_number(input));
		break;
	}
	vec_free(&folded.locations);
	vec_free(&folded.stack);
	return done;
}

const struct import_format import_folded = {
	.name = IMPORT_FOLDED,
	.is = is_folded,
	.read = read_folded,
};
