/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate-state: what the source view shows, and where its cursor is in it.
 *
 * The function, what is known of its code so far, the rows made of that, and the jumps between
 * them. Private to ui/annotate. UI thread.
 */
#ifndef CPROFTOP_UI_ANNOTATE_STATE_H
#define CPROFTOP_UI_ANNOTATE_STATE_H

#include "src/count/annotate/parts.h"
#include "ui/annotate/arrows.h"
#include "ui/annotate/shown-rows.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where one was before following a jump or call. */
struct step {
	uint32_t function;
	uint64_t address; /* 0: none */
	uint32_t line;
};

struct annotate_view {
	uint32_t function; /* PROFILE_NONE: none was chosen */
	bool has_function;
	struct parts parts;
	struct shown_rows rows;
	struct list list;
	struct arrows arrows;
	VEC(struct step) trail;
	uint64_t asked; /* the serial of the last question; 0: none */
	uint64_t asked_address;
	bool awaits_sources;
	bool has_moved; /* else the cursor stays on the hottest line */
	/* Where the cursor is to be once the instructions have come (again). */
	struct step awaited;
	bool awaits_step;
	bool by_address, bytes;
	enum assembly_syntax syntax;
	int left;
	double least; /* the least share when the rows were chosen */
	int was_rows;
	struct seen seen;
};

/* Rows above the list, and in it. */
int annotate_head(const struct view_state *state);
size_t annotate_page(const struct view_state *state);

/* The row under the cursor, and the instruction that a row is; NULL. */
const struct annotation_row *annotate_row(const struct annotate_view *view);
const struct instruction *annotate_code(
	const struct annotate_view *view, const struct annotation_row *row);

/* Show another function from now on: to be followed by annotate_rebuild. */
void annotate_begin(struct annotate_view *view, uint32_t function);
/* Count anew, ask for what is missing, and make the rows of what is there. */
void annotate_rebuild(struct annotate_view *view, struct view_state *state,
	const struct report *report);
/* Choose which of the rows are shown. */
void annotate_choose(struct annotate_view *view, const struct view_state *state,
	const struct report *report);
void annotate_find_arrows(struct annotate_view *view, const struct view_state *state);

/* Take what has come of the code that was asked for; true if something has. */
bool annotate_take_code(struct annotate_view *view, struct view_state *state);
void annotate_forget_code(struct annotate_view *view);

/* Where the cursor is, so that it is found again among other rows; and go there, or to a
   place of the list. */
struct step annotate_step(const struct annotate_view *view);
void annotate_go_to_step(struct annotate_view *view, const struct step *step);
void annotate_go_to(
	struct annotate_view *view, const struct view_state *state, size_t place);

#endif
