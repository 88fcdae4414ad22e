/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options: the command line, parsed.
 *
 * Options are spelled as users of perf, top and py-spy expect. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_H
#define CPROFTOP_OPTIONS_H

#include "src/base/error.h"
#include "src/count/change.h"
#include "src/count/trigger/trigger.h"
#include "src/facts/engine.h"
#include "src/facts/event.h"
#include "src/facts/naming.h"
#include "src/read/reader/reader-options.h"
#include "src/run/options/commands.h"
#include "src/write/listing.h"
#include "src/write/push/spool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct debug_fetch;
struct rc_file;
struct rc_place;

enum {
	OPTIONS_PIDS_MAX = 64,
	OPTIONS_TRIGGERS_MAX = 16,
	OPTIONS_LABELS_MAX = 32,
	OPTIONS_SOURCE_MAPS_MAX = 16,
};

/* Of the settings file: colors, and theme, what the terminal's background is. */
enum option_colors {
	COLORS_AUTO,
	COLORS_NONE,
	COLORS_8,
	COLORS_16,
	COLORS_256,
	COLORS_RGB,
};
enum option_theme {
	THEME_AUTO,
	THEME_DARK,
	THEME_LIGHT,
};

/* Strings point into argv or into the struct itself, so it must not move. */
struct options {
	enum command command;
	enum command help_on; /* with COMMAND_HELP; COMMAND_HELP: the first page */
	pid_t pids[OPTIONS_PIDS_MAX];
	size_t n_pids;	  /* 0: not given */
	bool children;	  /* top, record: --children */
	const char *name; /* top, record, dump: NAME of the process, or NULL */
	/* top, report: FILE...; convert: FILE... OUT; diff: OLD NEW; ctl: the words of the
	   request */
	char **files;
	size_t n_files;
	const char *sample_type;    /* of files: --type, NULL: the file's own choice */
	enum listing_order order;   /* report, diff: --sort */
	unsigned top;		    /* report, diff: --top, 0: all */
	const char *focus, *ignore; /* report, diff: PCRE2; NULL. record: focus */
	const char *peek, *by;	    /* report: --peek, --by; NULL */
	bool locks;		    /* report */
	const char *annotate;	    /* report: a function or PCRE2; NULL */
	const char *assembly;	    /* report: --asm, "att", "intel"; NULL */
	const char *source_dirs;    /* top, report: --source-dir DIR[:DIR]..., NULL */
	const char *source_maps[OPTIONS_SOURCE_MAPS_MAX]; /* --source-map A=B */
	size_t n_source_maps;
	enum normalization normalization; /* diff: --normalize */
	const char *fail_on;		  /* diff: --fail-on, as it is given; NULL */
	char **launch;			  /* CMD ARG... NULL; NULL: none */
	unsigned frequency_hz;		  /* 99 unless given */
	const char *sampling_option; /* one that was given and is not for files; NULL */
	double duration_s;	     /* record: 0: until the target ends */
	double every_s;	     /* record: seconds that each file covers; 0: a single file */
	double window_s;     /* top: 30 unless given */
	size_t stack_bytes;  /* 2 MiB unless given */
	uint64_t file_bytes; /* --file-memory; 0: the usual */
	double max_overhead; /* a share: 0.01 unless given; 0: none */
	double max_cpu;	     /* of one CPU: 0.1 unless given; 0: none */
	const char *
		output; /* record, report, diff: -o, "-" is standard output; with every_s the
				    folder */
	char default_output[32]; /* private: what output points to without -o */
	const char *
		format; /* record, convert, report, diff: -f, NULL: by the suffix of output */
	const char *stats;	   /* record: --stats FILE, NULL */
	const char *debug_dirs;	   /* --debug-dir DIR[:DIR]..., NULL */
	bool debuginfod;	   /* --debuginfod */
	bool kernel_stacks;	   /* top, record: --kernel-stacks */
	enum native_frames native; /* top, record: --native */
	bool enable_source_maps;   /* --enable-source-maps */
	const char *threads;	   /* top, record: -t REGEX, NULL */
	bool batch;		   /* top: -b */
	unsigned iterations;	   /* top: -n, 0: for ever */
	double delay_s;		   /* top: -d, 3 unless given */
	const char *ui_script;	   /* top: --ui-script FILE, NULL */
	bool wall;		   /* top, record: -m wall */
	bool weigh_cpu;		   /* record, convert: --weight cpu */
	bool weigh_wall;	   /* record, convert: --weight wall */
	bool quiet;		   /* record: -q */
	bool start_paused;	   /* record */
	struct trigger triggers[OPTIONS_TRIGGERS_MAX]; /* record: --on */
	size_t n_triggers;
	const char *exec;	    /* record: --exec CMD, NULL */
	struct trigger_quota quota; /* record: --at-most, 20 files unless given */
	/* record, push: --label KEY=VALUE */
	const char *labels[OPTIONS_LABELS_MAX];
	size_t n_labels;
	bool no_thread_labels;	 /* record */
	struct spool_limit keep; /* record: --keep, zeros: everything */
	mode_t file_mode;	 /* record: 0600 unless given */
	const char *push;	 /* record: --push URL, NULL */
	const char *headers;	 /* record, push: --headers FILE, NULL */
	bool follow;		 /* push */
	bool no_lines;		 /* dump: --no-lines */
	const char *completion;	 /* top: --completion SHELL, known; NULL */
	bool no_mouse, ascii, no_color, side_by_side;
	enum option_colors colors;
	enum option_theme theme;
	enum engine engine;
	struct event event;	  /* top, record: -e; EVENT_CPU_TIME: not given */
	bool lists_events;	  /* -e list */
	enum unwind_by unwind_by; /* --unwinder */
	bool no_syscall_restart;
	bool no_rc;	  /* screen: --no-rc */
	const char *view; /* screen: --view, NULL: the first */
	/* Of the settings file alone, as are colors, theme and most flags above. */
	bool no_sync, pools, flipped;
	unsigned hidden_columns; /* bits, see src/base/settings/choices.h */
	double min_share;

	/* --demangle (no-params unless given), --granularity, --inlines fold. */
	struct naming_rules naming;
	/* naming.edits: --rename, --rename-function */
	bool split_inlines; /* record: --inlines split */
	bool no_times;	    /* record, convert: pprof without times of samples */

	/* Made by main, not by options_parse; may be NULL. */
	struct debug_fetch *fetch;	 /* for --debuginfod */
	bool with_lines, with_code;	 /* a session has source lines; instructions */
	const struct rc_place *settings; /* where they are kept; NULL: nowhere */
	const char *notice;		 /* what the screen says at first */
};

/* Settings that a person keeps (src/base/settings/rc-file.h), and whom to tell of lines that make
   no sense; they are skipped. */
struct options_rc {
	/* Called if the command heeds them; what it returns must live as long as the
	   options. */
	const struct rc_file *(*read)(void *context);
	const char *path; /* for messages */
	void (*complain)(void *context, const char *text);
	void *context;
};

/* Parse ARGV. If it is not valid, false, and ERR says in one line what to do. What it says
   goes before what RC says, unless that is NULL, and rules for names come after those of RC.
   What writes files does not heed RC. */
bool options_parse(struct options *options, const struct options_rc *rc, int argc,
	char **argv, struct error *err);

/* COMMAND_HELP: of the program, a page. */
void options_print_help(enum command command, FILE *out);

#endif
