/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as flamegraph.pl's users know it: the root at the bottom, boxes as wide as
 * their total, siblings by name. One file that needs no other: a browser zooms and
 * searches (src/write/svg-script.h), any viewer of SVG shows it.
 *
 * Of a report of two (src/count/difference/difference.h) boxes are as wide as both together, and
 * red or blue where more or less time is spent than before.
 *
 * What would be narrower than a tenth of a pixel is not drawn.
 */
#include "src/base/mem.h"
#include "src/facts/text/markup-text.h"
#include "src/write/caption.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"
#include "src/write/picture-hues.h"
#include "src/write/svg-script.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 1200,
	MARGIN = 10,
	ROW = 16,
	HEADING = 56,
	FOOTER = 28,
	TITLE_LETTERS = 90,
};

#define LEAST_WIDTH 0.1
#define LETTER	    7.3 /* width of one of 12 px, in the monospaced fonts that there are */

struct svg {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	struct module_hues hues;
	uint64_t whole;
	double *at; /* of each node: where it begins, in pixels from the margin */
	uint32_t rows;
	double largest; /* change, of a report of two */
};

static void put_text(const char *text, FILE *out)
{
	markup_put_text(text, SIZE_MAX, out);
}

static const char *name_of(const struct svg *svg, const struct report_node *node)
{
	return node->function == PROFILE_NONE
		       ? "all"
		       : profile_function(svg->report->profile, node->function)->name;
}

static double width_of(const struct svg *svg, const struct report_node *node)
{
	return svg->whole ? (double)svg->metric.of(&node->total) / (double)svg->whole *
				    (WIDTH - 2 * MARGIN)
			  : 0;
}

/* Parents come before their children. */
static void lay_out(struct svg *svg)
{
	const struct report *report = svg->report;

	svg->at = mem_zalloc(report->n_nodes * sizeof(*svg->at));
	for (size_t i = 0; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		double at = svg->at[i];
		for (uint32_t k = 0; k < node->n_children; k++) {
			uint32_t child = node->first_child + k;
			assert(child > i);
			svg->at[child] = at;
			at += width_of(svg, &report->nodes[child]);
		}
		if (width_of(svg, node) >= LEAST_WIDTH && node->depth >= svg->rows)
			svg->rows = node->depth + 1;
	}
}

/* Red for more, blue for less, the paler the smaller; grey if it may be chance. */
static void put_change_colour(const struct svg *svg, size_t index)
{
	const struct change *change = &svg->report->difference->node[index];
	double by = change_of(change);
	if (!change->real) {
		fputs("hsl(0,0%,85%)", svg->out);
		return;
	}
	double strength = svg->largest > 0 ? sqrt(fabs(by) / svg->largest) : 0;
	fprintf(svg->out, "hsl(%d,90%%,%d%%)", by > 0 ? 0 : 215,
		85 - (int)(30 * strength));
}

/* A hue for each module, one of two tones for each name. */
static void put_colour(const struct svg *svg, size_t index)
{
	const struct report_node *node = &svg->report->nodes[index];
	if (svg->report->difference) {
		put_change_colour(svg, index);
		return;
	}
	if (node->function == PROFILE_NONE) {
		fputs("hsl(35,60%,75%)", svg->out);
		return;
	}
	fprintf(svg->out, "#%06x",
		(unsigned)module_hues_rgb(&svg->hues,
			profile_function(svg->report->profile, node->function)));
}

/* MOST letters of NAME, which are UTF-8, and not cut in two. */
static void put_part(const char *name, size_t most, FILE *out)
{
	size_t letters = 0, shown = 0;

	for (const char *at = name; *at; at++)
		letters += (*at & 0xc0) != 0x80;
	if (letters <= most) {
		put_text(name, out);
		return;
	}
	char *part = mem_strdup(name);
	for (char *at = part; *at; at++) {
		bool begins = (*at & 0xc0) != 0x80;
		if (begins && shown == most - 2) {
			*at = '\0';
			break;
		}
		shown += begins;
	}
	put_text(part, out);
	fputs("..", out);
	free(part);
}

static void put_label(const char *name, double width, FILE *out)
{
	double room = (width - 6) / LETTER;
	if (room >= 3)
		put_part(name, (size_t)room, out);
}

/* " (+1.20%, 3.10% to 4.30%)"; in values if those are compared. */
static void put_change(const struct svg *svg, const struct change *change)
{
	const struct difference *difference = svg->report->difference;
	enum value_kind kind = svg->metric.kind;
	double by = change_of(change), whole = difference->whole;
	char sign = by > 0 ? '+' : by < 0 ? '-' : ' ';
	const char *noise = change->real ? "" : ", may be noise";
	if (difference->normalization != NORMALIZE_CPU)
		fprintf(svg->out, " (%c%s, %s to %s%s)", sign,
			quantity_say(kind, (uint64_t)fabs(by)).text,
			quantity_say(kind, (uint64_t)change->before).text,
			quantity_say(kind, (uint64_t)change->after).text, noise);
	else
		fprintf(svg->out, " (%c%.2f%%, %.2f%% to %.2f%%%s)", sign,
			whole > 0 ? 100 * fabs(by) / whole : 0,
			whole > 0 ? 100 * change->before / whole : 0,
			whole > 0 ? 100 * change->after / whole : 0, noise);
}

static void write_node(const struct svg *svg, size_t index)
{
	const struct report_node *node = &svg->report->nodes[index];
	uint64_t total = svg->metric.of(&node->total);
	double width = width_of(svg, node), x = MARGIN + svg->at[index];
	unsigned y = HEADING + (svg->rows - 1 - node->depth) * ROW;
	FILE *out = svg->out;

	fputs("<g class=\"f\"><title>", out);
	put_text(name_of(svg, node), out);
	if (svg->report->difference)
		put_change(svg, &svg->report->difference->node[index]);
	else
		fprintf(out, " (%s, %.2f%%)", quantity_say(svg->metric.kind, total).text,
			file_metric_percent(total, svg->whole));
	fprintf(out,
		"</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" "
		"height=\"%d\" fill=\"",
		x, y, width, ROW - 1);
	put_colour(svg, index);
	fprintf(out, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	put_label(name_of(svg, node), width, out);
	fputs("</text></g>\n", out);
}

/* Between the two buttons; many arguments are cut. */
static void put_title(const struct svg *svg, const struct export_facts *facts)
{
	const char *command = caption_command(svg->report, facts);

	put_part(command ? command : "Flame graph", TITLE_LETTERS, svg->out);
	fputs(": ", svg->out);
	put_text(svg->metric.name, svg->out);
}

/* Where the samples come from. */
static void put_caption(const struct svg *svg, const struct export_facts *facts)
{
	char *caption = caption_line(svg->report, facts);

	fprintf(svg->out,
		"<text id=\"caption\" x=\"%d\" y=\"42\" text-anchor=\"middle\">",
		WIDTH / 2);
	put_text(caption, svg->out);
	fputs("</text>\n", svg->out);
	free(caption);
}

static void write_heading(const struct svg *svg, const struct export_facts *facts)
{
	unsigned height = HEADING + svg->rows * ROW + FOOTER;
	FILE *out = svg->out;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" "
		"width=\"%d\" height=\"%u\">\n"
		"<style>text { font: 12px monospace; } .f { cursor: pointer; } "
		".f:hover rect { stroke: black; } .b { cursor: pointer; fill: #666; }"
		"</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#f8f8f0\"/>\n"
		"<text x=\"%d\" y=\"24\" text-anchor=\"middle\" "
		"style=\"font-size: 16px\">",
		WIDTH, height, WIDTH, height, WIDTH / 2);
	put_title(svg, facts);
	fputs("</text>\n", out);
	put_caption(svg, facts);
	fprintf(out,
		"<text id=\"unzoom\" class=\"b\" x=\"%d\" y=\"24\" style=\"display: "
		"none\">"
		"Reset zoom</text>\n"
		"<text id=\"search\" class=\"b\" x=\"%d\" y=\"24\" text-anchor=\"end\" "
		"style=\"display: none\">Search</text>\n"
		"<text id=\"details\" x=\"%d\" y=\"%u\"> </text>\n"
		"<text id=\"matched\" x=\"%d\" y=\"%u\" text-anchor=\"end\"></text>\n",
		MARGIN, WIDTH - MARGIN, MARGIN, height - 10, WIDTH - MARGIN, height - 10);
}

static bool write_svg(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct svg svg = {.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	svg.whole = svg.metric.of(&report->total);
	for (size_t i = 0; report->difference && i < report->n_nodes; i++)
		svg.largest =
			fmax(svg.largest, fabs(change_of(&report->difference->node[i])));
	svg.hues = picture_hues(report, &svg.metric);
	lay_out(&svg);
	write_heading(&svg, facts);
	for (size_t i = 0; i < report->n_nodes; i++)
		if (width_of(&svg, &report->nodes[i]) >= LEAST_WIDTH)
			write_node(&svg, i);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", svg_script);
	module_hues_finish(&svg.hues);
	free(svg.at);
	return true;
}

const struct export_format export_svg = {
	.name = "svg",
	.suffix = ".svg",
	.description = "a flame graph: zoom, search, hover in any browser",
	.open_with = "xdg-open %s",
	.write = write_svg,
};
