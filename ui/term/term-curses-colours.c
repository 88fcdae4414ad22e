/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-colours.h"

#include "ui/term/term-curses-rgb.h"
#include "ui/term/terminfo.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

attr_t curses_attributes(unsigned attributes)
{
	return (attributes & ATTR_BOLD ? A_BOLD : 0) |
	       (attributes & ATTR_UNDERLINE ? A_UNDERLINE : 0) |
	       (attributes & ATTR_REVERSE ? A_REVERSE : 0) |
	       (attributes & ATTR_DIM ? A_DIM : 0);
}

static bool wants_none(const struct term_options *options)
{
	const char *wish = getenv("NO_COLOR"); /* no-color.org: set and not empty */

	return options->colours == TERM_COLOURS_NONE ||
	       (options->colours == TERM_COLOURS_AUTO && wish && wish[0] != '\0');
}

SCREEN *curses_colours_newterm(const char *type, const struct term_options *options)
{
	bool may_be_rgb = options->colours == TERM_COLOURS_AUTO ||
			  options->colours == TERM_COLOURS_RGB;
	struct terminfo_loan lent;
	SCREEN *screen = NULL;

	char *description =
		may_be_rgb && !wants_none(options)
			? curses_rgb_describe(type, options->colours == TERM_COLOURS_RGB)
			: NULL;
	if (description) {
		terminfo_lend_description(description, &lent);
		screen = newterm(NULL, stdout, stdin);
		terminfo_take_back(&lent);
		free(description);
	}
	if (!screen)
		screen = newterm(NULL, stdout, stdin);
	if (!screen && terminfo_lend(type, &lent)) {
		screen = newterm(NULL, stdout, stdin);
		terminfo_take_back(&lent);
	}
	return screen;
}

static enum theme_depth depth_of(const struct term_options *options)
{
	static const enum theme_depth most[] = {
		[TERM_COLOURS_AUTO] = DEPTH_RGB,
		[TERM_COLOURS_8] = DEPTH_8,
		[TERM_COLOURS_16] = DEPTH_16,
		[TERM_COLOURS_256] = DEPTH_256,
		[TERM_COLOURS_RGB] = DEPTH_RGB,
	};

	if (wants_none(options) || !has_colors() || start_color() != OK)
		return DEPTH_NONE;
	enum theme_depth depth = theme_depth(COLORS);
	return depth < most[options->colours] ? depth : most[options->colours];
}

/* rxvt, Konsole and others tell the numbers of their colours: "15;0" is white on black, and
   between them there may be more. */
static enum theme_ground ground_by_environment(void)
{
	const char *says = getenv("COLORFGBG");
	const char *last = says ? strrchr(says, ';') : NULL;
	char *end;

	if (!last || last[1] == '\0')
		return GROUND_UNKNOWN;
	long background = strtol(last + 1, &end, 10);
	if (*end != '\0' || background < 0 || background > 15)
		return GROUND_UNKNOWN;
	return background == 7 || background > 8 ? GROUND_LIGHT : GROUND_DARK;
}

enum theme_ground curses_colours_guess(void)
{
	const char *type = getenv("TERM");
	enum theme_ground ground = ground_by_environment();
	bool is_console = type && strcmp(type, "linux") == 0;

	return ground == GROUND_UNKNOWN && is_console ? GROUND_DARK : ground;
}

/* The pair of two colours: a terminal of eight has 64 in all, fewer than there are roles. */
static short pair_of(struct paint *pairs, short *n_pairs, struct paint paint)
{
	for (short pair = 1; pair < *n_pairs; pair++)
		if (pairs[pair].foreground == paint.foreground &&
			pairs[pair].background == paint.background)
			return pair;
	if (*n_pairs >= COLOR_PAIRS)
		return 0;
	pairs[*n_pairs] = paint;
	init_extended_pair(*n_pairs, paint.foreground, paint.background);
	return (*n_pairs)++;
}

static void define_roles(struct curses_colours *colours)
{
	bool has_colours = colours->theme.depth != DEPTH_NONE;
	bool own = has_colours && use_default_colors() == OK;
	struct paint pairs[ROLE_COUNT + 1];
	short n_pairs = 1;

	for (enum role role = 0; role < ROLE_COUNT; role++) {
		struct paint paint = theme_paint(&colours->theme, role);
		colours->attributes[role] = curses_attributes(paint.attributes);
		if (!has_colours)
			continue;
		if (!own && paint.foreground < 0)
			paint.foreground = COLOR_WHITE;
		if (!own && paint.background < 0)
			paint.background = COLOR_BLACK;
		colours->attributes[role] |=
			(attr_t)COLOR_PAIR(pair_of(pairs, &n_pairs, paint));
	}
}

void curses_colours_begin(
	struct curses_colours *colours, const struct term_options *options)
{
	colours->theme = (struct theme){depth_of(options), options->ground};
	if (options->ground == GROUND_UNKNOWN)
		colours->theme.ground = curses_colours_guess();
	define_roles(colours);
}

void curses_colours_set_ground(struct curses_colours *colours, enum theme_ground ground)
{
	colours->theme.ground = ground;
	define_roles(colours);
}
