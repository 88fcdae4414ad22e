/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-source: where the code around one place of a profile can be read, and its names.
 *
 * That is the running process, if the mapping is still there; else the file that the
 * mapping names, if it is the one that ran: it must have the mapping's build id. A mapping
 * without a build id is believed by its path, which is then said. The reader's only
 * thread.
 */
#ifndef CPROFTOP_CODE_SOURCE_H
#define CPROFTOP_CODE_SOURCE_H

#include "src/read/assembly/assembly.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"
#include "src/read/names/symbolizer.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_source {
	struct address_space *space;   /* NULL: no process has this code any more */
	struct symbolizer *symbolizer; /* of that process; NULL without it */
	struct elf_image *image;  /* NULL: it is code of no file, or there is no file */
	struct code_names *names; /* NULL without IMAGE */
	uint64_t bias;		  /* of IMAGE: see struct assembly */
	bool is_copy;		  /* IMAGE was read from memory, and not from a file */
	bool is_owned;		  /* IMAGE and NAMES are */
	struct error problem;	  /* why there is neither; else "" */
	const char *doubt;	  /* what is not sure about the file; NULL: nothing */
};

/* The process SPACE and SYMBOLIZER are of. False if REQUEST's code is not in it now. */
bool code_source_of_process(struct code_source *source, struct address_space *space,
	struct symbolizer *symbolizer, const struct assembly_request *request);

/* DEBUG_DIRS: see debug_file_open. Call code_source_finish afterwards. */
void code_source_of_file(struct code_source *source,
	const struct assembly_request *request, const char *debug_dirs);

void code_source_finish(struct code_source *source);

/* Copy LENGTH bytes at ADDRESS, from the process or from the file. False if not all of
   them can be read. */
bool code_source_read_memory(
	const struct code_source *source, uint64_t address, void *out, size_t length);
bool code_source_read_file(
	const struct code_source *source, uint64_t address, void *out, size_t length);

#endif
