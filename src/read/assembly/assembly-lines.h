/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly-lines: the source lines of the instructions of an assembly.
 *
 * They come from the file that has lines for this code: itself, or its debug file. Reading
 * that may take long, so these functions only ask the line resolver, for the range that the
 * instructions are in; the answer is taken from it later (line_resolver_take_range) and has
 * the serial of the assembly. The reader's only thread.
 */
#ifndef CPROFTOP_ASSEMBLY_LINES_H
#define CPROFTOP_ASSEMBLY_LINES_H

#include "src/read/assembly/code-source.h"
#include "src/read/names/line-resolver.h"

/* RESOLVER may be NULL. False if no lines will come. */
bool assembly_lines_ask(const struct assembly *assembly, const struct code_source *source,
	struct line_resolver *resolver);

#endif
