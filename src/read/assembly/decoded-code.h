/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decoded-code: the instructions of some code, as the worker's answers tell them.
 *
 * An answer may be forged by the code that was decoded, so everything in it is checked: the
 * instructions must lie in the code, one behind the other, and their texts must be printable
 * ASCII.
 */
#ifndef CPROFTOP_DECODED_CODE_H
#define CPROFTOP_DECODED_CODE_H

#include "src/base/vec.h"
#include "src/read/assembly/assembly-wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of them. */
struct disassembled {
	uint32_t offset;		   /* in the code */
	uint8_t length;			   /* at least 1 */
	bool is_unknown;		   /* see INSTRUCTION_UNKNOWN */
	uint32_t texts[ASSEMBLY_SYNTAXES]; /* where in the strings */
};

struct decoded_code {
	size_t length; /* of the code */
	size_t done;   /* the instructions before this are known */
	VEC(struct disassembled) list;
	VEC(char) strings;
	size_t kept_done, kept_list, kept_strings; /* by decoded_code_keep */
};

/* Begin anew, with LENGTH bytes of code. A zeroed one is empty. */
void decoded_code_begin(struct decoded_code *decoded, size_t length);
void decoded_code_finish(struct decoded_code *decoded);

/* Take the instructions of REPLY, which follow it at BYTES. False if they make no sense;
   some of them may have been taken then. */
bool decoded_code_take(struct decoded_code *decoded,
	const struct assembly_wire_reply *reply, const char *bytes);

/* What is there now stays; and: drop what came since. */
void decoded_code_keep(struct decoded_code *decoded);
void decoded_code_drop(struct decoded_code *decoded);

#endif
