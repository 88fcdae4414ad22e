/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-code: which bytes the function around an address has, and what they are.
 *
 * It begins and ends where its symbol says, else an entry of the unwind table, else the
 * perf map of a JIT compiler; else where it is likely. Of a large one only as much as
 * ASSEMBLY_BYTES_MAX around the address is read, from an instruction's beginning on.
 * The bytes are those in the memory of the process, because these run, compared with the
 * file's. The reader's only thread.
 */
#ifndef CPROFTOP_FUNCTION_CODE_H
#define CPROFTOP_FUNCTION_CODE_H

#include "src/read/assembly/assembly.h"
#include "src/read/assembly/code-source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_code {
	uint64_t first; /* the address of the first byte */
	size_t length;	/* 0: none could be read; the assembly's `problem` says why */
	unsigned char *bytes; /* owned; NULL without any */
	bool *is_changed;     /* of each: it is another one in the file; owned; or NULL */
};

/* Find the function at ADDRESS and read it. Fills the names, the extent and what is known
   of the bytes into OUT, which is zeroed before; not its instructions. */
void function_code_read(struct function_code *code, const struct code_source *source,
	uint64_t address, struct assembly *out);
void function_code_finish(struct function_code *code);

#endif
