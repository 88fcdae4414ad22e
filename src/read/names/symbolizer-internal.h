/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolizer-internal: what the files behind symbolizer.h share.
 *
 * symbolizer.c names code when it is first seen; symbolizer-later.c takes names and lines
 * that become known later, and replaces locations. No other file includes this.
 */
#ifndef CPROFTOP_SYMBOLIZER_INTERNAL_H
#define CPROFTOP_SYMBOLIZER_INTERNAL_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/read/names/java-names.h"
#include "src/read/names/line-resolver.h"
#include "src/read/names/perf-map.h"
#include "src/read/space/address-space.h"

#include <stdint.h>

#define NO_FILE UINT32_MAX

/* Code of one mapping that waits for its debug file to be fetched. */
struct awaited {
	uint32_t mapping;
	const char *build_id;
	struct code_names *names;
	VEC(struct line_question) questions; /* their FILE is not known yet */
};

struct symbolizer {
	struct address_space *space;
	struct profile *profile;
	struct idmap functions; /* (mapping, address of the symbol) -> function */

	struct line_resolver *resolver; /* NULL: no lines are wanted */
	struct idmap lines_files;	/* mapping -> file of the resolver, NO_FILE */

	struct wanted_files *wanted; /* NULL: nothing is fetched */
	VEC(struct awaited) awaited;

	struct java_names *java;
	struct perf_map *perf_map;
	VEC(uint32_t) jit_locations; /* of code without a file, named or not yet */
};

/* The function for an ELF symbol, which is demangled and cleaned at its first use. */
uint32_t symbolizer_symbol(
	struct symbolizer *symbolizer, uint32_t mapping, const struct elf_symbol *symbol);

/* The resolver's file for MAPPING's code, opened and remembered; NO_FILE if there is
   none. */
uint32_t symbolizer_lines_file(
	struct symbolizer *symbolizer, uint32_t mapping, struct code_names *names);

#endif
