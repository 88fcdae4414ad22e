/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind's format (https://valgrind.org/docs/manual/cl-format.html), as callgrind writes
 * it, we do, and others that have a call graph: what lines cost, and what calls on them
 * cost with all below. src/count/import/call-graph.h makes stacks of that.
 *
 * Each event is a type of values; the first is the default, as in callgrind_annotate. A
 * part that says its thread is that thread.
 */
#include "src/base/input-file.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/import/call-graph.h"
#include "src/count/import/callgrind-events.h"
#include "src/count/import/callgrind-names.h"
#include "src/count/import/import-formats.h"
#include "src/count/import/recording.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMMENTS_MAX = 64,
	POSITIONS_MAX = 2 /* "instr line" */
};

struct callgrind_reader {
	struct recording *recording;
	struct call_graph graph;
	struct callgrind_names names;
	struct callgrind_place at, called; /* of the function at hand, and of a callee */
	bool in_body, in_function, has_callee, calls;
	uint32_t n_positions, line_column; /* N_POSITIONS: no column has lines */
	uint64_t positions[POSITIONS_MAX]; /* of the last line with costs */
	uint32_t node, callee;
	VEC(int64_t) costs;
	struct callgrind_events events;
	uint32_t thread;
};

/* Behind KEY at the begin of LINE; NULL if that does not begin so. */
static const char *behind(const char *line, const char *key)
{
	size_t length = strlen(key);
	return strncmp(line, key, length) == 0 ? line + length : NULL;
}

static const char *skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

static bool is_callgrind(const char *bytes, size_t length)
{
	static const char *const keys[] = {"# callgrind format",
		"version:", "creator:", "positions:", "events:", "event:"};
	(void)length;
	for (const char *line = bytes; *line;) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (behind(line, keys[i]))
				return true;
		size_t size = strcspn(line, "\n");
		if (size && line[0] != '#' && !behind(line, "cmd:") &&
			!behind(line, "pid:"))
			return false;
		line += size + (line[size] == '\n');
	}
	return false;
}

/* --- the head ------------------------------------------------------------------------- */

static bool read_positions(
	struct callgrind_reader *reader, const char *text, struct error *err)
{
	size_t length;
	reader->n_positions = 0;
	reader->line_column = POSITIONS_MAX;
	for (const char *word; word = callgrind_word(&text, &length), length;
		reader->n_positions++) {
		if (reader->n_positions == POSITIONS_MAX)
			return error_set(
				err, "names more than %d positions", POSITIONS_MAX);
		if (length == 4 && strncmp(word, "line", 4) == 0)
			reader->line_column = reader->n_positions;
	}
	return reader->n_positions > 0 || error_set(err, "names no position");
}

static bool flush(struct callgrind_reader *reader, struct error *err)
{
	reader->in_function = reader->has_callee = reader->calls = false;
	callgrind_names_forget_nodes(&reader->names);
	return call_graph_flush(&reader->graph, reader->recording, reader->thread, err);
}

static bool read_events(
	struct callgrind_reader *reader, const char *text, struct error *err)
{
	struct recording *recording = reader->recording;
	if (!flush(reader, err) || !callgrind_events_read(&reader->events, text, err))
		return false;
	if (!recording_types(
		    recording, reader->events.types.data, reader->events.types.len, err))
		return false;
	struct origin *origin = recording->origin;
	if (!origin->default_type[0])
		origin->default_type = reader->events.types.data[0].type;
	reader->graph.n_values = reader->events.types.len;
	vec_reserve(&reader->costs, reader->events.types.len);
	reader->in_body = true;
	memset(reader->positions, 0, sizeof(reader->positions));
	return true;
}

static bool read_thread(
	struct callgrind_reader *reader, const char *text, struct error *err)
{
	struct recording *recording = reader->recording;
	if (reader->in_body && !flush(reader, err))
		return false;
	size_t length;
	const char *number = callgrind_word(&text, &length);
	char *name = mem_printf("thread %.*s", (int)length, number);
	reader->thread = recording_thread(recording,
		recording_text(recording, name, strlen(name)), strtoll(number, NULL, 10));
	free(name);
	return true;
}

static const char *kept(struct callgrind_reader *reader, const char *text)
{
	text = skip_blanks(text);
	return recording_text(reader->recording, text, strlen(text));
}

/* What was run, of several files the first one; and how. */
static const char *read_facts(struct callgrind_reader *reader, const char *line)
{
	struct origin *origin = reader->recording->origin;
	const char *rest;
	if ((rest = behind(line, "cmd:"))) {
		if (!origin->command[0])
			origin->command = kept(reader, rest);
	} else if ((rest = behind(line, "pid:"))) {
		long long pid = strtoll(rest, NULL, 10);
		if (!origin->pid && pid > 0 && pid <= INT_MAX)
			origin->pid = pid;
	} else if ((rest = behind(line, "desc:"))) {
		if (origin->comments.len < COMMENTS_MAX)
			recording_comment(reader->recording, kept(reader, rest));
	}
	return rest;
}

/* A line of the head, which may stand between parts, too. *DONE is its verdict. */
static bool is_head(
	struct callgrind_reader *reader, const char *line, bool *done, struct error *err)
{
	static const char *const others[] = {
		"version:", "creator:", "part:", "rate:", "totals:", "summary:"};
	const char *rest;
	*done = true;
	if ((rest = behind(line, "events:")))
		*done = read_events(reader, rest, err);
	else if ((rest = behind(line, "positions:")))
		*done = read_positions(reader, rest, err);
	else if ((rest = behind(line, "event:")))
		callgrind_events_describe(&reader->events, rest);
	else if ((rest = behind(line, "thread:")))
		*done = read_thread(reader, rest, err);
	else if (!(rest = read_facts(reader, line)))
		for (size_t i = 0; !rest && i < sizeof(others) / sizeof(others[0]); i++)
			rest = behind(line, others[i]);
	return rest != NULL;
}

/* --- costs ---------------------------------------------------------------------------- */

static bool take_number(const char **text, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(
		*text, &end, (*text)[0] == '0' && ((*text)[1] | 0x20) == 'x' ? 16 : 10);
	*text = end;
	return !errno && (!*end || *end == ' ' || *end == '\t');
}

/* Positions may be told from those of the line before: "+3", "-7", "*". */
static bool take_position(const char **text, uint64_t last, uint64_t *position)
{
	const char *at = skip_blanks(*text);
	char sign = *at;
	uint64_t value = 0;
	if (sign == '*')
		at++;
	else if (sign == '+' || sign == '-')
		at++;
	if (sign != '*' && !take_number(&at, &value))
		return false;
	*text = at;
	*position = sign == '*'	  ? last
		    : sign == '+' ? last + value
		    : sign == '-' ? last - value
				  : value;
	return true;
}

/* Costs that are not there are 0. */
static bool take_costs(struct callgrind_reader *reader, const char *text)
{
	size_t n = reader->events.types.len;
	reader->costs.len = n;
	memset(reader->costs.data, 0, n * sizeof(int64_t));
	for (size_t i = 0; *(text = skip_blanks(text)); i++) {
		uint64_t value;
		if (i == n || !take_number(&text, &value) || value > INT64_MAX)
			return false;
		reader->costs.data[i] = (int64_t)value;
	}
	return true;
}

static bool read_costs(
	struct callgrind_reader *reader, const char *text, struct error *err)
{
	for (uint32_t i = 0; i < reader->n_positions; i++)
		if (!take_position(&text, reader->positions[i], &reader->positions[i]))
			return error_set(err, "has no position");
	if (!take_costs(reader, text))
		return error_set(err, "is no line of %zu costs at most, each a number",
			reader->events.types.len);
	if (!reader->in_function)
		return error_set(err, "is of no function");
	reader->recording->beside_bytes =
		call_graph_bytes(&reader->graph) + callgrind_names_bytes(&reader->names);
	uint64_t line = reader->line_column < reader->n_positions
				? reader->positions[reader->line_column]
				: 0;
	const struct call_site site = {
		.node = reader->node,
		.location = callgrind_names_location(&reader->names, &reader->at,
			line <= UINT32_MAX ? (uint32_t)line : 0),
		.callee = reader->calls ? reader->callee : PROFILE_NONE,
	};
	reader->calls = false;
	return recording_check(reader->recording, err) &&
	       call_graph_add(&reader->graph, &site, reader->costs.data, err);
}

/* --- names ---------------------------------------------------------------------------- */

static uint32_t node_of(
	struct callgrind_reader *reader, const struct callgrind_place *place)
{
	bool is_new;
	uint32_t *node = callgrind_names_node(&reader->names, place, &is_new);
	if (is_new)
		*node = call_graph_node(&reader->graph,
			callgrind_names_location(&reader->names, place, 0));
	return *node;
}

static void begin_function(struct callgrind_reader *reader)
{
	reader->at.declared = reader->at.file;
	reader->node = node_of(reader, &reader->at);
	reader->in_function = true;
	reader->calls = false;
}

/* What is not said of a callee is as it is here. */
static void begin_callee(struct callgrind_reader *reader)
{
	struct callgrind_place *called = &reader->called;
	if (!called->object)
		called->object = reader->at.object;
	if (!called->file)
		called->file = reader->at.file;
	called->declared = called->file;
	reader->callee = node_of(reader, called);
	called->object = called->file = NULL;
	reader->has_callee = true;
}

static bool read_name(
	struct callgrind_reader *reader, const char *line, bool *done, struct error *err)
{
	struct callgrind_place *at = &reader->at, *called = &reader->called;
	const char *skipped;
	const struct {
		const char *key;
		enum callgrind_kind kind;
		const char **place;
		void (*begin)(struct callgrind_reader *reader);
	} names[] = {
		{"fn=", CALLGRIND_FUNCTION, &at->function, begin_function},
		{"fl=", CALLGRIND_FILE, &at->file, NULL},
		{"fi=", CALLGRIND_FILE, &at->file, NULL},
		{"fe=", CALLGRIND_FILE, &at->file, NULL},
		{"ob=", CALLGRIND_OBJECT, &at->object, NULL},
		{"cfn=", CALLGRIND_FUNCTION, &called->function, begin_callee},
		{"cfi=", CALLGRIND_FILE, &called->file, NULL},
		{"cfl=", CALLGRIND_FILE, &called->file, NULL},
		{"cob=", CALLGRIND_OBJECT, &called->object, NULL},
		/* Jumps say nothing that is counted here, but may say names in full. */
		{"jfi=", CALLGRIND_FILE, &skipped, NULL},
		{"jfn=", CALLGRIND_FUNCTION, &skipped, NULL},
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = behind(line, names[i].key);
		if (!text)
			continue;
		*names[i].place = callgrind_name(&reader->names, names[i].kind, text);
		*done = *names[i].place ||
			error_set(err, "has a number that was given no name");
		if (*done && names[i].begin)
			names[i].begin(reader);
		return true;
	}
	return false;
}

static bool read_line(
	struct callgrind_reader *reader, const char *line, struct error *err)
{
	bool done = true;
	if (!*skip_blanks(line) || line[0] == '#' || is_head(reader, line, &done, err))
		return done;
	if (!reader->in_body)
		return error_set(err, "stands before the events are named ('events: ')");
	if (read_name(reader, line, &done, err))
		return done;
	if (behind(line, "calls=")) {
		if (!reader->has_callee)
			return error_set(err, "calls no function ('cfn=')");
		reader->calls = true;
		return true;
	}
	if (behind(line, "jump=") || behind(line, "jcnd="))
		return true;
	return read_costs(reader, line, err);
}

static bool read_lines(
	struct callgrind_reader *reader, struct input_file *input, struct error *err)
{
	char *line;
	size_t length;
	bool done;
	while ((done = input_file_line(input, &line, &length, err)) && line) {
		if (read_line(reader, line, err))
			continue;
		return error_prefix(err, "%s: line %" PRIu64, input_file_name(input),
			input_file_line_number(input));
	}
	if (!done)
		return false;
	if (!reader->in_body)
		return error_set(err, "%s: names no events: the file is cut short",
			input_file_name(input));
	return flush(reader, err) || error_prefix(err, "%s", input_file_name(input));
}

static bool read_callgrind(
	struct recording *recording, struct input_file *input, struct error *err)
{
	const char *none = profile_string(recording->profile, "");
	struct callgrind_reader reader = {
		.recording = recording,
		.names = {.recording = recording},
		.events = {.recording = recording},
		.at = {none, none, none, none},
		.n_positions = 1,
	};
	reader.thread = recording_thread(recording, none, 0);
	bool done = read_lines(&reader, input, err);
	recording->beside_bytes = 0;
	call_graph_finish(&reader.graph);
	callgrind_names_finish(&reader.names);
	vec_free(&reader.costs);
	callgrind_events_finish(&reader.events);
	return done;
}

const struct import_format import_callgrind = {
	.name = "callgrind",
	.is = is_callgrind,
	.read = read_callgrind,
};
