/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-table: every option and every command, one row each.
 *
 * The parser (options-parse.c), the help (options-help.c) and what shells complete
 * (completion.c) are made from these rows. tests/check-manual compares the help with the
 * manual. Constant data. Any thread.
 */
#ifndef CPROFTOP_OPTIONS_TABLE_H
#define CPROFTOP_OPTIONS_TABLE_H

#include "src/run/options/options.h"

/* The commands that an option belongs to, as bits. */
#define COMMAND_BIT(NAME, name, brief, synopsis, what) ON_##NAME = 1 << COMMAND_##NAME,
enum {
	COMMANDS(COMMAND_BIT) ON_EVERY = (1 << COMMAND_HELP) - 1,
	ON_SCREEN = ON_TOP | ON_DEMO,
	ON_SAMPLING = ON_SCREEN | ON_RECORD,
	ON_ALL = ON_SAMPLING | ON_DUMP,
	ON_RULES = ON_SAMPLING | ON_CONVERT | ON_REPORT, /* rules for names and frames */
	ON_WORDS = ON_EVERY & ~ON_ALL,			 /* words name no process */
	/* Also a line of the settings file, `NAME = VALUE`; what is only that has no other
	   bit, and no dashes. */
	ON_RC = 1 << 24,
	ON_FILES = ON_CONVERT | ON_REPORT | ON_DIFF, /* no process, but profiles */
};
#undef COMMAND_BIT

/* Exactly one of FLAG, TEXT, CHOICE, COUNT, SECONDS, SHARE, RULE and TAKE is set: where in struct
   options the value is stored, or what stores it. */
struct option_row {
	const char *name; /* "frequency", of --frequency */
	char letter;	  /* 'F', of -F; 0: none */
	/* "HZ": the name of its value; NULL: it has none. The shell completes PID, FILE,
	   DIR and CMD with processes, files, folders and programs. */
	const char *value;
	unsigned commands; /* ON_... */

	/* For --help, which breaks the lines. Words in 'quotes' are possible values; the
	   shell completes them. "%s" stands for the names of all output formats that its
	   commands have. */
	const char *help;

	size_t flag;	   /* offset of a bool, set to true */
	size_t text;	   /* of a const char *, set to the value */
	size_t choice;	   /* of an enum, set to the place of the value among WORDS */
	const char *words; /* with blanks between them */
	size_t count;	   /* of an unsigned, from LEAST to MOST */
	size_t seconds;	   /* of a double, from LEAST to MOST */
	size_t share;	   /* of a double; the value is percent, at most MOST */
	double least, most;
	const char *rule; /* the kind of a rule for names, see src/facts/rewrite.h */
	bool (*take)(struct options *options, const char *value, struct error *err);

	bool is_usual;	  /* on the first page of help */
	bool is_sampling; /* it says how a process is sampled: a file has been already */
};

/* In the order of --help, but those of the settings file only; ends with a NULL name. One name may have several rows, for
   different commands. */
extern const struct option_row option_rows[];

enum {
	OPTION_ROWS_MAX = 100,
	OPTION_HELP_BYTES = 512,
};

/* The help of ROW, with the names of formats in it. */
void options_row_help(const struct option_row *row, char *out, size_t size);

struct command_row {
	const char *name;     /* "record"; NULL: of the live screen */
	const char *synopsis; /* after "cproftop " in the first line of its help */
	const char *brief;    /* what it does, in half a line of the first page of help */
	const char *what;     /* the same for its help; "%s": the formats it reads */
};

/* Indexed by enum command, from COMMAND_TOP on. */
extern const struct command_row command_rows[COMMAND_HELP];

/* Store in *COMMAND which one is called NAME; false, and nothing is stored: none is. */
bool command_find(const char *name, enum command *command);

#endif
