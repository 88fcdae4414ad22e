/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/callers/callers-rows.h"

#include "src/base/vec.h"
#include "src/count/edges.h"

#include <stdlib.h>

static void add(struct callers_rows *rows, enum callers_kind kind, uint32_t function,
	const struct weight *weight)
{
	struct callers_row row = {kind, function, *weight};
	vec_push(rows, row);
}

void callers_rows_build(
	struct callers_rows *rows, const struct report *report, uint32_t function)
{
	struct weight total = {0};
	struct edges edges;

	for (size_t i = 0; i < report->n_functions; i++)
		if (report->functions[i].function == function)
			total = report->functions[i].total;
	edges_of(&edges, report, function);
	rows->len = 0;
	if (edges.outermost.samples > 0)
		add(rows, CALLERS_OUTERMOST, function, &edges.outermost);
	for (size_t i = edges.callers.len; i-- > 0;)
		add(rows, CALLERS_CALLER, edges.callers.data[i].function,
			&edges.callers.data[i].weight);
	rows->middle = rows->len;
	add(rows, CALLERS_FUNCTION, function, &total);
	if (edges.self.samples > 0)
		add(rows, CALLERS_SELF, function, &edges.self);
	vec_each (&edges.callees, edge)
		add(rows, CALLERS_CALLEE, edge->function, &edge->weight);
	edges_finish(&edges);
}

void callers_rows_finish(struct callers_rows *rows)
{
	vec_free(rows);
}
