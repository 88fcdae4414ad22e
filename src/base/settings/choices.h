/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choices: the words that settings of the screen are made of.
 *
 * The command line and the settings file check these words (src/run/options), the screen draws by
 * them (ui/table, ui/screen). Constant data and pure functions. Any thread.
 */
#ifndef CPROFTOP_CHOICES_H
#define CPROFTOP_CHOICES_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The columns of the table that may be left out, in the order of the screen; the function is
   always there. */
enum column_choice {
	CHOICE_SELF_SHARE,
	CHOICE_TOTAL_SHARE,
	CHOICE_BAR,
	CHOICE_SELF_TIME,
	CHOICE_TOTAL_TIME,
	CHOICE_SAMPLES,
	CHOICE_MODULE,
	COLUMN_CHOICES
};

/* "self%", "total%", "bar", "self", "total", "samples", "module" */
extern const char *const column_choices[COLUMN_CHOICES];

/* TEXT is "all", or names of columns with commas or blanks between them. *HIDDEN gets a bit,
   1 << choice, for each column that it does not name. */
bool choices_columns(const char *text, unsigned *hidden, struct error *err);

/* The other way round, into OUT. */
void choices_write_columns(unsigned hidden, char *out, size_t size);

/* The views, as view_list of ui/view/view.h has them; ends with NULL. */
extern const char *const view_choices[];

bool choices_view(const char *text, struct error *err);

#endif
