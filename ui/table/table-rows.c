/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/table-rows.h"

#include "ui/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct key { /* of one row while sorting */
	uint64_t number, tie;
	const char *text;
	uint32_t row;
};

/* What is more than noise comes first, then what has changed most. */
static struct key change_key(const struct report *report, bool self, uint32_t row)
{
	const struct difference *difference = report->difference;
	const struct change *change =
		self ? &difference->self[row] : &difference->total[row];
	const struct change *tie =
		self ? &difference->total[row] : &difference->self[row];
	const uint64_t real = UINT64_C(1) << 63;

	return (struct key){(change->real ? real : 0) | (uint64_t)fabs(change_of(change)),
		(tie->real ? real : 0) | (uint64_t)fabs(change_of(tie)), NULL, row};
}

static struct key make_key(
	const struct report *report, enum table_order order, uint32_t row)
{
	const struct report_function *function = &report->functions[row];
	const struct function *names =
		profile_function(report->profile, function->function);
	enum metric metric = view_metric(report);

	uint64_t self = metric_of(metric, &function->self);
	uint64_t total = metric_of(metric, &function->total);

	if (report->difference &&
		(order == TABLE_BY_SELF_TIME || order == TABLE_BY_TOTAL_TIME))
		return change_key(report, order == TABLE_BY_SELF_TIME, row);
	switch (order) {
	case TABLE_BY_TOTAL:
		return (struct key){total, self, NULL, row};
	case TABLE_BY_SELF_TIME:
		return (struct key){
			view_time_ns(report, &function->self), total, NULL, row};
	case TABLE_BY_TOTAL_TIME:
		return (struct key){
			view_time_ns(report, &function->total), self, NULL, row};
	case TABLE_BY_SAMPLES:
		return (struct key){function->self.samples, total, NULL, row};
	case TABLE_BY_NAME:
		return (struct key){0, 0, names->name, row};
	case TABLE_BY_MODULE:
		return (struct key){0, 0, names->module, row};
	default:
		return (struct key){self, total, NULL, row};
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int texts = x->text ? strcmp(x->text, y->text) : 0;

	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	if (x->tie != y->tie)
		return x->tie > y->tie ? -1 : 1;
	if (texts != 0)
		return texts;
	return x->row < y->row ? -1 : x->row > y->row;
}

static bool comes_sorted(const struct report *report, enum table_order order)
{
	return !report->difference &&
	       (order == TABLE_BY_SELF || order == TABLE_BY_SELF_TIME) &&
	       view_metric(report) == METRIC_CPU;
}

void table_rows_build(struct table_rows *rows, const struct report *report,
	enum table_order order, bool reversed, double least_share)
{
	enum metric metric = view_metric(report);
	double least = least_share * (double)metric_of(metric, &report->total);
	VEC(struct key) keys = {0};

	for (uint32_t i = 0; i < report->n_functions; i++) {
		if ((double)metric_of(metric, &report->functions[i].total) >= least)
			vec_push(&keys, make_key(report, order, i));
	}
	if (!comes_sorted(report, order) && keys.len > 1)
		qsort(keys.data, keys.len, sizeof(struct key), compare_keys);

	rows->hidden = report->n_functions - keys.len;
	rows->count = keys.len;
	if (rows->capacity < keys.len) {
		rows->capacity = keys.len;
		rows->rows = mem_resize(rows->rows, rows->capacity, sizeof(uint32_t));
	}
	for (size_t i = 0; i < keys.len; i++)
		rows->rows[i] = keys.data[reversed ? keys.len - 1 - i : i].row;
	vec_free(&keys);
}

void table_rows_finish(struct table_rows *rows)
{
	free(rows->rows);
	*rows = (struct table_rows){0};
}
