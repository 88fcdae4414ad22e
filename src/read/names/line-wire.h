/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-wire: the messages between the line reader and its child.
 *
 * Packets of a worker (src/base/worker/worker.h): one request each, and as many replies as
 * fit. An answer is a reply for each frame; answers come in the order
 * of the requests. Private to line-resolver.c, line-reader.c and line-worker.c.
 */
#ifndef CPROFTOP_LINE_WIRE_H
#define CPROFTOP_LINE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LINE_WIRE_NAME_MAX = 16 << 10, /* longer names are not demangled either */
	LINE_WIRE_FILE_MAX = 8 << 10,
};

/* Instead of a file: free all memory. This is not answered. */
#define LINE_WIRE_REST UINT32_MAX

/* Asks about VADDR, or with a LIMIT, about all code up to there. Has no padding. Sent with the descriptor of FILE, unless the child has it already. */
struct line_request {
	uint64_t vaddr;
	uint64_t limit;	   /* 0: only VADDR */
	uint32_t file;	   /* a number of the asker's */
	uint32_t trusted;  /* see elf_lines_open */
	uint32_t in_hurry; /* with the priority of the process that asks */
	uint32_t unused;
};

enum line_reply_more {
	LINE_MORE_NOTHING,
	LINE_MORE_ROWS,
	LINE_MORE_LEFT_OUT,
};

enum line_reply_kind {
	LINE_REPLY_FRAME,
	LINE_REPLY_NOTHING, /* nothing is known about the address */
	LINE_REPLY_USELESS, /* the file has no lines at all */
};

/* Has no padding. The name and the file follow, without NULs. */
struct line_reply {
	/* Of an answer about a range, a row for each part of it that has the same lines. */
	uint64_t vaddr; /* where the row of this frame begins */
	uint32_t more;	/* enum line_reply_more: what comes behind this row */
	uint32_t unused;
	uint32_t kind; /* enum line_reply_kind */
	uint32_t left; /* frames that follow */
	uint32_t line, start_line;
	uint32_t name_length, file_length;
};

#endif
