/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * painted: what a role looks like on a terminal, as colours of a screen.
 */
#ifndef CPROFTOP_TESTS_PAINTED_H
#define CPROFTOP_TESTS_PAINTED_H

#include "ui/draw/oklch.h"
#include "ui/draw/theme.h"

#include <math.h>

/* The backgrounds that a person is assumed to have on a ground: the two extremes. */
static const uint32_t painted_grounds[][2] = {
	[GROUND_UNKNOWN] = {0x000000, 0xffffff},
	[GROUND_DARK] = {0x000000, 0x282c34},
	[GROUND_LIGHT] = {0xffffff, 0xfdf6e3},
};

/* COLOUR, at least 0, as a terminal of DEPTH shows it: the first sixteen as xterm does. */
static inline uint32_t painted_rgb(int32_t colour, enum theme_depth depth)
{
	static const uint32_t first[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
		0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

	if (depth == DEPTH_RGB)
		return (uint32_t)colour;
	return colour < 16 ? first[colour] : rgb_of_256(colour);
}

/* The contrast of text in ROLE: to the colour below it, or to both backgrounds the lesser. 0: it
   is drawn in the terminal's own colour on its own background. */
static inline double painted_contrast(const struct theme *theme, enum role role)
{
	struct paint paint = theme_paint(theme, role);
	const uint32_t *grounds = painted_grounds[theme->ground];

	if (paint.foreground < 0)
		return 0;
	uint32_t text = painted_rgb(paint.foreground, theme->depth);
	if (paint.background >= 0)
		return rgb_contrast(text, painted_rgb(paint.background, theme->depth));
	return fmin(rgb_contrast(text, grounds[0]), rgb_contrast(text, grounds[1]));
}

#endif
