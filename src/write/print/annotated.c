/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/annotated.h"

#include "src/base/pattern.h"
#include "src/facts/text/json-text.h"

#include <inttypes.h>
#include <string.h>

void annotated_select(struct listing *listing, const char *name)
{
	struct pattern *pattern = pattern_create(name, NULL, NULL, 0);
	const struct profile *profile = listing->report->profile;
	bool is_name = false;
	size_t kept = 0;
	vec_each (&listing->rows, row)
		is_name |= strcmp(profile_function(profile, (*row)->function)->name,
				   name) == 0;
	vec_each (&listing->rows, row) {
		const char *of = profile_function(profile, (*row)->function)->name;
		if (is_name ? strcmp(of, name) == 0
			    : pattern && pattern_matches(pattern, of) !=
						 pattern_is_inverted(pattern))
			listing->rows.data[kept++] = *row;
	}
	listing->rows.len = kept;
	pattern_destroy(pattern);
}

/* --- text --------------------------------------------------------------------------------- */

static void put_weight(const struct page *page, const struct weight *weight)
{
	const struct file_metric *metric = &page->listing->metric;
	uint64_t value = metric->of(weight);
	if (value == 0)
		fprintf(page->out, "%9s %7s ", ".", ".");
	else
		fprintf(page->out, "%9s %6.2f%% ", quantity_say(metric->kind, value).text,
			file_metric_percent(value, page->listing->whole));
}

static void put_code(const struct page *page, const struct annotation_row *row)
{
	const struct assembly *assembly = page->parts->assembly;
	const struct instruction *code = &assembly->instructions[row->instruction];
	enum assembly_syntax syntax = page->means->syntax;
	fprintf(page->out, "%6s     %" PRIx64 "  %.*s", "",
		code->address - assembly->bias, (int)assembly_text_length(code, syntax),
		code->texts[syntax]);
	if (code->has_target && code->to != ASSEMBLY_NONE)
		fprintf(page->out, "  ; to %" PRIx64,
			assembly->instructions[code->to].address - assembly->bias);
	else if (code->has_target && code->target_name[0])
		fprintf(page->out, "  ; %s", code->target_name);
	fputc('\n', page->out);
}

static void put_row_text(const struct page *page, const struct annotation_row *row)
{
	FILE *out = page->out;
	switch (row->kind) {
	case ANNOTATION_FILE:
		fprintf(out, "%s\n",
			row->text[0] ? row->text : "(no source file is known)");
		if (row->source && strcmp(source_file_path(row->source), row->text) != 0)
			fprintf(out, "  found at %s\n", source_file_path(row->source));
		fprintf(out, "%9s %7s %9s %7s\n", "self", "self%", "total", "total%");
		return;
	case ANNOTATION_NOTE:
		fprintf(out, "  %s\n", row->text);
		return;
	case ANNOTATION_GAP:
		fprintf(out, "%34s %6s  (%u lines without cost)\n", "", "...",
			row->left_out);
		return;
	default:
		break;
	}
	put_weight(page, &row->self);
	put_weight(page, &row->total);
	if (row->kind == ANNOTATION_CODE)
		put_code(page, row);
	else if (row->kind == ANNOTATION_INLINE)
		fprintf(out, "%6s   inlined %s\n", "", row->text);
	else if (row->line == 0)
		fprintf(out, "%6s  (line unknown)\n", "?");
	else
		fprintf(out, "%6u  %s\n", row->line, row->words ? row->words->text : "");
}

static void put_heading(const struct page *page)
{
	const struct file_metric *metric = &page->listing->metric;
	const struct cost *cost = &page->parts->cost;
	const struct function *function =
		profile_function(page->listing->report->profile, cost->function);
	uint64_t self = metric->of(&cost->self), total = metric->of(&cost->total);
	fprintf(page->out, "\n%s", function->name);
	if (function->module[0])
		fprintf(page->out, " (%s)", function->module);
	fprintf(page->out, ": self %s, %.2f%%; total %s, %.2f%%\n",
		quantity_say(metric->kind, self).text,
		file_metric_percent(self, page->listing->whole),
		quantity_say(metric->kind, total).text,
		file_metric_percent(total, page->listing->whole));
}

void annotated_write_text(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out)
{
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		struct parts parts = {0};
		const struct page page = {listing, means, &parts, out};
		if (page_gather(
			    &parts, listing, listing->rows.data[i]->function, means)) {
			put_heading(&page);
			vec_each (&parts.annotation.rows, row)
				put_row_text(&page, row);
		}
		parts_finish(&parts);
	}
}

/* --- JSON --------------------------------------------------------------------------------- */

static void put_weight_json(const struct page *page, const struct annotation_row *row)
{
	const struct file_metric *metric = &page->listing->metric;
	fprintf(page->out, "\"self\": %" PRIu64 ", \"total\": %" PRIu64,
		metric->of(&row->self), metric->of(&row->total));
}

static void put_code_json(const struct page *page, const struct annotation_row *row)
{
	const struct assembly *assembly = page->parts->assembly;
	const struct instruction *code = &assembly->instructions[row->instruction];
	const unsigned char *bytes = assembly_bytes_of(assembly, code);
	FILE *out = page->out;
	fprintf(out, "{\"address\": \"0x%" PRIx64 "\", ", code->address - assembly->bias);
	put_weight_json(page, row);
	fputs(", \"bytes\": \"", out);
	for (unsigned i = 0; i < code->length; i++)
		fprintf(out, "%02x", bytes[i]);
	fputs("\", ", out);
	json_text_put_pair("text", code->texts[page->means->syntax], ", ", out);
	json_text_put_pair(
		"target", code->has_target ? code->target_name : "", ", ", out);
	const struct annotation_row *parent =
		row->parent == ANNOTATION_NONE
			? NULL
			: &page->parts->annotation.rows.data[row->parent];
	json_text_put_pair("inlined",
		parent && parent->kind == ANNOTATION_INLINE ? parent->text : "", "}",
		out);
}

/* The instructions below the row at INDEX; ANNOTATION_NONE: those below none. */
static void put_codes_json(const struct page *page, uint32_t index)
{
	const struct annotation *annotation = &page->parts->annotation;
	uint32_t from = index == ANNOTATION_NONE ? 0 : index + 1;
	uint32_t to = index == ANNOTATION_NONE
			      ? (uint32_t)annotation->rows.len
			      : from + annotation->rows.data[index].n_below;
	const char *before = "";
	fputs("\"instructions\": [", page->out);
	for (uint32_t i = from; i < to; i++) {
		const struct annotation_row *row = &annotation->rows.data[i];
		if (row->kind != ANNOTATION_CODE ||
			(index == ANNOTATION_NONE && row->parent != ANNOTATION_NONE))
			continue;
		fputs(before, page->out);
		put_code_json(page, row);
		before = ",\n        ";
	}
	fputs("]", page->out);
}

static void put_sources_json(const struct page *page)
{
	const char *before = "";
	fputs("     \"sources\": [", page->out);
	for (size_t i = 0; i < page->parts->n_sources; i++) {
		const struct annotation_source *source = &page->parts->sources[i];
		fprintf(page->out, "%s{", before);
		json_text_put_pair("file", source->path, ", ", page->out);
		json_text_put_pair("found",
			source->file ? source_file_path(source->file) : "", ", ",
			page->out);
		json_text_put_pair(
			"problem", source->file ? "" : source->why, "}", page->out);
		before = ", ";
	}
	fputs("],\n", page->out);
}

static void put_lines_json(const struct page *page)
{
	const struct annotation *annotation = &page->parts->annotation;
	const char *before = "";
	fputs("     \"lines\": [", page->out);
	for (uint32_t i = 0; i < annotation->rows.len; i++) {
		const struct annotation_row *row = &annotation->rows.data[i];
		if (row->kind != ANNOTATION_LINE)
			continue;
		fprintf(page->out, "%s\n      {", before);
		json_text_put_pair("file", row->file, ", ", page->out);
		fprintf(page->out, "\"line\": %u, ", row->line);
		put_weight_json(page, row);
		fputs(", ", page->out);
		json_text_put_pair("text", row->words ? row->words->text : "",
			page->means->assemble ? ",\n       " : "", page->out);
		if (page->means->assemble)
			put_codes_json(page, i);
		fputc('}', page->out);
		before = ",";
	}
	fputs("\n     ]", page->out);
}

static void put_function_json(const struct page *page)
{
	const struct file_metric *metric = &page->listing->metric;
	const struct cost *cost = &page->parts->cost;
	FILE *out = page->out;
	fprintf(out, "    {\"self\": %" PRIu64 ", \"total\": %" PRIu64 ",\n",
		metric->of(&cost->self), metric->of(&cost->total));
	put_sources_json(page);
	put_lines_json(page);
	if (page->means->assemble) {
		fputs(",\n     ", out);
		put_codes_json(page, ANNOTATION_NONE);
		fputs(",\n     ", out);
		json_text_put_pair("problem",
			page->parts->assembly && page->parts->assembly->problem
				? page->parts->assembly->problem
				: "",
			"", out);
	}
	fputs(",\n     ", out);
	listing_put_function_json(
		profile_function(page->listing->report->profile, cost->function), out);
}

void annotated_write_json(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out)
{
	const char *before = "";
	listing_begin_json(listing, out);
	fputs("  \"functions\": [", out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		struct parts parts = {0};
		const struct page page = {listing, means, &parts, out};
		if (page_gather(
			    &parts, listing, listing->rows.data[i]->function, means)) {
			fprintf(out, "%s\n", before);
			put_function_json(&page);
			before = ",";
		}
		parts_finish(&parts);
	}
	fputs("\n  ]\n}\n", out);
}
