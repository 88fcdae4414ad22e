/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processed format of the Firefox Profiler, for https://profiler.firefox.com, in version
 * 60 (the type Profile of https://github.com/firefox-devtools/profiler): the first one
 * whose threads share their tables. Later ones convert it.
 *
 * If it is known when the samples were taken, each is one there. Else a thread has each of
 * its stacks once, one after the other, each for as long as it weighs. Weights are
 * milliseconds where ours are times.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/facts/text/json-text.h"
#include "src/write/caption.h"
#include "src/write/export.h"
#include "src/write/firefox-tables.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum {
	VERSION = 60,
	GECKO_VERSION = 24, /* of the format that the browser hands out; not used here */
};

#define LIBRARY "1" /* a type of resource */

struct firefox {
	struct firefox_tables tables;
	const struct export_facts *facts;
	FILE *out;
};

/* The rows of a table of ours. */
struct rows {
	const void *data;
	size_t n, size;
};

#define ROWS(vector)                                                \
	{                                                           \
		(vector).data, (vector).len, sizeof(*(vector).data) \
	}

static void end_column(FILE *out)
{
	fputs("],\n     ", out);
}

/* A column of a table: the number at OFFSET in each row; PROFILE_NONE: NONE. */
static void put_column(const struct firefox *firefox, const char *name,
	const struct rows *rows, size_t offset, const char *none)
{
	FILE *out = firefox->out;

	fprintf(out, "\"%s\": [", name);
	for (size_t i = 0; i < rows->n; i++) {
		uint32_t number;
		memcpy(&number, (const char *)rows->data + i * rows->size + offset,
			sizeof(number));
		fputs(i ? "," : "", out);
		if (number == PROFILE_NONE)
			fputs(none, out);
		else
			fprintf(out, "%" PRIu32, number);
	}
	end_column(out);
}

/* The same VALUE in all rows. */
static void put_same(const struct firefox *firefox, const char *name,
	const struct rows *rows, const char *value)
{
	FILE *out = firefox->out;

	fprintf(out, "\"%s\": [", name);
	for (size_t i = 0; i < rows->n; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	end_column(out);
}

static void end_table(const struct firefox *firefox, const struct rows *rows)
{
	fprintf(firefox->out, "\"length\": %zu},\n", rows->n);
}

static void write_stacks(const struct firefox *firefox)
{
	const struct rows nodes = ROWS(firefox->tables.nodes),
			  frames = ROWS(firefox->tables.frames);

	fputs("    \"stackTable\": {", firefox->out);
	put_column(
		firefox, "prefix", &nodes, offsetof(struct firefox_node, prefix), "null");
	put_column(
		firefox, "frame", &nodes, offsetof(struct firefox_node, frame), "null");
	end_table(firefox, &nodes);

	fputs("    \"frameTable\": {", firefox->out);
	put_same(firefox, "address", &frames, "-1");
	put_same(firefox, "inlineDepth", &frames, "0");
	put_column(firefox, "category", &frames, offsetof(struct firefox_frame, category),
		"null");
	put_same(firefox, "subcategory", &frames, "0");
	put_column(
		firefox, "func", &frames, offsetof(struct firefox_frame, func), "null");
	put_same(firefox, "nativeSymbol", &frames, "null");
	put_same(firefox, "innerWindowID", &frames, "0");
	put_column(
		firefox, "line", &frames, offsetof(struct firefox_frame, line), "null");
	put_same(firefox, "column", &frames, "null");
	end_table(firefox, &frames);
}

/* Each library is the resource of the same number. */
static void write_funcs(const struct firefox *firefox)
{
	const struct rows funcs = ROWS(firefox->tables.funcs),
			  libraries = ROWS(firefox->tables.libraries),
			  sources = ROWS(firefox->tables.sources);
	FILE *out = firefox->out;

	fputs("    \"funcTable\": {", out);
	put_column(firefox, "name", &funcs, offsetof(struct firefox_func, name), "null");
	put_same(firefox, "isJS", &funcs, "false");
	put_same(firefox, "relevantForJS", &funcs, "false");
	put_column(firefox, "resource", &funcs, offsetof(struct firefox_func, library),
		"-1");
	put_column(
		firefox, "source", &funcs, offsetof(struct firefox_func, source), "null");
	put_same(firefox, "lineNumber", &funcs, "null");
	put_same(firefox, "columnNumber", &funcs, "null");
	end_table(firefox, &funcs);

	fputs("    \"resourceTable\": {\"lib\": [", out);
	for (size_t i = 0; i < libraries.n; i++)
		fprintf(out, "%s%zu", i ? "," : "", i);
	end_column(out);
	put_column(firefox, "name", &libraries, offsetof(struct firefox_library, name),
		"null");
	put_same(firefox, "host", &libraries, "null");
	put_same(firefox, "type", &libraries, LIBRARY);
	end_table(firefox, &libraries);

	fputs("    \"sources\": {", out);
	put_same(firefox, "id", &sources, "null");
	put_column(firefox, "filename", &sources, 0, "null");
	end_table(firefox, &sources);
}

static void write_shared(const struct firefox *firefox)
{
	FILE *out = firefox->out;
	const char *separator = "";

	fputs("  \"shared\": {\n", out);
	write_stacks(firefox);
	write_funcs(firefox);
	fputs("    \"nativeSymbols\": {\"libIndex\": [], \"address\": [], \"name\": [], "
	      "\"functionSize\": [], \"length\": 0},\n",
		out);
	fputs("    \"stringArray\": [", out);
	vec_each (&firefox->tables.strings, text) {
		fputs(separator, out);
		json_text_put(*text, out);
		separator = ",\n     ";
	}
	fputs("]\n  },\n", out);
}

static void write_libraries(const struct firefox *firefox)
{
	const struct firefox_tables *tables = &firefox->tables;
	FILE *out = firefox->out;
	const char *separator = "";

	fputs("  \"libs\": [", out);
	vec_each (&tables->libraries, library) {
		const char *name = tables->strings.data[library->name], *path = name,
			   *build_id = "";
		if (library->mapping != PROFILE_NONE) {
			const struct mapping *mapping = profile_mapping(
				tables->report->profile, library->mapping);
			path = mapping->path;
			build_id = mapping->build_id;
		}
		fprintf(out, "%s\n    {", separator);
		json_text_put_pair("arch", "", ", ", out);
		json_text_put_pair("name", name, ", ", out);
		json_text_put_pair("path", path, ", ", out);
		json_text_put_pair("debugName", name, ", ", out);
		json_text_put_pair("debugPath", path, ", ", out);
		json_text_put_pair("breakpadId", "", ", ", out);
		fputs("\"codeId\": ", out);
		if (*build_id)
			json_text_put(build_id, out);
		else
			fputs("null", out);
		fputc('}', out);
		separator = ",";
	}
	fputs("\n  ],\n", out);
}

static void put_ms(uint64_t ns, FILE *out)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
}

static void put_value(const struct firefox *firefox, uint64_t value)
{
	if (firefox->tables.metric.kind == VALUE_TIME)
		put_ms(value, firefox->out);
	else
		fprintf(firefox->out, "%" PRIu64, value);
}

/* Those of one thread: samples[from .. to). The CPU time since the last sample is what a
   sample weighs; the reader draws it. */
static void write_samples(const struct firefox *firefox, size_t from, size_t to)
{
	static const char *const types[] = {[VALUE_COUNT] = "samples",
		[VALUE_TIME] = "tracing-ms",
		[VALUE_BYTES] = "bytes"};
	const struct firefox_tables *tables = &firefox->tables;
	const struct timed_sample *samples = tables->samples.list.data;
	bool timed = tables->report->n_moments;
	FILE *out = firefox->out;
	uint64_t passed = 0;

	fputs("\"samples\": {\"stack\": [", out);
	for (size_t i = from; i < to; i++) {
		uint32_t leaf = tables->leaves[samples[i].stack];
		fputs(i > from ? "," : "", out);
		if (leaf == PROFILE_NONE)
			fputs("null", out);
		else
			fprintf(out, "%" PRIu32, leaf);
	}
	fputs("],\n     \"time\": [", out);
	for (size_t i = from; i < to; i++) {
		fputs(i > from ? "," : "", out);
		if (timed)
			put_ms(samples[i].time_ns, out);
		else
			put_value(firefox, passed);
		passed += samples[i].value;
	}
	fputs("],\n     \"weight\": [", out);
	for (size_t i = from; i < to; i++) {
		fputs(i > from ? "," : "", out);
		put_value(firefox, samples[i].value);
	}
	if (timed && strcmp(tables->metric.type, "cpu") == 0) {
		fputs("],\n     \"threadCPUDelta\": [", out);
		for (size_t i = from; i < to; i++)
			fprintf(out, "%s%" PRIu64, i > from ? "," : "", samples[i].value);
	}
	fprintf(out, "],\n     \"weightType\": \"%s\", \"length\": %zu}",
		types[tables->metric.kind], to - from);
}

static void write_thread(const struct firefox *firefox, size_t from, size_t to)
{
	const struct report *report = firefox->tables.report;
	uint32_t id =
		report->stacks[firefox->tables.samples.list.data[from].stack].thread;
	const struct thread *thread = profile_thread(report->profile, id);
	const struct caption_process process = caption_process(report, id);
	pid_t pid =
		process.pid ? (pid_t)process.pid : caption_pid(report, firefox->facts);
	const char *command = caption_command(report, firefox->facts);
	FILE *out = firefox->out;

	fputs("    {", out);
	json_text_put_pair("name", *thread->name ? thread->name : "all", ", ", out);
	json_text_put_pair("processName",
		process.pid ? process.name
		: command   ? command
			    : firefox->tables.metric.type,
		", ", out);
	fprintf(out,
		"\"isMainThread\": %s, \"pid\": \"%d\", \"tid\": %d,\n"
		"     \"processType\": \"default\", \"processStartupTime\": 0, "
		"\"processShutdownTime\": null,\n"
		"     \"registerTime\": 0, \"unregisterTime\": null, "
		"\"pausedRanges\": [],\n     ",
		from == 0 || thread->tid == pid ? "true" : "false", (int)pid,
		(int)thread->tid);
	firefox_put_markers(&firefox->tables, from == 0, out);
	write_samples(firefox, from, to);
	fputc('}', out);
}

static void write_threads(const struct firefox *firefox)
{
	const struct firefox_tables *tables = &firefox->tables;
	const struct timed_sample *samples = tables->samples.list.data;
	fputs("  \"threads\": [", firefox->out);
	for (size_t from = 0, to; from < tables->samples.list.len; from = to) {
		for (to = from; to < tables->samples.list.len &&
				samples[to].thread == samples[from].thread;
			to++)
			;
		fputs(from ? ",\n" : "\n", firefox->out);
		write_thread(firefox, from, to);
	}
	fputs("\n  ]\n", firefox->out);
}

/* 1 where nobody knows. */
static double interval_ms(const struct firefox *firefox)
{
	const struct origin *origin = firefox->tables.report->origin;
	uint64_t scale;

	if (firefox->facts->frequency_hz)
		return 1000.0 / firefox->facts->frequency_hz;
	if (origin && origin->has_period_type && origin->period > 0 &&
		value_kind(&origin->period_type, &scale) == VALUE_TIME)
		return (double)origin->period * (double)scale / NS_PER_MS;
	return 1;
}

static void put_comments(const struct firefox *firefox)
{
	const struct report *report = firefox->tables.report;
	FILE *out = firefox->out;

	for (size_t i = 0; i < caption_comments(report, firefox->facts); i++) {
		fprintf(out,
			"%s\n      {\"label\": \"%zu\", \"format\": \"string\", "
			"\"value\": ",
			i ? "," : "", i + 1);
		json_text_put(caption_comment(report, firefox->facts, i), out);
		fputc('}', out);
	}
}

static void write_meta(const struct firefox *firefox)
{
	const struct export_facts *facts = firefox->facts;
	const struct report *report = firefox->tables.report;
	const char *command = caption_command(report, facts);
	FILE *out = firefox->out;

	fputs("  \"meta\": {\n    ", out);
	json_text_put_pair("product", command ? command : PACKAGE_NAME, ", ", out);
	json_text_put_pair("importedFrom", PACKAGE_STRING, ", ", out);
	fprintf(out,
		"\"version\": %d, \"preprocessedProfileVersion\": %d,\n"
		"    \"interval\": %.6f, \"startTime\": ",
		GECKO_VERSION, VERSION, interval_ms(firefox));
	put_ms(report->start_wall_ns, out);
	fputs(", \"processType\": 0, \"stackwalk\": 1, \"symbolicated\": true,\n"
	      "    \"usesOnlyOneStackType\": true, \"sourceCodeIsNotOnSearchfox\": true, "
	      "\"markerSchema\": ",
		out);
	firefox_put_schema(&firefox->tables, out);
	fputs(",\n    \"sampleUnits\": {\"time\": \"ms\", \"eventDelay\": \"ms\", "
	      "\"threadCPUDelta\": \"ns\"},\n"
	      "    \"categories\": [\n"
	      "      {\"name\": \"Other\", \"color\": \"grey\", \"subcategories\": "
	      "[\"Other\"]},\n"
	      "      {\"name\": \"Code\", \"color\": \"blue\", \"subcategories\": "
	      "[\"Other\"]},\n"
	      "      {\"name\": \"Waiting\", \"color\": \"orange\", \"subcategories\": "
	      "[\"Other\"]}],\n"
	      "    \"extra\": [{\"label\": \"Recording\", \"entries\": [",
		out);
	put_comments(firefox);
	fputs("]}]\n  },\n", out);
}

static bool write_firefox(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct firefox firefox = {.facts = facts, .out = out};

	(void)err;
	firefox_tables_init(&firefox.tables, report);
	fputs("{\n", out);
	write_meta(&firefox);
	write_libraries(&firefox);
	write_shared(&firefox);
	write_threads(&firefox);
	fputs("}\n", out);
	firefox_tables_finish(&firefox.tables);
	return true;
}

const struct export_format export_firefox = {
	.name = "firefox",
	.reads_back = true,
	.suffix = ".firefox.json",
	.aliases = {".profile.json"},
	.description = "for https://profiler.firefox.com, with threads and times",
	.open_with = "https://profiler.firefox.com: load the file %s",
	.write = write_firefox,
};
