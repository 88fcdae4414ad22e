/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .cpuprofile, what V8's profiler writes, for VS Code and Chrome DevTools (Profiler.Profile of
 * https://chromedevtools.github.io/devtools-protocol/v8/Profiler).
 *
 * It knows one thread, in which a sample lasts until the next one. So samples stand one after the other,
 * each for as long as it weighs, in the order of their times if these are known; of several threads
 * each is a node under the root. Of one thread alone there is "(idle)" between samples where it did
 * not run.
 *
 * A node's hits and its lines' ticks are microseconds: DevTools shares all the time by them, and no
 * two of our samples weigh the same. What is no time is written as if one of it took a microsecond.
 */
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/text/json-text.h"
#include "src/write/export.h"
#include "src/write/firefox-tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODE_ROOT,
	NODE_IDLE,
	NODE_PROGRAM, /* a sample without a function */
	NODES_FIXED,
	FIRST_ID = 1, /* of the first node */
};

struct cpu_tick {
	uint32_t line, next;
	uint64_t us;
};

/* PROFILE_NONE stands for what it has not. */
struct cpu_node {
	const char *name;
	uint32_t func; /* in the tables; a thread has none */
	uint32_t first_child, last_child, sibling;
	uint32_t first_tick, last_tick;
	uint64_t us;
};

struct cpu_sample {
	uint32_t node, line; /* PROFILE_NONE: no line */
	uint64_t begin_ns;
};

struct cpuprofile {
	struct firefox_tables tables;
	FILE *out;
	VEC(struct cpu_node) nodes;
	VEC(struct cpu_tick) ticks;
	VEC(struct cpu_sample) samples;
	VEC(uint32_t) path;
	struct idmap children; /* (parent, name or func) -> node */
	struct idmap leaves;   /* (thread, node of the tables) -> node */
	struct idmap lines;    /* (node, line) -> tick */
	bool has_threads;
	uint64_t end_ns;
};

/* --- nodes ---------------------------------------------------------------------------- */

static uint32_t add_node(
	struct cpuprofile *file, uint32_t parent, const char *name, uint32_t func)
{
	uint32_t id = (uint32_t)file->nodes.len;
	vec_push(&file->nodes, (struct cpu_node){
				       .name = name,
				       .func = func,
				       .first_child = PROFILE_NONE,
				       .last_child = PROFILE_NONE,
				       .sibling = PROFILE_NONE,
				       .first_tick = PROFILE_NONE,
				       .last_tick = PROFILE_NONE,
			       });
	if (parent == PROFILE_NONE)
		return id;
	struct cpu_node *above = &file->nodes.data[parent];
	if (above->last_child == PROFILE_NONE)
		above->first_child = id;
	else
		file->nodes.data[above->last_child].sibling = id;
	above->last_child = id;
	return id;
}

/* The child of PARENT for what KEY tells from all others: a name's address, or a func. */
static uint32_t child_of(struct cpuprofile *file, uint32_t parent, uint64_t key,
	const char *name, uint32_t func)
{
	const uint32_t *known = idmap_get(&file->children, parent, key);
	if (known)
		return *known;
	uint32_t id = add_node(file, parent, name, func);
	idmap_put(&file->children, parent, key, id);
	return id;
}

static const struct function *function_of(const struct cpuprofile *file, uint32_t func)
{
	return profile_function(
		file->tables.report->profile, file->tables.funcs.data[func].function);
}

static uint32_t func_child(struct cpuprofile *file, uint32_t parent, uint32_t func)
{
	const struct function *function = function_of(file, func);
	if (parent == NODE_ROOT && function->is_synthetic &&
		strcmp(function->name, "(idle)") == 0)
		return NODE_IDLE;
	return child_of(file, parent, func, function->name, func);
}

static uint32_t thread_child(struct cpuprofile *file, uint32_t parent, uint32_t thread)
{
	const struct report *report = file->tables.report;
	const char *name = "";
	if (file->has_threads && thread < report->n_threads)
		name = profile_thread(report->profile, report->threads[thread].thread)
			       ->name;
	return *name ? child_of(file, parent, (uintptr_t)name, name, PROFILE_NONE)
		     : parent;
}

/* Threads of one name share a node, as in folded stacks. A process stands before its threads. */
static uint32_t make_leaf(struct cpuprofile *file, uint32_t thread, uint32_t leaf)
{
	uint32_t node = NODE_ROOT;
	file->path.len = 0;
	for (uint32_t at = leaf; at != PROFILE_NONE;
		at = file->tables.nodes.data[at].prefix)
		vec_push(&file->path,
			file->tables.frames.data[file->tables.nodes.data[at].frame].func);
	size_t left = file->path.len;
	if (left && function_of(file, file->path.data[left - 1])->is_process)
		node = func_child(file, node, file->path.data[--left]);
	node = thread_child(file, node, thread);
	while (left > 0)
		node = func_child(file, node, file->path.data[--left]);
	return node == NODE_ROOT ? NODE_PROGRAM : node;
}

static uint32_t leaf_of(struct cpuprofile *file, const struct timed_sample *sample)
{
	uint32_t leaf = file->tables.leaves[sample->stack];
	const uint32_t *known = idmap_get(&file->leaves, sample->thread, leaf);
	if (known)
		return *known;
	uint32_t node = make_leaf(file, sample->thread, leaf);
	idmap_put(&file->leaves, sample->thread, leaf, node);
	return node;
}

/* --- samples -------------------------------------------------------------------------- */

static uint64_t to_us(uint64_t ns)
{
	return (ns + NS_PER_US / 2) / NS_PER_US;
}

static int compare_times(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static void push(struct cpuprofile *file, uint32_t node, uint32_t line, uint64_t for_ns)
{
	vec_push(&file->samples, (struct cpu_sample){node, line, file->end_ns});
	file->end_ns += for_ns;
}

/* A sample is at the end of what it weighs. */
static void add_sample(struct cpuprofile *file, const struct timed_sample *sample)
{
	const struct firefox_tables *tables = &file->tables;
	bool is_time = tables->metric.kind == VALUE_TIME;
	uint64_t for_ns = is_time ? sample->value : sample->value * NS_PER_US;
	uint64_t begin_ns = sample->time_ns > for_ns ? sample->time_ns - for_ns : 0;
	uint32_t leaf = tables->leaves[sample->stack];
	uint32_t line =
		leaf == PROFILE_NONE
			? PROFILE_NONE
			: tables->frames.data[tables->nodes.data[leaf].frame].line;
	if (!file->has_threads && is_time && begin_ns > file->end_ns)
		push(file, NODE_IDLE, PROFILE_NONE, begin_ns - file->end_ns);
	push(file, leaf_of(file, sample), line, for_ns);
}

static void add_ticks(struct cpuprofile *file, uint32_t node, uint32_t line, uint64_t us)
{
	struct cpu_node *at = &file->nodes.data[node];
	at->us += us;
	if (line == PROFILE_NONE || us == 0)
		return;
	const uint32_t *known = idmap_get(&file->lines, node, line);
	if (known) {
		file->ticks.data[*known].us += us;
		return;
	}
	uint32_t id = (uint32_t)file->ticks.len;
	idmap_put(&file->lines, node, line, id);
	vec_push(&file->ticks, (struct cpu_tick){line, PROFILE_NONE, us});
	if (at->last_tick == PROFILE_NONE)
		at->first_tick = id;
	else
		file->ticks.data[at->last_tick].next = id;
	at->last_tick = id;
}

/* The last sample is not one: to speedscope it lasts no time, to DevTools as long as any. */
static void collect(struct cpuprofile *file)
{
	struct firefox_tables *tables = &file->tables;
	static const char *const fixed[NODES_FIXED] = {"(root)", "(idle)", "(program)"};
	for (uint32_t i = 0; i < NODES_FIXED; i++)
		add_node(file, i ? NODE_ROOT : PROFILE_NONE, fixed[i], PROFILE_NONE);
	for (size_t i = 1; i < tables->samples.list.len; i++)
		file->has_threads |= tables->samples.list.data[i].thread !=
				     tables->samples.list.data[0].thread;
	if (tables->samples.list.len)
		qsort(tables->samples.list.data, tables->samples.list.len,
			sizeof(*tables->samples.list.data), compare_times);
	vec_each (&tables->samples.list, sample)
		add_sample(file, sample);
	push(file, NODE_IDLE, PROFILE_NONE, 0);
	for (size_t i = 0; i + 1 < file->samples.len; i++) {
		const struct cpu_sample *sample = &file->samples.data[i];
		add_ticks(file, sample->node, sample->line,
			to_us(sample[1].begin_ns) - to_us(sample->begin_ns));
	}
}

/* --- what is written ------------------------------------------------------------------ */

/* A path as a URL; what is none is one, or a name. */
static void put_url(const char *file, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/:@!$&'()*+,=";
	if (file[0] != '/') {
		json_text_put(file, out);
		return;
	}
	fputs("\"file://", out);
	for (; *file; file++) {
		if (strchr(plain, *file))
			fputc(*file, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*file);
	}
	fputc('"', out);
}

static void put_frame(const struct cpuprofile *file, const struct cpu_node *node)
{
	FILE *out = file->out;
	const struct function *function =
		node->func == PROFILE_NONE ? NULL : function_of(file, node->func);
	uint32_t source =
		function ? file->tables.funcs.data[node->func].source : PROFILE_NONE;
	fputs("\"callFrame\": {", out);
	json_text_put_pair("functionName", node->name, ", ", out);
	fprintf(out, "\"scriptId\": \"%" PRIu32 "\", \"url\": ",
		source == PROFILE_NONE ? 0 : source + 1);
	put_url(function ? function->file : "", out);
	fprintf(out, ", \"lineNumber\": %" PRId64 ", \"columnNumber\": -1}",
		function ? (int64_t)function->start_line - 1 : -1);
}

static void put_node(const struct cpuprofile *file, uint32_t id)
{
	const struct cpu_node *node = &file->nodes.data[id];
	const char *separator = "";
	FILE *out = file->out;
	fprintf(out, "%s{\"id\": %" PRIu32 ", ", id ? ",\n  " : "", id + FIRST_ID);
	put_frame(file, node);
	fprintf(out, ", \"hitCount\": %" PRIu64 ", \"children\": [", node->us);
	for (uint32_t child = node->first_child; child != PROFILE_NONE;
		child = file->nodes.data[child].sibling) {
		fprintf(out, "%s%" PRIu32, separator, child + FIRST_ID);
		separator = ",";
	}
	fputc(']', out);
	separator = ", \"positionTicks\": [";
	for (uint32_t i = node->first_tick; i != PROFILE_NONE;
		i = file->ticks.data[i].next) {
		const struct cpu_tick *tick = &file->ticks.data[i];
		fprintf(out, "%s{\"line\": %" PRIu32 ", \"ticks\": %" PRIu64 "}",
			separator, tick->line, tick->us);
		separator = ", ";
	}
	fputs(node->first_tick == PROFILE_NONE ? "}" : "]}", out);
}

static void put_all(const struct cpuprofile *file)
{
	FILE *out = file->out;
	uint64_t start_us = file->tables.report->start_wall_ns / NS_PER_US, before_us = 0;
	fputs("{\"nodes\": [", out);
	for (uint32_t id = 0; id < file->nodes.len; id++)
		put_node(file, id);
	fprintf(out, "],\n\"startTime\": %" PRIu64 ", \"endTime\": %" PRIu64, start_us,
		start_us + to_us(file->end_ns));
	fputs(",\n\"samples\": [", out);
	for (size_t i = 0; i < file->samples.len; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "",
			file->samples.data[i].node + FIRST_ID);
	fputs("],\n\"timeDeltas\": [", out);
	for (size_t i = 0; i < file->samples.len; i++) {
		uint64_t at_us = to_us(file->samples.data[i].begin_ns);
		fprintf(out, "%s%" PRIu64, i ? "," : "", at_us - before_us);
		before_us = at_us;
	}
	fputs("]}\n", out);
}

static bool write_cpuprofile(const struct report *report,
	const struct export_facts *facts, FILE *out, struct error *err)
{
	struct cpuprofile file = {.out = out};

	(void)facts;
	(void)err;
	firefox_tables_init(&file.tables, report);
	collect(&file);
	put_all(&file);
	firefox_tables_finish(&file.tables);
	vec_free(&file.nodes);
	vec_free(&file.ticks);
	vec_free(&file.samples);
	vec_free(&file.path);
	idmap_finish(&file.children);
	idmap_finish(&file.leaves);
	idmap_finish(&file.lines);
	return true;
}

const struct export_format export_cpuprofile = {
	.name = "cpuprofile",
	.reads_back = true,
	.suffix = ".cpuprofile",
	.description = "for VS Code and Chrome DevTools",
	.open_with = "code %s",
	.write = write_cpuprofile,
};
