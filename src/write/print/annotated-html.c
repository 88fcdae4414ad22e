/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated functions as a page (annotated.h). What is folded in the live screen is folded here, too, by the
   browser itself. */

#include "src/facts/text/markup-text.h"
#include "src/write/print/annotated.h"

#include <inttypes.h>
#include <stdint.h>

static const char style[] =
	":root{color-scheme:light dark;--hot:#f0a35e;--dim:#667;--line:#e4e4ec}\n"
	"@media(prefers-color-scheme:dark){:root{--hot:#a85f1d;--dim:#99a;--line:#2b2b36}"
	"body{background:#15151c;color:#ddd}}\n"
	"body{font:13px/1.45 ui-monospace,monospace;margin:1.5em}\n"
	"h1,h2{font-size:1.15em;margin:1.2em 0 .2em}p{margin:.2em 0;color:var(--dim)}\n"
	".r{display:flex;white-space:pre;border-bottom:1px solid var(--line)}\n"
	".r:hover,.r:target{background:var(--line)}\n"
	"summary.r{list-style:none;cursor:pointer}summary::-webkit-details-marker{"
	"display:none}\n"
	".s,.t,.l{flex:none;text-align:right;padding-right:1ch}\n"
	".s{width:9ch;background:linear-gradient(90deg,var(--hot) "
	"var(--w,0%),transparent 0)}\n"
	".t{width:9ch;color:var(--dim)}.l{width:8ch;color:var(--dim)}\n"
	"summary>.l::after{content:'+'}details[open]>summary>.l::after{content:'-'}\n"
	".a{color:var(--dim);padding-left:4ch}.f{font-weight:bold;margin-top:1em}\n"
	".n{color:var(--dim)}a{color:inherit}\n";

static void put(const char *text, FILE *out)
{
	markup_put_text(text, SIZE_MAX, out);
}

static double percent_of(const struct page *page, const struct weight *weight)
{
	return file_metric_percent(
		page->listing->metric.of(weight), page->listing->whole);
}

/* A cell that is filled by PERCENT. */
static void put_percent(const char *class, double percent, bool is_bar, FILE *out)
{
	if (percent <= 0)
		fprintf(out, "<span class=%s></span>", class);
	else if (is_bar)
		fprintf(out, "<span class=%s style=\"--w:%.2f%%\">%.2f%%</span>", class,
			percent, percent);
	else
		fprintf(out, "<span class=%s>%.2f%%</span>", class, percent);
}

static void put_words(const struct annotation_row *row, FILE *out)
{
	if (row->words)
		put(row->words->text, out);
}

static void put_code(const struct page *page, const struct annotation_row *row)
{
	const struct assembly *assembly = page->parts->assembly;
	const struct instruction *code = &assembly->instructions[row->instruction];
	uint64_t address = code->address - assembly->bias;
	FILE *out = page->out;
	fprintf(out, "<span class=a>%" PRIx64 "</span>  ", address);
	markup_put_text(code->texts[page->means->syntax],
		assembly_text_length(code, page->means->syntax), out);
	if (code->has_target && code->to != ASSEMBLY_NONE) {
		uint64_t to = assembly->instructions[code->to].address - assembly->bias;
		fprintf(out, "  <a href=\"#f%u-%" PRIx64 "\">%s %" PRIx64 "</a>",
			page->parts->cost.function, to,
			to > address ? "&darr;" : "&uarr;", to);
	} else if (code->has_target && code->target_name[0]) {
		fputs("  <span class=n>", out);
		put(code->target_name, out);
		fputs("</span>", out);
	}
}

static void put_id(const struct page *page, const struct annotation_row *row)
{
	const struct assembly *assembly = page->parts->assembly;
	if (row->kind == ANNOTATION_CODE)
		fprintf(page->out, " id=f%u-%" PRIx64, page->parts->cost.function,
			assembly->instructions[row->instruction].address -
				assembly->bias);
}

static void put_cells(const struct page *page, const struct annotation_row *row)
{
	FILE *out = page->out;
	put_percent("s", percent_of(page, &row->self), true, out);
	put_percent("t", percent_of(page, &row->total), false, out);
	if (row->kind == ANNOTATION_LINE && row->line > 0)
		fprintf(out, "<span class=l>%u</span>", row->line);
	else
		fputs("<span class=l></span>", out);
	fputs("<span>", out);
	switch (row->kind) {
	case ANNOTATION_CODE:
		put_code(page, row);
		break;
	case ANNOTATION_INLINE:
		fputs("<span class=n>inlined ", out);
		put(row->text, out);
		fputs("</span>", out);
		break;
	case ANNOTATION_GAP:
		fprintf(out, "<span class=n>... %u lines without cost</span>",
			row->left_out);
		break;
	case ANNOTATION_NOTE:
		fputs("<span class=n>", out);
		put(row->text, out);
		fputs("</span>", out);
		break;
	default:
		put_words(row, out);
	}
	fputs("</span>", out);
}

static void put_file(const struct page *page, const struct annotation_row *row)
{
	fputs("<div class=f>", page->out);
	put(row->text[0] ? row->text : "(no source file is known)", page->out);
	fputs("</div>\n", page->out);
}

/* The line with the most self weight stands open. */
static bool is_hottest(const struct page *page, const struct annotation_row *row)
{
	uint64_t self = page->listing->metric.of(&row->self);
	vec_each (&page->parts->annotation.rows, other)
		if (other->kind == ANNOTATION_LINE &&
			page->listing->metric.of(&other->self) > self)
			return false;
	return self > 0;
}

/* The rows from FROM on, before TO; those that are folded into a line or an inlined function are
   folded here, too. */
static void put_rows(const struct page *page, uint32_t from, uint32_t to)
{
	const struct annotation *annotation = &page->parts->annotation;
	FILE *out = page->out;
	for (uint32_t i = from; i < to; i++) {
		const struct annotation_row *row = &annotation->rows.data[i];
		if (row->kind == ANNOTATION_FILE) {
			put_file(page, row);
			continue;
		}
		bool folds = row->n_below > 0;
		bool is_open = row->kind != ANNOTATION_LINE || is_hottest(page, row);
		fputs(!folds	  ? "<div class=r"
			: is_open ? "<details open><summary class=r"
				  : "<details><summary class=r",
			out);
		put_id(page, row);
		fputc('>', out);
		put_cells(page, row);
		fputs(folds ? "</summary>\n" : "</div>\n", out);
		if (!folds)
			continue;
		put_rows(page, i + 1, i + 1 + row->n_below);
		fputs("</details>\n", out);
		i += row->n_below;
	}
}

static void put_function(const struct page *page)
{
	const struct file_metric *metric = &page->listing->metric;
	const struct cost *cost = &page->parts->cost;
	const struct function *function =
		profile_function(page->listing->report->profile, cost->function);
	FILE *out = page->out;
	fputs("<h2>", out);
	put(function->name, out);
	fputs("</h2>\n<p>", out);
	put(function->module, out);
	fprintf(out, " self %s, %.2f%%; total %s, %.2f%%; in percent of %s</p>\n",
		quantity_say(metric->kind, metric->of(&cost->self)).text,
		percent_of(page, &cost->self),
		quantity_say(metric->kind, metric->of(&cost->total)).text,
		percent_of(page, &cost->total),
		quantity_say(metric->kind, page->listing->whole).text);
	put_rows(page, 0, (uint32_t)page->parts->annotation.rows.len);
}

void annotated_write_html(const struct listing *listing, size_t most, const char *name,
	const struct annotated_means *means, FILE *out)
{
	bool any = false;
	fputs("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n"
	      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n<title>",
		out);
	put(name, out);
	fprintf(out, " - cproftop</title>\n<style>\n%s</style>\n<h1>", style);
	put(name, out);
	fputs("</h1>\n<p>self and total, by source line; a line opens to its "
	      "instructions</p>\n",
		out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		struct parts parts = {0};
		const struct page page = {listing, means, &parts, out};
		if (page_gather(
			    &parts, listing, listing->rows.data[i]->function, means)) {
			put_function(&page);
			any = true;
		}
		parts_finish(&parts);
	}
	if (!any)
		fputs("<p>No function has this name, or matches it.</p>\n", out);
	fputs("</html>\n", out);
}
