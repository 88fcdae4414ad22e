/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-assembly: the instructions of a function of a profile whose process is gone.
 *
 * They come from the file that the mapping names, if it is still the one that ran: it must
 * have the mapping's build id. A mapping without a build id is believed by its path, and
 * the remark says so. Main thread; waits for the answer, at most some seconds.
 */
#ifndef CPROFTOP_FILE_ASSEMBLY_H
#define CPROFTOP_FILE_ASSEMBLY_H

#include "src/assembly/assembly.h"
#include "src/assembly/disassembler.h"

/* Never NULL: see its `problem`. DISASSEMBLER may be NULL: then there is none, and that is
   the problem. DEBUG_DIRS: as in debug_file_open, for names; NULL or "": none. The caller
   owns the result. */
struct assembly *file_assembly(struct disassembler *disassembler,
	const struct assembly_request *request, const char *debug_dirs);

#endif
