/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hues: which module has which colour on this screen.
 *
 * The modules that are in a profile share the circle of hues: the program itself, if it is
 * known, or of those in the first report the one with the most area in the flame graph, gets the
 * first hue, the next the opposite one,
 * and so on (THEME_HUES in theme.h says why they are as far apart as can be). A module keeps
 * its hue as long as the screen runs, and modules that come later get those that are left.
 * When none is, a module shares the hue of those that have the least area then. So the hue of
 * a module depends on the profile; that of its name in a table is the same. A process that is
 * a cell of a flame graph counts as a module of its name. Owns what it remembers. UI thread.
 */
#ifndef CPROFTOP_UI_HUES_H
#define CPROFTOP_UI_HUES_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/model/profile.h"
#include "src/report/report.h"
#include "ui/draw/theme.h"
#include "ui/view/metric.h"

#include <stdbool.h>
#include <stdint.h>

struct hue_holder {
	char *module;
	uint64_t area; /* in the last report: what its functions total */
	unsigned hue;
};

struct hues {
	VEC(struct hue_holder) holders; /* in the order in which they came */
	struct idmap places;		/* the hash of a name -> its place in holders */
};

/* Before all others: MODULE, the target's own program, has the first hue, whenever it is seen
   and whatever is seen before. */
void hues_begin(struct hues *hues, const char *module);

/* Give the modules of REPORT that have none a hue. */
void hues_update(struct hues *hues, const struct report *report, enum metric metric);
void hues_finish(struct hues *hues);

/* The roles of FUNCTION's module: of its cells, in one of two tones, so that neighbours of one
   module can be told apart; and of its name. ROLE_NO_CODE and ROLE_DIM for what has none. */
enum role hues_cell(const struct hues *hues, const struct function *function);
enum role hues_ink(const struct hues *hues, const struct function *function);

#endif
