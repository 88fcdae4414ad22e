/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-pprof-tables: the tables of a pprof file, as a recording has them.
 *
 * A file's ids and indices need not be in any order, and a table may come after what refers
 * to it; so each kind is read by a pass of its own over the file, which lies in memory.
 * Used by import-pprof.c only. Errors say which entry is wrong.
 */
#ifndef CPROFTOP_IMPORT_PPROF_TABLES_H
#define CPROFTOP_IMPORT_PPROF_TABLES_H

#include "src/base/error.h"
#include "src/base/idmap.h"
#include "src/base/proto/profile.pb-c.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/count/import/recording.h"
#include "src/count/import/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* protoc-c's name for a message. */
#define PB(message) Perftools__Profiles__##message

enum {
	/* Bytes of one sample, location...: unpacked it may be a hundred times as many. */
	PPROF_MESSAGE_MAX = 1 << 20,
};

/* The fields of Profile (src/base/proto/profile.proto). */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_DROP_FRAMES,
	PPROF_KEEP_FRAMES,
	PPROF_TIME,
	PPROF_DURATION,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_COMMENT,
	PPROF_DEFAULT_TYPE,
	PPROF_DOC_URL,
	PPROF_TIMES = 7700, /* only in older files of ours */
};

struct pprof_text {
	const uint8_t *bytes;
	size_t length;
	const char *text; /* cleaned, when it was asked for; else NULL */
};

/* A function of the file. Its module is that of the location it is met in. */
struct pprof_function {
	const char *name, *system_name, *file;
	uint32_t start_line;
};

struct pprof_file {
	struct recording *recording;
	struct wire content;
	VEC(struct pprof_text) strings; /* those for which there was room, of */
	size_t n_strings;		/* so many */
	VEC(struct pprof_function) functions;
	struct idmap function_ids; /* the file's id -> index */
	struct idmap mapping_ids;  /* -> the profile's id */
	struct idmap location_ids; /* the same */
	VEC(struct line) lines;	   /* of the location at hand */
	VEC(uint32_t) columns;
	struct wire_field times; /* of our own; BYTES is NULL if there are none */
	int64_t begin_ns;	 /* UTC, as the file says; 0: it does not */
};

void pprof_file_finish(struct pprof_file *file);

/* The string with INDEX; false if there is none. */
bool pprof_file_text(
	struct pprof_file *file, int64_t index, const char **text, struct error *err);

/* Read all messages of one kind, a field of the profile, by VISIT. */
typedef bool (*pprof_visit)(
	struct pprof_file *file, const struct wire_field *field, struct error *err);
bool pprof_file_visit(struct pprof_file *file, enum pprof_field number, pprof_visit visit,
	struct error *err);

/* Is there no room for more? What this file needs while it is read counts, too. */
bool pprof_file_is_full(struct pprof_file *file);

/* The tables, in this order. */
bool pprof_file_strings(struct pprof_file *file, struct error *err);
bool pprof_file_mappings(struct pprof_file *file, struct error *err);
bool pprof_file_functions(struct pprof_file *file, struct error *err);
bool pprof_file_locations(struct pprof_file *file, struct error *err);

#endif
