/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/theme.h"

#include <stdio.h>
#include <string.h>

/* The look of one role in the three kinds of terminals. */
struct role_paint {
	struct paint colours256, colours8;
	uint8_t mono; /* attributes, without any colour */
};

enum {
	BLACK,
	RED,
	GREEN,
	YELLOW,
	BLUE,
	MAGENTA,
	CYAN,
	WHITE,
	OWN = -1 /* the terminal's own */
};

/* The colours beyond 16 are those of xterm's cube and grey ramp, which themes leave
   alone: dark text on the middle tones reads on light and on dark terminals. */
static const struct role_paint role_paints[ROLE_HUE] = {
	[ROLE_NORMAL] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
	[ROLE_DIM] = {{245, OWN, 0}, {OWN, OWN, ATTR_DIM}, ATTR_DIM},
	[ROLE_LABEL] = {{37, OWN, 0}, {CYAN, OWN, 0}, 0},
	[ROLE_VALUE] = {{OWN, OWN, ATTR_BOLD}, {OWN, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_GOOD] = {{34, OWN, 0}, {GREEN, OWN, 0}, 0},
	[ROLE_WARN] = {{172, OWN, ATTR_BOLD}, {YELLOW, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_BAD] = {{160, OWN, ATTR_BOLD}, {RED, OWN, ATTR_BOLD}, ATTR_REVERSE},
	[ROLE_TAB] = {{245, OWN, 0}, {OWN, OWN, 0}, 0},
	[ROLE_TAB_ACTIVE] = {{231, 31, ATTR_BOLD}, {BLACK, CYAN, 0},
		ATTR_REVERSE | ATTR_BOLD},
	[ROLE_COLUMN] = {{253, 239, 0}, {BLACK, GREEN, 0}, ATTR_REVERSE},
	[ROLE_COLUMN_SORTED] = {{231, 239, ATTR_BOLD}, {BLACK, CYAN, 0},
		ATTR_REVERSE | ATTR_BOLD},
	[ROLE_CURSOR] = {{231, 31, 0}, {WHITE, BLUE, ATTR_BOLD}, ATTR_REVERSE},
	[ROLE_MATCH] = {{16, 220, ATTR_BOLD}, {BLACK, YELLOW, 0},
		ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_FLASH] = {{37, OWN, ATTR_BOLD}, {CYAN, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_BAR] = {{166, OWN, 0}, {RED, OWN, 0}, 0},
	[ROLE_BAR_TOTAL] = {{67, OWN, 0}, {BLUE, OWN, 0}, 0},
	[ROLE_MORE] = {{160, OWN, ATTR_BOLD}, {RED, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_LESS] = {{33, OWN, ATTR_BOLD}, {BLUE, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_MORE_CELL] = {{16, 210, 0}, {BLACK, RED, 0}, ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_LESS_CELL] = {{16, 111, 0}, {BLACK, CYAN, 0}, ATTR_UNDERLINE | ATTR_BOLD},
	[ROLE_SAME_CELL] = {{16, 252, 0}, {BLACK, WHITE, 0}, ATTR_UNDERLINE | ATTR_DIM},
	[ROLE_OTHER] = {{16, 245, 0}, {BLACK, WHITE, 0}, ATTR_UNDERLINE | ATTR_DIM},
	[ROLE_STATUS] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
	[ROLE_PROMPT] = {{OWN, OWN, ATTR_BOLD}, {OWN, OWN, ATTR_BOLD}, ATTR_BOLD},
	[ROLE_KEY] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
	[ROLE_KEY_LABEL] = {{253, 239, 0}, {BLACK, CYAN, 0}, ATTR_REVERSE},
	[ROLE_MENU] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
	[ROLE_MENU_CURSOR] = {{231, 31, 0}, {WHITE, BLUE, ATTR_BOLD}, ATTR_REVERSE},
};

/* Warm and cool hues by turns, so that neighbours by hash differ, in two tones each. */
static const struct {
	int16_t first, second, eight;
} hues[THEME_HUES] = {
	{215, 179, RED},
	{110, 74, CYAN},
	{174, 210, MAGENTA},
	{114, 150, GREEN},
	{180, 144, GREEN},
	{146, 104, CYAN},
	{208, 172, RED},
	{79, 115, CYAN},
	{176, 140, MAGENTA},
	{186, 149, GREEN},
	{181, 138, RED},
	{117, 153, CYAN},
};

static const char *const role_names[ROLE_HUE] = {
#define THEME_ROLE_NAME(id, name) [id] = name,
	THEME_ROLES(THEME_ROLE_NAME)
#undef THEME_ROLE_NAME
};

static struct paint paint_hue(unsigned hue, bool second_tone, int colours)
{
	if (colours >= 256)
		return (struct paint){
			16, second_tone ? hues[hue].second : hues[hue].first, 0};
	/* Yellow is for matches, blue for the cursor. One tone is enough, because views
	   draw borders between cells. */
	if (colours >= 8)
		return (struct paint){BLACK, hues[hue].eight, 0};
	return (struct paint){OWN, OWN, ATTR_UNDERLINE}; /* reversed is the cursor */
}

struct paint theme_paint(enum role role, int colours)
{
	if (role >= ROLE_COUNT)
		role = ROLE_NORMAL;
	if (role >= ROLE_SHADE)
		return paint_hue(role - ROLE_SHADE, true, colours);
	if (role >= ROLE_HUE)
		return paint_hue(role - ROLE_HUE, false, colours);
	if (colours >= 256)
		return role_paints[role].colours256;
	if (colours >= 8)
		return role_paints[role].colours8;
	return (struct paint){OWN, OWN, role_paints[role].mono};
}

void theme_role_name(enum role role, char *out)
{
	if (role < ROLE_HUE)
		snprintf(out, THEME_ROLE_NAME_MAX, "%s", role_names[role]);
	else if (role < ROLE_SHADE)
		snprintf(out, THEME_ROLE_NAME_MAX, "hue%u",
			(unsigned)(role - ROLE_HUE) % 100);
	else
		snprintf(out, THEME_ROLE_NAME_MAX, "shade%u",
			(unsigned)(role - ROLE_SHADE) % 100);
}

enum role theme_module_role(const char *module, bool second_tone)
{
	/* FNV-1a, without the version: libc.so.6 and libc.so.7 get the same colour. */
	size_t length = strcspn(module, "-0123456789");
	uint32_t hash = 2166136261u;

	if (length == 0)
		length = strlen(module);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)module[i]) * 16777619u;
	hash ^= hash >> 15;
	return (enum role)((second_tone ? ROLE_SHADE : ROLE_HUE) + hash % THEME_HUES);
}
