/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: a report written to a file that other tools read.
 *
 * One format is one file, src/write/export-NAME.c, and one row of EXPORT_FORMATS below.
 * An exporter writes exactly what the report counts, and the same bytes for the same
 * report. Main thread (it reads an immutable report).
 */
#ifndef CPROFTOP_EXPORT_H
#define CPROFTOP_EXPORT_H

#include "src/base/error.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdio.h>

/* What a file says besides the samples. Strings are borrowed for the call. */
struct export_facts {
	unsigned frequency_hz; /* asked for; 0: not known */
	/* What a sample stands for, if that is more because a budget held the rate down; 0:
	   1/frequency */
	uint64_t period_ns;
	const char *command; /* the target's command line, cleaned; NULL: of a file */
	pid_t pid;	     /* 0: of several processes */
	/* folded: microseconds of CPU, or of wall clock, instead of samples */
	bool weigh_cpu, weigh_wall;
	const char *const *labels; /* pprof: "KEY=VALUE" of every sample */
	size_t n_labels;
	bool no_thread_labels;	     /* pprof: nor TIDs */
	bool split_inlines;	     /* pprof: a location for each inlined function */
	const char *const *comments; /* how the samples were taken; pprof's `comment` */
	size_t n_comments;
};

struct export_format {
	const char *name;   /* "pprof": -f NAME, and the export menu */
	const char *suffix; /* ".pb.gz": what a file name ends in */
	/* other suffixes of the format, or NULL */
	const char *aliases[3];
	const char *description; /* one line, for --help and the menu */
	bool reads_back;	 /* src/count/import reads it: `diff` can compare two */
	const char *open_with;	 /* "go tool pprof -http=: %s": %s is the file */
	/* Write REPORT and FACTS to OUT, which is in memory; the caller checks OUT for
	   errors. */
	bool (*write)(const struct report *report, const struct export_facts *facts,
		FILE *out, struct error *err);
};

/* All formats, in the order of --help and of the export menu: a new one is one row. */
#define EXPORT_FORMATS(X)    \
	X(export_pprof)      \
	X(export_folded)     \
	X(export_svg)        \
	X(export_html)       \
	X(export_speedscope) \
	X(export_cpuprofile) \
	X(export_firefox)    \
	X(export_json)       \
	X(export_text)

#define EXPORT_DECLARE(format) extern const struct export_format format;
EXPORT_FORMATS(EXPORT_DECLARE)
#undef EXPORT_DECLARE

/* EXPORT_FORMATS as an array; ends with NULL. */
extern const struct export_format *const export_formats[];

const struct export_format *export_format_by_name(const char *name); /* or NULL */

/* The format by the suffix of PATH (".pb.gz", ".pb", ".folded", ".txt"...), or NULL. */
const struct export_format *export_format_by_file(const char *path);

/* Write the report to PATH, completely or not at all (src/base/output-file.h); "-" is
   standard output. *BYTES, if not NULL, gets the size. ERR names PATH. */
bool export_to_file(const struct export_format *format, const struct report *report,
	const struct export_facts *facts, const char *path, uint64_t *bytes,
	struct error *err);

#endif
