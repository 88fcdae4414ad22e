/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/call-listing.h"

#include "src/facts/text/json-text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char rule[] = "------------------------------------------------------------"
			   "-+--------------------\n";

/* --- who calls whom ---------------------------------------------------------------- */

struct sorting {
	const struct listing *listing;
	bool by_caller;
};

static uint32_t key_of(const struct call *call, bool by_caller)
{
	return by_caller ? call->caller : call->callee;
}

/* By function, then by weight, largest first, then by the other's name. */
static int compare_calls(const void *a, const void *b, void *how)
{
	const struct sorting *sorting = how;
	const struct call *x = a, *y = b;
	const struct file_metric *metric = &sorting->listing->metric;
	const struct profile *profile = sorting->listing->report->profile;
	uint32_t key_x = key_of(x, sorting->by_caller),
		 key_y = key_of(y, sorting->by_caller);
	uint64_t weight_x = metric->of(&x->weight), weight_y = metric->of(&y->weight);
	if (key_x != key_y)
		return key_x < key_y ? -1 : 1;
	if (weight_x != weight_y)
		return weight_x < weight_y ? 1 : -1;
	uint32_t other_x = key_of(x, !sorting->by_caller),
		 other_y = key_of(y, !sorting->by_caller);
	int order = strcmp(profile_function(profile, other_x)->name,
		profile_function(profile, other_y)->name);
	return order ? order : (other_x > other_y) - (other_x < other_y);
}

static void sort_calls(
	struct call_list *calls, const struct listing *listing, bool by_caller)
{
	struct sorting sorting = {listing, by_caller};
	if (calls->len)
		qsort_r(calls->data, calls->len, sizeof(*calls->data), compare_calls,
			&sorting);
}

void call_listing_init(
	struct call_listing *graph, const struct listing *listing, bool is_shared)
{
	*graph = (struct call_listing){.listing = listing};
	if (is_shared) {
		edges_shared(&graph->by_caller, &graph->by_callee, listing->report);
	} else {
		edges_all(&graph->by_caller, listing->report);
		vec_each (&graph->by_caller, call)
			vec_push(&graph->by_callee, *call);
	}
	sort_calls(&graph->by_caller, listing, true);
	sort_calls(&graph->by_callee, listing, false);
}

void call_listing_finish(struct call_listing *graph)
{
	vec_free(&graph->by_caller);
	vec_free(&graph->by_callee);
}

static size_t first_of(const struct call_list *calls, bool by_caller, uint32_t function)
{
	size_t from = 0, to = calls->len;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (key_of(&calls->data[middle], by_caller) < function)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct call_range range_of(
	const struct call_list *calls, bool by_caller, uint32_t function)
{
	size_t from = first_of(calls, by_caller, function);
	size_t to = first_of(calls, by_caller, function + 1);
	if (from == to)
		return (struct call_range){NULL, 0};
	return (struct call_range){calls->data + from, to - from};
}

struct call_range call_listing_callers(
	const struct call_listing *graph, uint32_t function)
{
	return range_of(&graph->by_callee, false, function);
}

struct call_range call_listing_callees(
	const struct call_listing *graph, uint32_t function)
{
	return range_of(&graph->by_caller, true, function);
}

/* --- text -------------------------------------------------------------------------- */

static const char *name_of(const struct call_listing *graph, uint32_t function)
{
	return profile_function(graph->listing->report->profile, function)->name;
}

static void write_calls(const struct call_listing *graph, struct call_range range,
	bool callers, uint64_t of, uint64_t least, FILE *out)
{
	const struct file_metric *metric = &graph->listing->metric;
	for (size_t i = 0; i < range.n; i++) {
		const struct call *call = &range.calls[i];
		uint64_t weight = metric->of(&call->weight);
		if (weight && weight >= least)
			fprintf(out, "%43s%9s %6.2f%% |   %s\n", "",
				quantity_say(metric->kind, weight).text,
				file_metric_percent(weight, of),
				name_of(graph, callers ? call->caller : call->callee));
	}
}

static void write_function(const struct call_listing *graph,
	const struct report_function *row, uint64_t sum, uint64_t least, FILE *out)
{
	const struct listing *listing = graph->listing;
	const struct file_metric *metric = &listing->metric;
	uint64_t self = metric->of(&row->self), total = metric->of(&row->total);

	write_calls(graph, call_listing_callers(graph, row->function), true, total, least,
		out);
	fprintf(out, "%9s %6.2f%% %6.2f%% %9s %6.2f%%%17s | %s\n",
		quantity_say(metric->kind, self).text,
		file_metric_percent(self, listing->whole),
		file_metric_percent(sum, listing->whole),
		quantity_say(metric->kind, total).text,
		file_metric_percent(total, listing->whole), "",
		name_of(graph, row->function));
	write_calls(graph, call_listing_callees(graph, row->function), false, total,
		least, out);
	fputs(rule, out);
}

void call_listing_write_text(
	const struct call_listing *graph, size_t most, uint64_t least, FILE *out)
{
	const struct listing *listing = graph->listing;
	const struct file_metric *metric = &listing->metric;
	uint64_t sum = 0;

	fputs(rule, out);
	fprintf(out, "%9s %7s %7s %9s %7s %8s %7s | %s\n", "self", "self%", "sum%",
		"total", "total%", "calls", "calls%", "function");
	fputs(rule, out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		sum += metric->of(&row->self);
		if (metric->of(&row->total) >= least)
			write_function(graph, row, sum, least, out);
	}
}

/* --- for programs ------------------------------------------------------------------ */

static void write_csv_calls(const struct call_listing *graph, const char *name,
	struct call_range range, bool callers, FILE *out)
{
	const struct file_metric *metric = &graph->listing->metric;
	for (size_t i = 0; i < range.n; i++) {
		const struct call *call = &range.calls[i];
		listing_put_csv(name, out);
		fprintf(out, ",%s,", callers ? "caller" : "callee");
		listing_put_csv(
			name_of(graph, callers ? call->caller : call->callee), out);
		fprintf(out, ",,,%" PRIu64 "\n", metric->of(&call->weight));
	}
}

void call_listing_write_csv(const struct call_listing *graph, size_t most, FILE *out)
{
	const struct listing *listing = graph->listing;
	const struct file_metric *metric = &listing->metric;

	fputs("function,relation,other,self,total,weight\n", out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		const char *name = name_of(graph, row->function);
		listing_put_csv(name, out);
		fprintf(out, ",,,%" PRIu64 ",%" PRIu64 ",\n", metric->of(&row->self),
			metric->of(&row->total));
		write_csv_calls(graph, name, call_listing_callers(graph, row->function),
			true, out);
		write_csv_calls(graph, name, call_listing_callees(graph, row->function),
			false, out);
	}
}

static void write_json_calls(const struct call_listing *graph, const char *key,
	struct call_range range, bool callers, FILE *out)
{
	const struct file_metric *metric = &graph->listing->metric;
	fprintf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < range.n; i++) {
		const struct call *call = &range.calls[i];
		fprintf(out, "%s{\"function\": ", i ? ", " : "");
		json_text_put(name_of(graph, callers ? call->caller : call->callee), out);
		fprintf(out, ", \"weight\": %" PRIu64 "}", metric->of(&call->weight));
	}
	fputc(']', out);
}

void call_listing_write_json(const struct call_listing *graph, size_t most, FILE *out)
{
	const struct listing *listing = graph->listing;
	const struct file_metric *metric = &listing->metric;

	listing_begin_json(listing, out);
	fputs("  \"functions\": [", out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		fprintf(out, "%s\n    {\"function\": ", i ? "," : "");
		json_text_put(name_of(graph, row->function), out);
		fprintf(out, ", \"self\": %" PRIu64 ", \"total\": %" PRIu64,
			metric->of(&row->self), metric->of(&row->total));
		write_json_calls(graph, "callers",
			call_listing_callers(graph, row->function), true, out);
		write_json_calls(graph, "callees",
			call_listing_callees(graph, row->function), false, out);
		fputc('}', out);
	}
	fputs("\n  ]\n}\n", out);
}

static void write_md_calls(const struct call_listing *graph, struct call_range range,
	bool callers, FILE *out)
{
	const struct file_metric *metric = &graph->listing->metric;
	for (size_t i = 0; i < range.n; i++) {
		const struct call *call = &range.calls[i];
		uint64_t weight = metric->of(&call->weight);
		if (!weight)
			continue;
		fprintf(out, "| | | %s | %s ", quantity_say(metric->kind, weight).text,
			callers ? "called by" : "calls");
		listing_put_md(
			name_of(graph, callers ? call->caller : call->callee), out);
		fputs(" |\n", out);
	}
}

void call_listing_write_md(const struct call_listing *graph, size_t most, FILE *out)
{
	const struct listing *listing = graph->listing;
	const struct file_metric *metric = &listing->metric;

	fputs("| self | total | calls | function |\n| ---: | ---: | ---: | --- |\n", out);
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		fprintf(out, "| %s | %s | | **",
			quantity_say(metric->kind, metric->of(&row->self)).text,
			quantity_say(metric->kind, metric->of(&row->total)).text);
		listing_put_md(name_of(graph, row->function), out);
		fputs("** |\n", out);
		write_md_calls(
			graph, call_listing_callers(graph, row->function), true, out);
		write_md_calls(
			graph, call_listing_callees(graph, row->function), false, out);
	}
}
