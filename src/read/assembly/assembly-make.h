/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly-make: the assembly of one function: its bytes, decoded, and the names of what its
 * instructions lead to. Takes some milliseconds at most. The reader's only thread.
 */
#ifndef CPROFTOP_ASSEMBLY_MAKE_H
#define CPROFTOP_ASSEMBLY_MAKE_H

#include "src/read/assembly/assembly.h"
#include "src/read/assembly/code-source.h"
#include "src/read/assembly/decoder.h"

/* The caller's. Without a DECODER it says why there are no instructions. */
struct assembly *assembly_make(struct decoder *decoder, const struct code_source *source,
	const struct assembly_request *request);

#endif
