/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/listing.h"

#include "src/facts/origin.h"
#include "src/facts/text/json-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Largest first. Equal weights keep the order of the report, which is the same for the
   same samples. */
static int compare(const struct report_function *a, const struct report_function *b,
	uint64_t x, uint64_t y)
{
	if (x != y)
		return x < y ? 1 : -1;
	return (a > b) - (a < b);
}

static int compare_name(const void *a, const void *b, void *listing)
{
	const struct profile *profile = ((struct listing *)listing)->report->profile;
	const struct report_function *const *x = a, *const *y = b;
	const struct function *one = profile_function(profile, (*x)->function),
			      *other = profile_function(profile, (*y)->function);
	int order = strcmp(one->name, other->name);
	if (!order)
		order = strcmp(one->module, other->module);
	return order ? order : compare(*x, *y, 0, 0);
}

static int compare_total(const void *a, const void *b, void *listing)
{
	const struct file_metric *metric = &((struct listing *)listing)->metric;
	const struct report_function *const *x = a, *const *y = b;
	return compare(*x, *y, metric->of(&(*x)->total), metric->of(&(*y)->total));
}

/* A report is in order of CPU time: where the metric is another, the order of what weighs the
   same itself would depend on that. */
static int compare_self(const void *a, const void *b, void *listing)
{
	const struct file_metric *metric = &((struct listing *)listing)->metric;
	const struct report_function *const *x = a, *const *y = b;
	uint64_t self_x = metric->of(&(*x)->self), self_y = metric->of(&(*y)->self);
	uint64_t total_x = metric->of(&(*x)->total), total_y = metric->of(&(*y)->total);
	if (self_x == self_y && total_x == total_y)
		return compare_name(a, b, listing);
	return self_x != self_y ? compare(*x, *y, self_x, self_y)
				: compare(*x, *y, total_x, total_y);
}

void listing_init(
	struct listing *listing, const struct report *report, enum listing_order order)
{
	listing_init_rows(listing, report, report->functions, report->n_functions, order);
}

void listing_init_rows(struct listing *listing, const struct report *report,
	const struct report_function *rows, size_t n, enum listing_order order)
{
	static int (*const orders[])(const void *, const void *, void *) = {
		[LISTING_BY_SELF] = compare_self,
		[LISTING_BY_TOTAL] = compare_total,
		[LISTING_BY_NAME] = compare_name,
	};
	*listing = (struct listing){.report = report, .metric = file_metric_of(report)};
	listing->whole = listing->metric.of(&report->total);
	for (size_t i = 0; i < n; i++)
		vec_push(&listing->rows, &rows[i]);
	if (listing->rows.len)
		qsort_r(listing->rows.data, listing->rows.len,
			sizeof(*listing->rows.data), orders[order], listing);
}

void listing_finish(struct listing *listing)
{
	vec_free(&listing->rows);
}

size_t listing_write_text(
	const struct listing *listing, size_t most, uint64_t least, FILE *out)
{
	static const char *const kinds[NAMING_GRANULARITIES] = {
		[NAMING_FUNCTION] = "function (module)",
		[NAMING_LINE] = "function and line (module)",
		[NAMING_MODULE] = "module",
		[NAMING_ADDRESS] = "function and address (module)",
	};
	const struct report *report = listing->report;
	const struct file_metric *metric = &listing->metric;
	uint64_t sum = 0, whole = listing->whole;
	size_t left_out = 0;

	fprintf(out, "%9s %7s %7s %9s %7s  %s\n", "self", "self%", "sum%", "total",
		"total%", kinds[report->request.naming.granularity]);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		const struct function *function =
			profile_function(report->profile, row->function);
		uint64_t self = metric->of(&row->self), total = metric->of(&row->total);
		sum += self;
		if (total < least || !total) {
			left_out++;
			continue;
		}
		fprintf(out, "%9s %6.2f%% %6.2f%% %9s %6.2f%%  %s",
			quantity_say(metric->kind, self).text,
			file_metric_percent(self, whole), file_metric_percent(sum, whole),
			quantity_say(metric->kind, total).text,
			file_metric_percent(total, whole), function->name);
		if (function->module[0] && function->module != function->name)
			fprintf(out, " (%s)", function->module);
		fputc('\n', out);
	}
	return left_out;
}

static void write_text(const struct listing *listing, size_t most, FILE *out)
{
	size_t left_out = listing_write_text(listing, most, 0, out);
	if (left_out)
		fprintf(out, "%zu more have no %s\n", left_out, listing->metric.type);
}

void listing_put_csv(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void listing_put_function_csv(const struct function *function, FILE *out)
{
	listing_put_csv(function->name, out);
	fputc(',', out);
	listing_put_csv(function->module, out);
	fputc(',', out);
	listing_put_csv(function->file, out);
	fprintf(out, ",%u\n", function->start_line);
}

void listing_put_rows_csv(
	const struct listing *listing, size_t most, const char *group, FILE *out)
{
	const struct file_metric *metric = &listing->metric;

	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		const struct function *function =
			profile_function(listing->report->profile, row->function);
		uint64_t self = metric->of(&row->self), total = metric->of(&row->total);
		if (group) {
			listing_put_csv(group, out);
			fputc(',', out);
		}
		fprintf(out, "%" PRIu64 ",%.2f,%" PRIu64 ",%.2f,", self,
			file_metric_percent(self, listing->whole), total,
			file_metric_percent(total, listing->whole));
		listing_put_function_csv(function, out);
	}
}

static void write_csv(const struct listing *listing, size_t most, FILE *out)
{
	fputs("self,self_percent,total,total_percent," LISTING_FUNCTION_CSV "\n", out);
	listing_put_rows_csv(listing, most, NULL, out);
}

void listing_begin_json(const struct listing *listing, FILE *out)
{
	const struct file_metric *metric = &listing->metric;

	fputs("{\n  ", out);
	json_text_put_pair("type", metric->type, ",\n  ", out);
	json_text_put_pair("unit", metric->unit, ",\n  ", out);
	fprintf(out, "\"all\": %" PRIu64 ",\n  \"counted\": %" PRIu64 ",\n",
		metric->of(&listing->report->everything),
		metric->of(&listing->report->total));
}

void listing_put_function_json(const struct function *function, FILE *out)
{
	json_text_put_pair("function", function->name, ", ", out);
	json_text_put_pair("module", function->module, ", ", out);
	json_text_put_pair("file", function->file, ", ", out);
	fprintf(out, "\"line\": %u}", function->start_line);
}

void listing_put_rows_json(
	const struct listing *listing, size_t most, const char *indent, FILE *out)
{
	const struct file_metric *metric = &listing->metric;

	fputs("\"functions\": [", out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		const struct function *function =
			profile_function(listing->report->profile, row->function);
		fprintf(out, "%s\n%s  {\"self\": %" PRIu64 ", \"total\": %" PRIu64 ", ",
			i ? "," : "", indent, metric->of(&row->self),
			metric->of(&row->total));
		listing_put_function_json(function, out);
	}
	fprintf(out, "\n%s]", indent);
}

static void write_json(const struct listing *listing, size_t most, FILE *out)
{
	listing_begin_json(listing, out);
	fputs("  ", out);
	listing_put_rows_json(listing, most, "  ", out);
	fputs("\n}\n", out);
}

/* As code, so that "operator*" stays what it is. A name with a backtick in it needs a
   longer fence, and '|' would end the field. */
void listing_put_md(const char *text, FILE *out)
{
	const char *fence = strchr(text, '`') ? "`` " : "`",
		   *end = strchr(text, '`') ? " ``" : "`";
	fputs(fence, out);
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputs(end, out);
}

void listing_write_md(const struct listing *listing, size_t most, FILE *out)
{
	const struct file_metric *metric = &listing->metric;

	fputs("| self | self% | total | total% | function | module |\n"
	      "| ---: | ---: | ---: | ---: | --- | --- |\n",
		out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		const struct function *function =
			profile_function(listing->report->profile, row->function);
		uint64_t self = metric->of(&row->self), total = metric->of(&row->total);
		if (!total)
			continue;
		fprintf(out, "| %s | %.2f%% | %s | %.2f%% | ",
			quantity_say(metric->kind, self).text,
			file_metric_percent(self, listing->whole),
			quantity_say(metric->kind, total).text,
			file_metric_percent(total, listing->whole));
		listing_put_md(function->name, out);
		fputs(" | ", out);
		if (function->module[0] && function->module != function->name)
			listing_put_md(function->module, out);
		fputs(" |\n", out);
	}
}

/* A new format is one row, and its function. */
const struct listing_format listing_formats[] = {
	{"text", write_text},
	{"md", listing_write_md},
	{"csv", write_csv},
	{"json", write_json},
	{0},
};

const struct listing_format *listing_format_by_name(const char *name)
{
	for (const struct listing_format *format = listing_formats; format->name;
		format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
