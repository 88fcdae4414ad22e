/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/flame/flame-status.h"

#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/flame/flame-draw.h"
#include "ui/view/changed.h"
#include "ui/view/view.h"

#include <stdio.h>

const struct view_key flame_keys[] = {
	{ACTION_ZOOM, "Zoom", "zoom in: all views have only what is below it"},
	{ACTION_POP, "Out", NULL},
	{ACTION_DETAIL, "Callers", NULL},
	{ACTION_HOT_DOWN, "Hottest", NULL},
	{ACTION_FOLD, "Fold", "fold callers in a row without a branch, or show them"},
	{ACTION_ANNOTATE, "Source", NULL},
	{ACTION_FLIP, "Flip", NULL},
	{ACTION_MIN_MORE, "Fewer", NULL},
	{ACTION_EDIT, "Edit", NULL},
	{ACTION_NONE, NULL, NULL},
};

void flame_status(char *text, size_t size, const struct report *report,
	const struct flame_layout *layout, const struct flame_cursor *cursor, bool zoomed)
{
	const struct flame_cell *cell = &layout->cells.data[cursor->cell];
	enum metric metric = view_metric(report);
	uint64_t all = metric_of(metric, report_around(report)), self, total;
	char name[ELIDE_MAX], zoom[64] = "", change[128];

	/* The cursor may be on a node inside an "other" cell, for example after a search;
	   then that node is named. */
	bool mixed = cell->merged > 0 && cursor->node == cell->node;
	const struct report_node *node =
		&report->nodes[mixed || !cursor->exact ? cell->node : cursor->node];
	self = mixed ? 0 : metric_of(metric, &node->self);
	total = mixed ? cell->weight : metric_of(metric, &node->total);
	if (zoomed)
		snprintf(zoom, sizeof(zoom), ", %s of zoom",
			format_percent(total, layout->cells.data[0].weight).text);
	if (mixed) {
		snprintf(text, size, "%u functions too narrow to show: %s of all%s",
			cell->merged, format_percent(total, all).text, zoom);
		return;
	}
	if (cell->folded > 0 && node == &report->nodes[cell->node]) {
		snprintf(text, size,
			"%u callers in a row without a branch: Enter or s shows them",
			cell->folded);
		return;
	}
	elide_name(name, sizeof(name), flame_node_name(report, node), 60, "~");
	if (report->difference) {
		changed_describe(report, &report->difference->node[node - report->nodes],
			change, sizeof(change));
		snprintf(text, size, "%s  total %s", name, change);
		return;
	}
	/* The least important comes last, because the line may be cut. */
	snprintf(text, size, "%s  %s of all%s, self %s; %s  %s", name,
		format_percent(total, all).text, zoom, format_percent(self, all).text,
		view_samples_told(&node->total).text,
		node->function == PROFILE_NONE
			? ""
			: view_module(profile_function(report->profile, node->function)));
}
