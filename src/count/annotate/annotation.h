/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation: a function as source with its instructions, and what each costs.
 *
 * What a cost (src/count/annotate/cost.h), source files, the instructions and their lines become
 * when they are put together: a list of rows, which the live screen, texts and pages show.
 * Each of the parts may be missing or come later: without source there are the numbers of
 * lines, without lines the instructions alone, without instructions the lines.
 *
 * In the order of lines, the instructions of a line are below it, and those of a function
 * that was inlined there below a row with its name. In the order of addresses, the lines
 * stand above the instructions, wherever the line changes.
 *
 * An annotation borrows all it was made of. Pure; any thread.
 */
#ifndef CPROFTOP_ANNOTATION_H
#define CPROFTOP_ANNOTATION_H

#include "src/base/strpool.h"
#include "src/count/annotate/cost.h"
#include "src/read/assembly/assembly.h"
#include "src/read/names/code-lines.h"
#include "src/read/sources/source-file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum annotation_kind {
	ANNOTATION_FILE, /* TEXT is the path; what follows is in this source file */
	ANNOTATION_LINE, /* a line of it */
	ANNOTATION_GAP,	 /* lines that are left out: from LINE on, LEFT_OUT of them */
	ANNOTATION_INLINE, /* TEXT was inlined in the line above; FILE and LINE are its own */
	ANNOTATION_CODE, /* an instruction */
	ANNOTATION_NOTE, /* TEXT is about what is missing */
};

#define ANNOTATION_NONE UINT32_MAX

struct annotation_row {
	enum annotation_kind kind;
	uint32_t line;			  /* 0 if unknown */
	uint32_t left_out;		  /* of a gap */
	const char *file;		  /* as debugging information has it; "" */
	const char *text;		  /* see the kinds */
	const struct source_file *source; /* of a line: its file, if that was found */
	const struct source_line *words;  /* and its text; else NULL */
	uint32_t instruction;		  /* an index of the assembly's */
	uint32_t parent;  /* the row that it is folded into; ANNOTATION_NONE */
	uint32_t n_below; /* rows that are folded into this one: those behind it */
	struct weight self, total;
};

/* A source file that was asked for. */
struct annotation_source {
	const char *path;		/* as debugging information has it */
	const struct source_file *file; /* NULL: it is not here */
	const char *why;		/* not: lines of text; "": not known yet */
};

struct annotation_input {
	const struct report *report;
	const struct cost *cost;
	const struct assembly *assembly; /* NULL: none, or not yet */
	uint32_t mapping;		 /* what its addresses are in */
	const struct code_lines *lines;	 /* NULL: none, or not yet */
	const struct annotation_source *sources;
	size_t n_sources;
	bool by_address;
	const char *remedy; /* shown if there are no lines: one line of text; NULL */
};

struct annotation {
	VEC(struct annotation_row) rows;
	/* The row of each instruction of the assembly; ANNOTATION_NONE: it is not shown. */
	VEC(uint32_t) row_of;
	bool has_lines; /* any line is known */

	struct strpool strings; /* private: texts of rows */
};

/* The source files that have a part in COST, those with the most self weight first: at most
   MOST. Returns how many. */
size_t annotation_files(const struct cost *cost, const char **files, size_t most);

/* Replace ANNOTATION, which may be zeroed. */
void annotation_build(
	struct annotation *annotation, const struct annotation_input *input);
void annotation_finish(struct annotation *annotation);

/* The address of PLACE as it would be in mapping MAPPING, if both are the same file: several
   processes have it at several addresses. False if they are not. */
bool annotation_address_in(const struct profile *profile, uint32_t mapping,
	const struct cost_place *place, uint64_t *address);

#endif
