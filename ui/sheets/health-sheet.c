/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/sheets/health-sheet.h"

#include "src/count/health.h"
#include "src/count/languages.h"
#include "src/count/nameless.h"
#include "ui/draw/format.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	NAMELESS_SHOWN = 3,
};

static void add_ends(struct sheet *sheet, const struct health *health, uint64_t stacks)
{
	for (int end = 0; end < UNWIND_END_COUNT; end++) {
		char text[80];
		if (!health->ends[end] && end != UNWIND_ROOT)
			continue;
		snprintf(text, sizeof(text), "%s  %" PRIu64 " samples",
			format_percent(health->ends[end], stacks).text,
			health->ends[end]);
		sheet_add(sheet, false,
			end == UNWIND_ROOT ? "complete"
					   : unwind_end_name((enum unwind_end)end),
			text);
	}
}

static void add_row(struct sheet *sheet, const struct health_row *row, uint64_t stacks)
{
	char text[256];
	snprintf(text, sizeof(text), "%s  %s; %s",
		format_percent(row->samples, stacks).text, health_reason(row),
		health_remedy(row));
	sheet_add(sheet, false, row->module[0] ? row->module : "?", text);
}

/* Samples whose leaf has no name: how many, in which modules, and how to get names. */
static void add_nameless(struct sheet *sheet, const struct report *report)
{
	struct nameless nameless;
	nameless_of(report, &nameless);
	for (size_t i = 0; i < nameless.n_rows && i < NAMELESS_SHOWN; i++) {
		const struct nameless_row *row = &nameless.rows[i];
		char text[256];
		if (!nameless_matters(&nameless, row))
			break;
		if (i == 0)
			sheet_add(sheet, true, "", "What has no name, and what helps");
		snprintf(text, sizeof(text), "%s  %s",
			format_percent(row->samples, nameless.of).text,
			nameless_remedy(row));
		sheet_add(sheet, false, row->module, text);
	}
}

static void add_broken(struct sheet *sheet, const struct health *health, uint64_t stacks)
{
	sheet_add(sheet, true, "", "Where the others broke, why, and what helps");
	for (size_t i = 0; i < health->n_rows; i++)
		add_row(sheet, &health->rows[i], stacks);
	if (health->others > 0)
		sheet_add(sheet, false, "others",
			format_percent(health->others, stacks).text);
}

void sheet_health(struct sheet *sheet, const struct report *report)
{
	struct health health;
	char languages[LANGUAGES_TEXT_MAX];
	health_of(report, &health);
	uint64_t stacks = health_stacks(&health);

	sheet_start(sheet, "How whole the stacks are");
	sheet_add(sheet, true, "", "How the stacks of the samples shown ended");
	add_ends(sheet, &health, stacks);
	languages_text(report, languages, sizeof(languages));
	if (report->places[0])
		sheet_add(sheet, false, "counted", report->places);
	if (languages[0])
		sheet_add(sheet, false, "languages", languages);
	if (health.folded > 0)
		sheet_add(sheet, false, "folded",
			"some have more than 4096 frames: [... N+ frames] is between");
	if (health_broken(&health) > 0)
		add_broken(sheet, &health, stacks);
	add_nameless(sheet, report);
}
