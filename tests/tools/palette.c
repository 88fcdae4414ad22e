/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette: the figures of all colours, to be read while they are designed.
 *
 *	make palette
 *
 * For each role on each kind of terminal and background: text, what is below it, and the
 * contrast, as unit-theme demands it. Then how different the hues of the first N modules
 * look.
 */
#include "tests/lib/painted.h"

#include <stdio.h>

static void show_colour(int32_t colour, enum theme_depth depth)
{
	if (colour < 0)
		printf("       own");
	else if (depth == DEPTH_RGB)
		printf("    %06x", (unsigned)colour);
	else
		printf("%3d %06x", colour, (unsigned)painted_rgb(colour, depth));
}

static void show_theme(const struct theme *theme, const char *title)
{
	char name[THEME_ROLE_NAME_MAX];

	printf("\n%s\n%-14s %-10s   %-10s  contrast\n", title, "role", "text", "on");
	for (enum role role = 0; role < ROLE_COUNT; role++) {
		struct paint paint = theme_paint(theme, role);
		double contrast = painted_contrast(theme, role);
		if (contrast == 0)
			continue;
		theme_role_name(role, name);
		printf("%-14s ", name);
		show_colour(paint.foreground, theme->depth);
		printf("   ");
		show_colour(paint.background, theme->depth);
		printf("  %5.1f%s\n", contrast, contrast < 4.5 ? " !" : "");
	}
}

static double nearest_of_first(const struct theme *theme, int n)
{
	double least = 1;

	for (int a = 0; a < n; a++)
		for (int b = 0; b < a; b++) {
			int32_t x = theme_paint(theme, ROLE_HUE + a).background;
			int32_t y = theme_paint(theme, ROLE_HUE + b).background;
			least = fmin(least, rgb_distance(painted_rgb(x, theme->depth),
						    painted_rgb(y, theme->depth)));
		}
	return least;
}

int main(void)
{
	static const char *const grounds[] = {"unknown", "dark", "light"};
	static const char *const depths[] = {"", "8", "16", "256", "any"};

	for (enum theme_depth depth = DEPTH_RGB; depth >= DEPTH_8; depth--)
		for (enum theme_ground ground = 0; ground <= GROUND_LIGHT; ground++) {
			const struct theme theme = {depth, ground};
			char title[64];
			snprintf(title, sizeof(title), "%s colours, background %s",
				depths[depth], grounds[ground]);
			show_theme(&theme, title);
		}
	printf("\nthe least distance among the first modules (OKLab)\n");
	for (int n = 2; n <= THEME_HUES; n++)
		printf("%2d: %.3f, of 256 %.3f\n", n,
			nearest_of_first(&(struct theme){DEPTH_RGB, GROUND_DARK}, n),
			nearest_of_first(&(struct theme){DEPTH_256, GROUND_DARK}, n));
	return 0;
}
