/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * theme: colours and attributes, by meaning.
 *
 * A view says what a piece of text means (its role). Only a terminal back end turns roles
 * into colours, as many as the terminal has. Plain data and pure functions. Any thread.
 *
 * The colours are designed in OKLCH (oklch.h). Text on a colour of ours has a contrast of at
 * least 4.5 to it, on any terminal with more than 8 colours; text on the terminal's own
 * background has it on black to #282c34, or on white to #fdf6e3, or if the background is not
 * known, on both black and white. `make palette` writes the figures, unit-theme checks them.
 * What a colour says can be read without it, too: by a word, a sign or an attribute.
 */
#ifndef CPROFTOP_UI_THEME_H
#define CPROFTOP_UI_THEME_H

#include "src/write/palette/module-hues.h"

#include <stdbool.h>
#include <stdint.h>

/* Hues for modules. The first N are as far apart as possible when each keeps its place as
   others come: opposite on the circle, then halfway between two. */
enum {
	THEME_HUES = MODULE_HUES
};

/* How many colours the terminal has. */
enum theme_depth {
	DEPTH_NONE, /* fewer than 8: roles differ by attributes alone */
	DEPTH_8,
	DEPTH_16,
	DEPTH_256,
	DEPTH_RGB /* any */
};

/* Its background. */
enum theme_ground {
	GROUND_UNKNOWN,
	GROUND_DARK,
	GROUND_LIGHT
};

struct theme {
	enum theme_depth depth;
	enum theme_ground ground;
};

/* X(id, name): the name is what a dump of styles shows. */
#define THEME_ROLES(X)                                                                 \
	X(ROLE_NORMAL, "normal")	       /* text */                              \
	X(ROLE_DIM, "dim")		       /* secondary: modules, units, absent */ \
	X(ROLE_LABEL, "label")		       /* the names in the header: "CPU" */    \
	X(ROLE_VALUE, "value")		       /* and the numbers beside them */       \
	X(ROLE_GOOD, "good")		       /* a state that is as it should be */   \
	X(ROLE_WARN, "warn")		       /* worth a look */                      \
	X(ROLE_BAD, "bad")		       /* wrong: errors, lost samples */       \
	X(ROLE_TAB, "tab")		       /* the names of the views */            \
	X(ROLE_TAB_ACTIVE, "tab-active")       /* the one that is shown */             \
	X(ROLE_COLUMN, "column")	       /* column headings */                   \
	X(ROLE_COLUMN_SORTED, "column-sorted") /* the one it is sorted by */           \
	X(ROLE_CURSOR, "cursor")	       /* the selected row or cell */          \
	X(ROLE_CURSOR_BESIDE, "cursor-beside") /* that of the view without the keys */ \
	X(ROLE_MATCH, "match")		       /* what the search found */             \
	X(ROLE_FLASH, "flash")		       /* a row that is new or has jumped */   \
	X(ROLE_BAR, "bar")		       /* bars: self */                        \
	X(ROLE_BAR_TOTAL, "bar-total")	       /* bars: total */                       \
	X(ROLE_MORE, "more")		       /* a change that is more than noise */  \
	X(ROLE_LESS, "less")                                                           \
	X(ROLE_MORE_CELL, "more-cell") /* the same as a cell of the flame graph */     \
	X(ROLE_LESS_CELL, "less-cell")                                                 \
	X(ROLE_SAME_CELL, "same-cell") /* and one whose change may be noise */         \
	X(ROLE_OTHER, "other")	       /* the flame's cell for what is too thin */     \
	X(ROLE_NO_CODE, "no-code")     /* its cell for waiting, or a broken stack */   \
	X(ROLE_STATUS, "status")       /* the status line */                           \
	X(ROLE_PROMPT, "prompt")       /* a line being typed */                        \
	X(ROLE_KEY, "key")	       /* F-bar: "F1" */                               \
	X(ROLE_KEY_LABEL, "key-label") /* F-bar: "Help" */                             \
	X(ROLE_MENU, "menu")	       /* menus and boxes over the view */             \
	X(ROLE_MENU_CURSOR, "menu-cursor")

#define THEME_ROLE_ID(id, name) id,
enum role {
	/* Three roles for each hue: cells in two tones, so that neighbours of one module can
	   be told apart, and text on the terminal's own background. */
	THEME_ROLES(THEME_ROLE_ID) ROLE_HUE,
	ROLE_SHADE = ROLE_HUE + THEME_HUES,
	ROLE_INK = ROLE_SHADE + THEME_HUES,
	ROLE_COUNT = ROLE_INK + THEME_HUES
};
#undef THEME_ROLE_ID

enum {
	ATTR_BOLD = 1,
	ATTR_UNDERLINE = 2,
	ATTR_REVERSE = 4,
	ATTR_DIM = 8
};

/* Passed by value. Write a literal as STYLE(ROLE_DIM) or {ROLE_DIM, ATTR_BOLD}. */
struct style {
	uint8_t role;	    /* enum role */
	uint8_t attributes; /* ATTR_*, besides those of the role itself */
};

#define STYLE(...) ((struct style){__VA_ARGS__})

/* How a terminal shows a role: colours by number, or as 0xrrggbb if it has any; -1 is the
   terminal's own. */
struct paint {
	int32_t foreground, background;
	uint8_t attributes; /* ATTR_* */
};

struct paint theme_paint(const struct theme *theme, enum role role);

/* The depth of a terminal of COLOURS colours. */
enum theme_depth theme_depth(int colours);

enum {
	THEME_ROLE_NAME_MAX = 16
};

/* The name of ROLE into OUT, THEME_ROLE_NAME_MAX bytes: "dim", "hue3", "shade11", "ink0". */
void theme_role_name(enum role role, char *out);

#endif
