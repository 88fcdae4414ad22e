/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly-wire: the messages between the disassembler and its worker.
 *
 * Packets of a worker (src/base/worker/worker.h). A request is code, a part of a function; the
 * answer is one packet or more with the instructions in their order, the last one marked.
 * An instruction that is cut by the end of the code is left to the next request. What a
 * worker did not answer is lost when it dies. Private to disassembler.c and disassembler-worker.c.
 */
#ifndef CPROFTOP_ASSEMBLY_WIRE_H
#define CPROFTOP_ASSEMBLY_WIRE_H

#include "src/read/assembly/assembly.h"

#include <stdint.h>

enum {
	ASSEMBLY_WIRE_CODE_MAX = 16 << 10,
	ASSEMBLY_WIRE_CPU_S = 1,      /* for a request; then the child is ended */
	ASSEMBLY_WIRE_TEXT_MAX = 223, /* see DECODER_TEXT_MAX */
};

/* The code follows. Has no padding. */
struct assembly_wire_request {
	uint64_t address; /* of its first byte */
	uint32_t serial;  /* the answer has it, too */
	uint32_t length;
	uint32_t is_last; /* no more code of this function follows */
	uint32_t unused;
};

enum assembly_wire_kind {
	ASSEMBLY_WIRE_PART, /* some of the instructions */
	ASSEMBLY_WIRE_LAST, /* the rest of them */
	ASSEMBLY_WIRE_NONE, /* there is no library that knows any */
};

/* COUNT instructions follow. Has no padding. */
struct assembly_wire_reply {
	uint32_t kind; /* enum assembly_wire_kind */
	uint32_t serial;
	uint32_t count;
	uint32_t bytes; /* of what follows */
};

/* Their texts follow, without NULs. */
struct assembly_wire_instruction {
	uint8_t length;
	uint8_t is_unknown;
	uint8_t text_lengths[ASSEMBLY_SYNTAXES];
};

#endif
