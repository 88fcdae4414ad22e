/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that matter now, in the bar at the bottom (screen.h). */
#include "ui/keys/action.h"
#include "ui/keys/key.h"
#include "ui/screen/screen.h"

/* What matters in every view, after the first keys of its own. */
static const struct view_key everywhere[] = {
	{ACTION_PALETTE, "Find", NULL},
	{ACTION_METRIC, "Waits", NULL},
	{ACTION_EARLIER, "Back", NULL},
	{ACTION_BASELINE, "Compare", NULL},
	{ACTION_SEARCH, "Search", NULL},
	{ACTION_FILTER, "Filter", NULL},
	{ACTION_FREEZE, "Freeze", NULL},
	{ACTION_SETTINGS, "Setup", NULL},
	{ACTION_EXPORT, "Export", NULL},
	{ACTION_GRANULARITY, "Lines", NULL},
	{ACTION_LONGER, "Longer", NULL},
	{ACTION_SHORTER, "Shorter", NULL},
	{ACTION_RESET, "Reset", NULL},
	{ACTION_MARK, "Mark", NULL},
	{ACTION_COPY, "Copy", NULL},
	{ACTION_HEALTH, "Stacks", NULL},
	{ACTION_SAMPLING, "Sampling", NULL},
	{ACTION_NONE, NULL, NULL},
};

/* What matters first when the picture is held. */
static const struct view_key of_the_past[] = {
	{ACTION_PALETTE, "Find", NULL},
	{ACTION_EARLIER, "Back", NULL},
	{ACTION_LATER, "Later", NULL},
	{ACTION_SHORTER, "Shorter", NULL},
	{ACTION_FREEZE, "Now", NULL},
	{ACTION_NONE, NULL, NULL},
};

enum {
	FIRST_OF_VIEW = 2,    /* keys of the view come first, */
	FIRST_EVERYWHERE = 5, /* then so many that matter everywhere, then the rest */
};

static void add_keys(struct key_bar *bar, const struct view_key *keys, int from, int to)
{
	for (int i = 0; i < to && keys[i].action != ACTION_NONE; i++)
		if (i >= from)
			key_bar_add(bar, action_key(keys[i].action), keys[i].label);
}

static void keys_of_view(const struct screen *screen, struct key_bar *bar)
{
	const struct view_key *keys = screen_view(screen)->keys;

	key_bar_end(bar, action_key(ACTION_QUIT), "Quit");
	key_bar_add(bar, action_key(ACTION_HELP), "Help");
	add_keys(bar, keys, 0, FIRST_OF_VIEW);
	add_keys(bar, screen->state.frozen ? of_the_past : everywhere, 0,
		FIRST_EVERYWHERE);
	add_keys(bar, keys, FIRST_OF_VIEW, KEY_BAR_MAX);
	add_keys(bar, everywhere, FIRST_EVERYWHERE, KEY_BAR_MAX);
}

/* What is typed, chosen or read has keys of its own. */
static void keys_of_mode(enum screen_mode mode, struct key_bar *bar)
{
	if (mode != MODE_SHEET && mode != MODE_SETTINGS)
		key_bar_add(bar, K_ENTER,
			mode == MODE_PROMPT ? "Done"
			: mode == MODE_MENU ? "Choose"
					    : "Do it");
	if (mode == MODE_PROMPT)
		key_bar_add(bar, K_CTRL('U'), "Clear");
	if (mode == MODE_SETTINGS) {
		key_bar_add(bar, K_RIGHT, "Next");
		key_bar_add(bar, K_LEFT, "Previous");
	}
	if (mode != MODE_PROMPT) {
		key_bar_add(bar, K_UP, "Above");
		key_bar_add(bar, K_DOWN, "Below");
	}
	if (mode == MODE_SHEET) {
		key_bar_add(bar, K_PAGE_UP, "Page up");
		key_bar_add(bar, K_PAGE_DOWN, "Page down");
	}
	key_bar_end(bar, K_ESC,
		mode == MODE_SHEET	? "Close"
		: mode == MODE_SETTINGS ? "Done"
					: "Cancel");
}

static struct key_bar bar_of(const struct screen *screen)
{
	struct key_bar bar = {0};

	if (screen->mode == MODE_VIEW)
		keys_of_view(screen, &bar);
	else
		keys_of_mode(screen->mode, &bar);
	return bar;
}

void screen_bar_draw(const struct screen *screen, struct grid *grid)
{
	struct key_bar bar = bar_of(screen);

	key_bar_draw(&bar, grid);
}

uint32_t screen_bar_at(const struct screen *screen, int column)
{
	struct key_bar bar = bar_of(screen);

	return key_bar_at(&bar, screen->grid.columns, column);
}
