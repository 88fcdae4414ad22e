/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order: what main asks of the reader; the answers are facts (src/read/tell/fact.h). Packets over a
 * SOCK_SEQPACKET pair. The reader believes main.
 */
#ifndef CPROFTOP_ORDER_H
#define CPROFTOP_ORDER_H

#include "src/facts/ring.h"
#include "src/read/reader/reader-options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum order_kind {
	/* Where the ring is whose process is added next; the file that it is comes with the packet. */
	ORDER_RING,
	/* Read that ring, which is process PID's; its /proc/PID comes with the packet, but not if
	   IS_MET and it has ended. FACT_ADDED says what became of it. */
	ORDER_ADD,
	/* FACT_SYNCED with NUMBER, when all records that are in the rings now were taken; and, if
	   LINES_BY_NS is not 0, all lines are known or that time has come. */
	ORDER_SYNC,
	ORDER_GENERATION, /* begin one as soon as names allow it */
	ORDER_CODE,	  /* a question of src/read/tell/code-facts.h follows */
	ORDER_NATIVE,	  /* which native frames stacks have from now on */
	ORDER_FETCHED, /* texts follow: a build id, and the file; "" if it was not found */
};

enum {
	ORDER_TEXT_MAX = 16 << 10,
};

struct order {
	enum order_kind kind;
	uint32_t subject; /* main's number for a process; FACT_ADDED has it, too */
	pid_t pid;
	bool is_met;
	bool is_again; /* a reader before this one has told of it */
	/* One record of it is not to be read: a reader has died of it, perhaps. */
	bool skips;
	struct ring_place place;
	enum native_frames native;
	uint64_t number, lines_by_ns;
	uint32_t text_bytes;
	char text[ORDER_TEXT_MAX];
};

/* The bytes of ORDER that are sent. */
static inline size_t order_bytes(const struct order *order)
{
	return offsetof(struct order, text) + order->text_bytes;
}

#endif
