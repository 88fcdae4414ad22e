/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app: the main loop of the live screen.
 *
 * Shows a source's reports until the user quits. It never waits for the source: a key is
 * answered at once with the report that is there, and the next report is shown when it
 * comes. Main thread.
 */
#ifndef CPROFTOP_UI_APP_H
#define CPROFTOP_UI_APP_H

#include "src/base/error.h"
#include "src/base/rights/caller-state.h"
#include "src/base/settings/rc-place.h"
#include "src/count/source.h"
#include "src/read/sources/source-reader.h"
#include "ui/screen/script.h"
#include "ui/term/osc52.h"
#include "ui/term/term.h"

#include <stdbool.h>
#include <stdint.h>

/* How a person sees things, as the command line or the settings file say. */
struct app_looks {
	unsigned hidden_columns; /* of the table: bits, see src/base/settings/choices.h */
	double min_share;
	bool pools, flipped;
	enum theme_ground ground;		 /* GROUND_UNKNOWN: it is asked */
	bool ascii, no_color, no_mouse, no_sync; /* only to be kept: TERM has them */
};

/* How a screen asks to be started again, with the children of the target or without. */
struct app_again {
	bool wanted;
	const char *view; /* the one that was shown, by name: constant */
	struct naming_rules naming;
	bool wall, side_by_side;
	enum native_frames native;
	bool is_paused; /* who starts it knows */
	uint64_t window_ns;
	struct app_looks looks;
};

/* Strings and pointers are borrowed until app_run returns. Zeroed is valid, except for
   output_fd. */
struct app_options {
	uint64_t window_ns;	    /* 0: all the history */
	const char *filter;	    /* as in struct report_request; NULL: none */
	const char *ignore;	    /* the same */
	const char *thread_pattern; /* the same */
	struct naming_rules naming; /* the same */
	const char *view;	    /* the first to show, by name; NULL: the first */
	bool side_by_side;	    /* table and flame graph, if there is room */
	struct app_looks looks;
	/* where settings are kept; NULL: nowhere */
	const struct rc_place *settings;
	const char *editor;		   /* as EDITOR has it; NULL: vi */
	const struct caller_state *caller; /* whose limits it gets; NULL: ours */
	enum osc52_through copy_through;
	/* output of a launched command, non-blocking; -1: none */
	int output_fd;
	/* input instead of a person's, with a headless TERM; NULL: none */
	struct script *script;
	struct source_reader *sources; /* reads source files; borrowed; NULL: none */
	const char *notice;	       /* what to say at first; NULL: nothing */
	struct app_again *again; /* filled in if that is asked for; NULL: it cannot be */
	/* Ask for it, until a key is pressed, as soon as only the children do something. */
	bool follows_children;

	/* What to call now and then, and when the descriptor that control_fd returns can
	   be read: somebody may ask for something (src/run/control). NULL: nobody can. */
	void (*control)(void *context);
	int (*control_fd)(void *context);
	void *control_context;

	/* For tests; NULL: the real ones. */
	uint64_t (*clock_ns)(void);   /* monotonic */
	uint64_t (*own_cpu_ns)(void); /* CPU time of this process */
};

/* Returns when the user quits or a signal asks for it (SIGTERM...). False only if the
   script failed. The caller destroys TERM. */
bool app_run(struct term *term, struct source *source, const struct app_options *options,
	struct error *err);

#endif
