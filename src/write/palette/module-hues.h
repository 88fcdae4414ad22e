/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module-hues: which module has which colour, on the screen and in pictures.
 *
 * The modules that are in a profile share the circle of hues: the program itself, if it is
 * known, or of those in the first report the one with the most area in the flame graph, gets the
 * first hue, the next the opposite one,
 * and so on (THEME_HUES in ui/draw/theme.h says why they are as far apart as can be). A module keeps
 * its hue as long as this lives, and modules that come later get those that are left.
 * When none is, a module shares the hue of those that have the least area then. So the hue of
 * a module depends on the profile; that of its name in a table is the same. A process that is
 * a cell of a flame graph counts as a module of its name. Owns what it remembers. One thread.
 */
#ifndef CPROFTOP_MODULE_HUES_H
#define CPROFTOP_MODULE_HUES_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/profile.h"

#include <stdint.h>

enum {
	MODULE_HUES = 12
};

struct hue_holder {
	char *module;
	uint64_t area; /* in the last profile: what its functions total */
	unsigned hue;
};

struct module_hues {
	VEC(struct hue_holder) holders; /* in the order in which they came */
	struct idmap places;		/* the hash of a name -> its place in holders */
};

/* Before all others: MODULE, the target's own program, has the first hue, whenever it is seen
   and whatever is seen before. "": it is not known. */
void module_hues_begin(struct module_hues *hues, const char *module);

/* Measure a profile: clear, add the AREA of each of its functions, and settle, which gives
   the modules that have none a hue. */
void module_hues_clear(struct module_hues *hues);
void module_hues_add(
	struct module_hues *hues, const struct function *function, uint64_t area);
void module_hues_settle(struct module_hues *hues);
void module_hues_finish(struct module_hues *hues);

/* That of FUNCTION's module; MODULE_HUES: it is of none. And one of two tones, 0 or 1, so that
   neighbours of one module can be told apart. */
unsigned module_hues_of(const struct module_hues *hues, const struct function *function);
unsigned module_hues_tone(const struct function *function);

/* The colour of its cells, sRGB, 0xrrggbb: what the screen has in a terminal of 24 bits. */
uint32_t module_hues_rgb(const struct module_hues *hues, const struct function *function);

#endif
