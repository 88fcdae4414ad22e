/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/theme.h"

#include "ui/draw/oklch.h"

#include <math.h>
#include <stdio.h>

/* What a colour is for; its lightness follows from that, except of a fixed one. */
enum use {
	USE_OWN,      /* the terminal's own */
	USE_INK,      /* text on the terminal's background */
	USE_FAINT,    /* secondary text there */
	USE_MARK,     /* what is no text there: bars */
	USE_PANEL,    /* a background that is near the terminal's, for headings, */
	USE_ON_PANEL, /* and the text on it */
	USE_FIXED
};

struct shade {
	enum use use;
	struct oklch colour;
};

#define OWN               \
	{                 \
		USE_OWN,  \
		{         \
			0 \
		}         \
	}
#define INK(chroma, hue)               \
	{                              \
		USE_INK,               \
		{                      \
			0, chroma, hue \
		}                      \
	}
#define MARK(chroma, hue)              \
	{                              \
		USE_MARK,              \
		{                      \
			0, chroma, hue \
		}                      \
	}
#define FAINT                         \
	{                             \
		USE_FAINT,            \
		{                     \
			0, 0.012, 260 \
		}                     \
	}
#define PANEL                         \
	{                             \
		USE_PANEL,            \
		{                     \
			0, 0.022, 260 \
		}                     \
	}
#define ON_PANEL                     \
	{                            \
		USE_ON_PANEL,        \
		{                    \
			0, 0.01, 260 \
		}                    \
	}
#define FIXED(...)                  \
	{                           \
		USE_FIXED,          \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define BLACKISH FIXED(0.19, 0.008, 260) /* text on cells */
#define WHITISH	 FIXED(0.98, 0.005, 260) /* text on what is deep */
#define DEEP	 FIXED(0.47, 0.115, 258) /* what is chosen */

/* The hues of what means something, in degrees. */
enum {
	RED_HUE = 25,
	FLAME_HUE = 60,
	AMBER_HUE = 75,
	YELLOW_HUE = 100,
	GREEN_HUE = 150,
	TEAL_HUE = 195,
	BLUE_HUE = 250
};

/* The first eight colours of a terminal, and its own. */
enum {
	BLACK,
	RED,
	GREEN,
	YELLOW,
	BLUE,
	MAGENTA,
	CYAN,
	WHITE,
	BRIGHT_RED = 9,
	BRIGHT_GREEN,
	BRIGHT_MAGENTA = 13,
	BRIGHT_CYAN,
	FIRST_OF_CUBE = 16,
	TERMINAL_OWN = -1
};

/* WCAG 2.1, 1.4.3 and 1.4.11. */
#define TEXT_CONTRAST 4.5
#define MARK_CONTRAST 3
#define MISSING_COST  1 /* in OKLab, for each 1 of contrast that is missing */

/* The look of one role: as designed, in the terminal's first eight colours, and without
   any. */
struct role_paint {
	struct shade foreground, background;
	uint8_t attributes;
	struct paint eight;
	uint8_t mono;
};

#define EIGHT(...)          \
	{                   \
		__VA_ARGS__ \
	}
#define ON_OWN(colour, attributes) EIGHT(colour, TERMINAL_OWN, attributes)

static const struct role_paint role_paints[ROLE_HUE] = {
	[ROLE_NORMAL] = {OWN, OWN, 0, ON_OWN(TERMINAL_OWN, 0), 0},
	[ROLE_DIM] = {FAINT, OWN, 0, ON_OWN(TERMINAL_OWN, ATTR_DIM), ATTR_DIM},
	[ROLE_LABEL] = {INK(0.085, TEAL_HUE), OWN, 0, ON_OWN(CYAN, 0), 0},
	[ROLE_VALUE] = {OWN, OWN, ATTR_BOLD, ON_OWN(TERMINAL_OWN, ATTR_BOLD), ATTR_BOLD},
	[ROLE_GOOD] = {INK(0.15, GREEN_HUE), OWN, 0, ON_OWN(GREEN, 0), 0},
	[ROLE_WARN] = {INK(0.14, AMBER_HUE), OWN, ATTR_BOLD, ON_OWN(YELLOW, ATTR_BOLD),
		ATTR_BOLD},
	[ROLE_BAD] = {INK(0.19, RED_HUE), OWN, ATTR_BOLD, ON_OWN(RED, ATTR_BOLD),
		ATTR_REVERSE},
	[ROLE_TAB] = {FAINT, OWN, 0, ON_OWN(TERMINAL_OWN, 0), 0},
	[ROLE_TAB_ACTIVE] = {WHITISH, DEEP, ATTR_BOLD, EIGHT(BLACK, CYAN, 0),
		ATTR_REVERSE | ATTR_BOLD},
	[ROLE_COLUMN] = {ON_PANEL, PANEL, 0, EIGHT(BLACK, GREEN, 0), ATTR_REVERSE},
	[ROLE_COLUMN_SORTED] = {{USE_ON_PANEL, {0, 0.13, FLAME_HUE}}, PANEL, ATTR_BOLD,
		EIGHT(BLACK, CYAN, 0), ATTR_REVERSE | ATTR_BOLD},
	[ROLE_CURSOR] = {WHITISH, DEEP, 0, EIGHT(WHITE, BLUE, ATTR_BOLD), ATTR_REVERSE},
	[ROLE_CURSOR_BESIDE] = {ON_PANEL, {USE_PANEL, {0, 0.055, 258}}, 0,
		ON_OWN(BLUE, ATTR_BOLD | ATTR_UNDERLINE), ATTR_REVERSE | ATTR_DIM},
	[ROLE_MATCH] = {BLACKISH, FIXED(0.90, 0.17, YELLOW_HUE), ATTR_BOLD,
		EIGHT(BLACK, YELLOW, 0), ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_FLASH] = {INK(0.13, TEAL_HUE), OWN, ATTR_BOLD, ON_OWN(CYAN, ATTR_BOLD),
		ATTR_BOLD},
	[ROLE_BAR] = {MARK(0.15, FLAME_HUE), OWN, 0, ON_OWN(RED, 0), 0},
	[ROLE_BAR_TOTAL] = {MARK(0.09, BLUE_HUE), OWN, 0, ON_OWN(BLUE, 0), 0},
	[ROLE_MORE] = {INK(0.19, RED_HUE), OWN, ATTR_BOLD, ON_OWN(RED, ATTR_BOLD),
		ATTR_BOLD},
	[ROLE_LESS] = {INK(0.14, BLUE_HUE), OWN, ATTR_BOLD, ON_OWN(BLUE, ATTR_BOLD),
		ATTR_BOLD},
	[ROLE_MORE_CELL] = {BLACKISH, FIXED(0.75, 0.14, RED_HUE), 0, EIGHT(WHITE, RED, 0),
		ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_LESS_CELL] = {BLACKISH, FIXED(0.75, 0.12, BLUE_HUE), 0,
		EIGHT(BLACK, CYAN, 0), ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_SAME_CELL] = {BLACKISH, FIXED(0.84, 0.008, 260), 0, EIGHT(BLACK, WHITE, 0),
		ATTR_UNDERLINE | ATTR_DIM},
	[ROLE_OTHER] = {BLACKISH, FIXED(0.66, 0.012, 260), 0, EIGHT(BLACK, WHITE, 0),
		ATTR_UNDERLINE | ATTR_DIM},
	[ROLE_NO_CODE] = {WHITISH, FIXED(0.47, 0.035, 260), 0,
		EIGHT(YELLOW, TERMINAL_OWN, ATTR_BOLD | ATTR_REVERSE),
		ATTR_BOLD | ATTR_REVERSE},
	[ROLE_STATUS] = {OWN, OWN, 0, ON_OWN(TERMINAL_OWN, 0), 0},
	[ROLE_PROMPT] = {OWN, OWN, ATTR_BOLD, ON_OWN(TERMINAL_OWN, ATTR_BOLD), ATTR_BOLD},
	[ROLE_KEY] = {OWN, OWN, 0, ON_OWN(TERMINAL_OWN, 0), 0},
	[ROLE_KEY_LABEL] = {ON_PANEL, PANEL, 0, EIGHT(BLACK, CYAN, 0), ATTR_REVERSE},
	[ROLE_MENU] = {OWN, OWN, 0, ON_OWN(TERMINAL_OWN, 0), 0},
	[ROLE_MENU_CURSOR] = {WHITISH, DEEP, 0, EIGHT(WHITE, BLUE, ATTR_BOLD),
		ATTR_REVERSE},
};

/* The lightness of each use, on the three grounds. Where the background is not known, what
   is drawn on it is halfway between black and white in contrast. */
static const struct {
	double ink, faint, mark, panel, on_panel;
} lightnesses[] = {
	[GROUND_UNKNOWN] = {0, 0, 0, 0.34, 0.90},
	[GROUND_DARK] = {0.80, 0.70, 0.76, 0.34, 0.90},
	[GROUND_LIGHT] = {0.53, 0.53, 0.64, 0.90, 0.38},
};

/* The contrast of this luminance is the same to black and to white: 4.58. */
#define MIDDLE_LUMINANCE 0.1791

/* The two tones of a hue in a flame graph. */
static const struct oklch tones[] = {{0.82, 0.115, 0}, {0.765, 0.13, 0}};

/* Where on the circle, from the flame's hue; the colours of 256 that are nearest to the tones
   and yet all different; and the one of 16 that text has at least 4.5 on. Yellow is for what
   was found, and blue for the cursor. */
static const struct {
	double degrees;
	uint8_t tones[2];
	uint8_t sixteen, eight;
} hues[THEME_HUES] = {
	{0, {216, 215}, BRIGHT_RED, RED},
	{180, {81, 75}, BRIGHT_CYAN, CYAN},
	{90, {114, 42}, BRIGHT_GREEN, GREEN},
	{270, {219, 176}, BRIGHT_MAGENTA, MAGENTA},
	{45, {186, 143}, GREEN, GREEN},
	{225, {183, 147}, CYAN, CYAN},
	{135, {116, 44}, BRIGHT_CYAN, CYAN},
	{315, {217, 210}, BRIGHT_RED, RED},
	{22.5, {214, 179}, BRIGHT_RED, RED},
	{202.5, {153, 111}, BRIGHT_CYAN, CYAN},
	{112.5, {79, 78}, BRIGHT_GREEN, GREEN},
	{292.5, {218, 211}, BRIGHT_MAGENTA, MAGENTA},
};

static const char *const role_names[ROLE_HUE] = {
#define THEME_ROLE_NAME(id, name) [id] = name,
	THEME_ROLES(THEME_ROLE_NAME)
#undef THEME_ROLE_NAME
};

static uint32_t of_middle_luminance(struct oklch colour)
{
	double low = 0, high = 1;

	for (int i = 0; i < 20; i++) {
		colour.lightness = (low + high) / 2;
		if (rgb_luminance(oklch_rgb(colour)) < MIDDLE_LUMINANCE)
			low = colour.lightness;
		else
			high = colour.lightness;
	}
	return oklch_rgb(colour);
}

static uint32_t mix(enum theme_ground ground, struct shade shade)
{
	bool is_drawn =
		shade.use == USE_INK || shade.use == USE_FAINT || shade.use == USE_MARK;
	struct oklch colour = shade.colour;

	if (is_drawn && ground == GROUND_UNKNOWN)
		return of_middle_luminance(colour);
	if (shade.use == USE_INK)
		colour.lightness = lightnesses[ground].ink;
	else if (shade.use == USE_FAINT)
		colour.lightness = lightnesses[ground].faint;
	else if (shade.use == USE_MARK)
		colour.lightness = lightnesses[ground].mark;
	else if (shade.use == USE_PANEL)
		colour.lightness = lightnesses[ground].panel;
	else if (shade.use == USE_ON_PANEL)
		colour.lightness = lightnesses[ground].on_panel;
	return oklch_rgb(colour);
}

/* The one of 256 that comes nearest and yet has a contrast of LEAST on both extremes of
   GROUND. */
static int nearest_readable(uint32_t rgb, enum theme_ground ground, double least_contrast)
{
	static const uint32_t extremes[][2] = {
		[GROUND_UNKNOWN] = {0x000000, 0xffffff},
		[GROUND_DARK] = {0x000000, 0x282c34},
		[GROUND_LIGHT] = {0xffffff, 0xfdf6e3},
	};
	int best = FIRST_OF_CUBE;
	double least = INFINITY;

	for (int index = FIRST_OF_CUBE; index < 256; index++) {
		uint32_t other = rgb_of_256(index);
		double contrast = fmin(rgb_contrast(other, extremes[ground][0]),
			rgb_contrast(other, extremes[ground][1]));
		double cost = rgb_distance(rgb, other) +
			      MISSING_COST * fmax(0, least_contrast - contrast);
		if (cost < least) {
			least = cost;
			best = index;
		}
	}
	return best;
}

/* As the terminal of THEME is told it. */
static int32_t colour_of(const struct theme *theme, struct shade shade)
{
	if (shade.use == USE_OWN)
		return TERMINAL_OWN;
	uint32_t rgb = mix(theme->ground, shade);
	if (theme->depth == DEPTH_RGB)
		return (int32_t)rgb;
	switch (shade.use) {
	case USE_INK:
	case USE_FAINT:
		return nearest_readable(rgb, theme->ground, TEXT_CONTRAST);
	case USE_MARK:
		return nearest_readable(rgb, theme->ground, MARK_CONTRAST);
	default:
		return rgb_nearest_256(rgb);
	}
}

/* Of a terminal of sixteen the second eight are bright: on a dark background they are read
   better. */
static struct paint of_sixteen(const struct theme *theme, struct paint paint)
{
	if (theme->depth == DEPTH_16 && theme->ground == GROUND_DARK &&
		paint.background == TERMINAL_OWN && paint.foreground > BLACK &&
		paint.foreground < WHITE)
		paint.foreground += BRIGHT_RED - RED;
	return paint;
}

static struct paint paint_cell(const struct theme *theme, unsigned hue, unsigned tone)
{
	const struct shade blackish = BLACKISH;
	struct shade shade = {USE_FIXED, tones[tone]};

	switch (theme->depth) {
	case DEPTH_RGB:
		shade.colour.hue = FLAME_HUE + hues[hue].degrees;
		return (struct paint){
			colour_of(theme, blackish), colour_of(theme, shade), 0};
	case DEPTH_256:
		return (struct paint){
			colour_of(theme, blackish), hues[hue].tones[tone], 0};
	case DEPTH_16:
		return (struct paint){BLACK, hues[hue].sixteen, 0};
	case DEPTH_8:
		return (struct paint){
			hues[hue].eight == RED ? WHITE : BLACK, hues[hue].eight, 0};
	case DEPTH_NONE:
		break;
	}
	return (struct paint){
		TERMINAL_OWN, TERMINAL_OWN, ATTR_UNDERLINE}; /* reversed is the cursor */
}

static struct paint paint_ink(const struct theme *theme, unsigned hue)
{
	struct shade shade = INK(0.11, FLAME_HUE + hues[hue].degrees);

	switch (theme->depth) {
	case DEPTH_RGB:
	case DEPTH_256:
		return (struct paint){colour_of(theme, shade), TERMINAL_OWN, 0};
	case DEPTH_16:
	case DEPTH_8:
		return of_sixteen(
			theme, (struct paint){hues[hue].eight, TERMINAL_OWN, 0});
	case DEPTH_NONE:
		break;
	}
	return (struct paint){TERMINAL_OWN, TERMINAL_OWN, ATTR_DIM};
}

struct paint theme_paint(const struct theme *theme, enum role role)
{
	if (role >= ROLE_COUNT)
		role = ROLE_NORMAL;
	if (role >= ROLE_INK)
		return paint_ink(theme, role - ROLE_INK);
	if (role >= ROLE_HUE)
		return paint_cell(
			theme, (role - ROLE_HUE) % THEME_HUES, role >= ROLE_SHADE);
	const struct role_paint *paint = &role_paints[role];
	if (theme->depth == DEPTH_NONE)
		return (struct paint){TERMINAL_OWN, TERMINAL_OWN, paint->mono};
	if (theme->depth < DEPTH_256)
		return of_sixteen(theme, paint->eight);
	return (struct paint){colour_of(theme, paint->foreground),
		colour_of(theme, paint->background), paint->attributes};
}

enum theme_depth theme_depth(int colours)
{
	if (colours < 8)
		return DEPTH_NONE;
	if (colours < 16)
		return DEPTH_8;
	if (colours < 256)
		return DEPTH_16;
	return colours > 256 * 256 ? DEPTH_RGB : DEPTH_256;
}

void theme_role_name(enum role role, char *out)
{
	if (role < ROLE_HUE)
		snprintf(out, THEME_ROLE_NAME_MAX, "%s", role_names[role]);
	else
		snprintf(out, THEME_ROLE_NAME_MAX, "%s%u",
			role >= ROLE_INK     ? "ink"
			: role >= ROLE_SHADE ? "shade"
					     : "hue",
			(unsigned)(role - ROLE_HUE) % THEME_HUES);
}
