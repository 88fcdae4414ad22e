/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph in the language of graphviz (https://graphviz.org/doc/info/lang.html):
 * functions with their own and their total weight, and an arrow for each pair of caller and
 * callee.
 *
 * What is too small to be read is left out as `pprof -dot` does: functions with less than
 * 0.5 % of the whole, arrows with less than 0.1 %. The callees of a function that is left out
 * hang on its caller by a dashed arrow, so every stack stays connected. Like pprof, it draws
 * no arrow from a function to itself, and counts a pair once for a sample.
 */
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/facts/text/quantity.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
	NODES_MOST = 80,
	NODES_LEAST = 200,  /* one part in so many of the whole: 0.5 % */
	EDGES_LEAST = 1000, /* 0.1 % */
	LABEL_MOST = 60,    /* characters of a name; the tooltip has all of it */
	FONT_LEAST = 9,
	FONT_MOST = 32,
};

struct arrow {
	uint32_t caller, callee;
	uint64_t value;
	bool skips; /* also over functions that are left out */
};

struct graph {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	uint64_t whole;
	VEC(const struct report_function *) functions; /* by total, largest first */
	struct idmap drawn;			       /* (function, 0): it has a node */
	struct idmap places;			       /* (caller, callee) -> arrow */
	VEC(struct arrow) arrows;
};

static int compare_functions(const void *a, const void *b, void *metric_of)
{
	const struct report_function *x = *(const struct report_function *const *)a,
				     *y = *(const struct report_function *const *)b;
	const struct file_metric *metric = metric_of;
	uint64_t one = metric->of(&x->total), other = metric->of(&y->total);
	if (one != other)
		return one > other ? -1 : 1;
	return (x > y) - (x < y); /* as the report has them: by self, then by name */
}

static void choose_functions(struct graph *graph)
{
	const struct report *report = graph->report;

	for (size_t i = 0; i < report->n_functions; i++) {
		uint64_t total = graph->metric.of(&report->functions[i].total);
		if (total && total >= graph->whole / NODES_LEAST)
			vec_push(&graph->functions, &report->functions[i]);
	}
	if (graph->functions.len)
		qsort_r(graph->functions.data, graph->functions.len,
			sizeof(*graph->functions.data), compare_functions,
			&graph->metric);
	if (graph->functions.len > NODES_MOST)
		graph->functions.len = NODES_MOST;
	vec_each (&graph->functions, function)
		idmap_put(&graph->drawn, (*function)->function, 0, 0);
}

/* The nearest node above AT that is drawn, or 0. */
static uint32_t caller_of(struct graph *graph, uint32_t at)
{
	const struct report_node *nodes = graph->report->nodes;
	do
		at = nodes[at].parent;
	while (at && !idmap_get(&graph->drawn, nodes[at].function, 0));
	return at;
}

/* Does the pair of the drawn node CHILD and its CALLER occur further out, too? ABOVE has
   the answers of caller_of. */
static bool recurs(
	const struct graph *graph, const uint32_t *above, uint32_t child, uint32_t caller)
{
	const struct report_node *nodes = graph->report->nodes;
	for (uint32_t at = caller; above[at]; at = above[at])
		if (nodes[at].function == nodes[child].function &&
			nodes[above[at]].function == nodes[caller].function)
			return true;
	return false;
}

static void add_arrow(struct graph *graph, uint32_t caller, uint32_t child)
{
	const struct report_node *nodes = graph->report->nodes;
	uint32_t from = nodes[caller].function, to = nodes[child].function;
	uint32_t *place = idmap_get(&graph->places, from, to);

	if (!place) {
		idmap_put(&graph->places, from, to, (uint32_t)graph->arrows.len);
		vec_push(&graph->arrows, (struct arrow){.caller = from, .callee = to});
		place = idmap_get(&graph->places, from, to);
	}
	struct arrow *arrow = &graph->arrows.data[*place];
	arrow->value += graph->metric.of(&nodes[child].total);
	arrow->skips |= nodes[child].parent != caller;
}

static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* A node of the report comes after its parent, so its drawn ancestors are known before. */
static void find_arrows(struct graph *graph)
{
	const struct report *report = graph->report;
	uint32_t *above = mem_zalloc(report->n_nodes * sizeof(*above));

	for (uint32_t i = 1; i < report->n_nodes; i++) {
		uint32_t function = report->nodes[i].function;
		if (!idmap_get(&graph->drawn, function, 0))
			continue;
		uint32_t caller = above[i] = caller_of(graph, i);
		if (caller && report->nodes[caller].function != function &&
			!recurs(graph, above, i, caller))
			add_arrow(graph, caller, i);
	}
	free(above);
	if (graph->arrows.len)
		qsort(graph->arrows.data, graph->arrows.len, sizeof(*graph->arrows.data),
			compare_arrows);
}

/* At most MOST characters of TEXT, inside quotes. graphviz knows escapes that begin with a
   backslash, and HTML's that begin with '&'. */
static void put_text(const char *text, size_t most, FILE *out)
{
	size_t n = 0;

	for (; *text; text++) {
		bool begins = ((unsigned char)*text & 0xc0) != 0x80; /* of UTF-8 */
		if (begins && n++ == most) {
			fputs("...", out);
			return;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputs(*text == '&' ? "&amp;" : (const char[]){*text, '\0'}, out);
	}
}

static const char *name_of(const struct graph *graph, uint32_t function)
{
	return profile_function(graph->report->profile, function)->name;
}

static void put_share(const struct graph *graph, uint64_t value)
{
	fprintf(graph->out, "%s (%.2f%%)", quantity_say(graph->metric.kind, value).text,
		file_metric_percent(value, graph->whole));
}

/* The more of the whole it is itself, the larger its letters; the more with what it calls,
   the redder the box. */
static void write_node(const struct graph *graph, const struct report_function *row)
{
	uint64_t self = graph->metric.of(&row->self),
		 total = graph->metric.of(&row->total);
	double part = (double)self / (double)graph->whole;
	FILE *out = graph->out;

	fprintf(out, "\tN%" PRIu32 " [label=\"", row->function);
	put_text(name_of(graph, row->function), LABEL_MOST, out);
	fputs("\\n", out);
	put_share(graph, self);
	if (total != self) {
		fputs("\\nof ", out);
		put_share(graph, total);
	}
	fprintf(out, "\", fontsize=%d, fillcolor=\"0.02 %.3f 1.0\", tooltip=\"",
		FONT_LEAST + (int)((FONT_MOST - FONT_LEAST) * sqrt(part)),
		0.5 * (double)total / (double)graph->whole);
	put_text(name_of(graph, row->function), SIZE_MAX, out);
	fprintf(out, " (%" PRIu64 " of %" PRIu64 ")\"];\n", self, total);
}

/* The weight makes heavy arrows short and straight. */
static void write_arrow(const struct graph *graph, const struct arrow *arrow)
{
	double part = (double)arrow->value / (double)graph->whole;
	FILE *out = graph->out;

	fprintf(out,
		"\tN%" PRIu32 " -> N%" PRIu32
		" [label=\" %s\", weight=%d, penwidth=%.2f%s, tooltip=\"",
		arrow->caller, arrow->callee,
		quantity_say(graph->metric.kind, arrow->value).text,
		1 + (int)(100 * part), 1 + 5 * part,
		arrow->skips ? ", style=dashed" : "");
	put_text(name_of(graph, arrow->caller), SIZE_MAX, out);
	fputs(" -> ", out);
	put_text(name_of(graph, arrow->callee), SIZE_MAX, out);
	fprintf(out, " (%" PRIu64 ")\"];\n", arrow->value);
}

static void write_heading(const struct graph *graph, const struct export_facts *facts)
{
	FILE *out = graph->out;
	size_t left_out = graph->report->n_functions - graph->functions.len;

	fputs("digraph \"", out);
	put_text(facts->command ? facts->command : graph->metric.name, SIZE_MAX, out);
	fputs("\" {\n\tgraph [labelloc=t, labeljust=l, label=\"", out);
	if (facts->command) {
		put_text(facts->command, 2 * LABEL_MOST, out);
		fputs("\\l", out);
	}
	put_text(graph->metric.name, SIZE_MAX, out);
	fprintf(out, ": %s",
		quantity_say(graph->metric.kind, graph->metric.of(&graph->report->total))
			.text);
	if (left_out)
		fprintf(out, "; %zu small functions are left out", left_out);
	fputs("\\l\"];\n\tnode [shape=box, style=filled];\n", out);
}

static bool write_dot(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct graph graph = {
		.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	graph.whole = graph.metric.of(&report->total);
	choose_functions(&graph);
	find_arrows(&graph);
	write_heading(&graph, facts);
	vec_each (&graph.functions, function)
		write_node(&graph, *function);
	vec_each (&graph.arrows, arrow)
		if (arrow->value && arrow->value >= graph.whole / EDGES_LEAST)
			write_arrow(&graph, arrow);
	fputs("}\n", out);
	vec_free(&graph.functions);
	vec_free(&graph.arrows);
	idmap_finish(&graph.drawn);
	idmap_finish(&graph.places);
	return true;
}

const struct export_format export_dot = {
	.name = "dot",
	.suffix = ".dot",
	.aliases = {".gv"},
	.description = "the call graph, for graphviz",
	.open_with = "dot -Tsvg -O %s",
	.write = write_dot,
};
