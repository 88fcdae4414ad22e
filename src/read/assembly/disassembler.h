/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassembler: from bytes of code to the texts of its instructions, in another process.
 *
 * The bytes may be hostile, and the library that decodes them (capstone) is large. So it
 * runs in a worker without rights (src/base/worker/worker.h), which gets bytes and returns
 * texts; it is given no file, and begins with the first question. This is our end of the
 * socket to it. If some bytes kill the worker, or take it more than a second of CPU time,
 * another one is asked once more; if that dies, too, what it was asked has no instructions,
 * and disassembler_failure says so.
 *
 * One thread at a time: the reader's. Only disassembler_wait waits. Others than
 * src/read/assembly only create and destroy it.
 */
#ifndef CPROFTOP_DISASSEMBLER_H
#define CPROFTOP_DISASSEMBLER_H

#include "src/read/assembly/decoded-code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;

enum {
	DISASSEMBLER_BYTES_MAX = 64 << 10, /* of code for one answer */
};

struct disassembler *disassembler_create(void);
void disassembler_destroy(struct disassembler *disassembler); /* NULL is fine */

/* Decode the LENGTH bytes of CODE, which are copied; ADDRESS is that of the first. What
   was started before is dropped. */
void disassembler_start(struct disassembler *disassembler, const unsigned char *code,
	size_t length, uint64_t address);

/* Send and receive what is possible without waiting; to be called when the descriptor (-1:
   none) is readable. True if it is done, or has failed. */
bool disassembler_advance(struct disassembler *disassembler);
int disassembler_fd(const struct disassembler *disassembler);

/* Wait until it is done or has failed: some seconds at most. */
void disassembler_wait(struct disassembler *disassembler);

/* Why there are no instructions from here on, a constant; NULL: all is well. */
const char *disassembler_failure(const struct disassembler *disassembler);

/* What it has found, in the order of the code. Valid until the next disassembler_start. */
const struct disassembled *disassembler_result(
	const struct disassembler *disassembler, size_t *count);
const char *disassembler_strings(const struct disassembler *disassembler, size_t *bytes);

#endif
