/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-pprof-tables: the tables of a pprof file that its samples refer to: strings,
 * functions, locations, mappings, each entry once.
 *
 * Ids run from 1 without gaps: Parca refuses a file with gaps, and Pyroscope uses ids as
 * indices. Only entries that samples refer to are written, and the main executable's
 * mapping. Used by export-pprof.c only; everything returned lives until pprof_finish.
 */
#ifndef CPROFTOP_EXPORT_PPROF_TABLES_H
#define CPROFTOP_EXPORT_PPROF_TABLES_H

#include "src/base/idmap.h"
#include "src/base/proto/profile.pb-c.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* protoc-c's name for a message. */
#define PB(message) Perftools__Profiles__##message

struct pprof {
	const struct report *report;
	const struct profile *profile;
	const struct export_facts *facts; /* borrowed */
	bool split; /* inlined functions have locations of their own */
	struct strpool pool;
	/* (kind, id in the profile) -> index of the entry in the file */
	struct idmap places;
	VEC(char *) strings;
	VEC(PB(Function) *) functions;
	VEC(PB(Location) *) locations;
	VEC(uint32_t) location_sources; /* the profile's ids of LOCATIONS */
	VEC(uint32_t) mapping_sources;
	VEC(PB(Mapping) *) mappings;
	VEC(uint8_t) samples; /* as bytes of the file */
	uint32_t n_samples;
	uint32_t *numbers; /* of the report's stacks among them; PROFILE_NONE: left out */
	int64_t *part;	   /* of a file whose range is not all: values by row; or NULL */
	VEC(uint64_t) location_ids; /* of the sample that is being written */
	VEC(void *) kept;	    /* other memory that the messages point to */
};

/* Zeroed memory that lives until the file is written. */
void *pprof_keep(struct pprof *pprof, size_t count, size_t size);

int64_t pprof_string(struct pprof *pprof, const char *text);

/* The number of locations in the file for location SOURCE of the profile: one, or with
   SPLIT one for each of its lines. */
uint32_t pprof_split_of(const struct pprof *pprof, uint32_t source);

/* The id in the file of the innermost of them; the others have the ids after it. */
uint64_t pprof_location(struct pprof *pprof, uint32_t source);

/* Called after all samples, when it is known which mappings they are in. */
void pprof_write_mappings(struct pprof *pprof);

void pprof_finish(struct pprof *pprof);

#endif
