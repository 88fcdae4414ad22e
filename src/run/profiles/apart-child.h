/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart-child: the process that reads profiles; see src/run/profiles/apart.h. It believes main.
 */
#ifndef CPROFTOP_APART_CHILD_H
#define CPROFTOP_APART_CHILD_H

#include "src/base/error.h"
#include "src/base/worker/own-process.h"

#include <limits.h>
#include <stdint.h>

enum {
	APART_CPU_S = 900,
	APART_MEMORY_MIB = 448, /* address space: of that it uses less */
	APART_PACKET_BYTES = 64 << 10,
};

enum apart_order {
	ORDER_READ,	  /* the file that comes with it */
	ORDER_READ_FOUND, /* the same, of a folder */
	ORDER_LOOK,
	ORDER_TAKE, /* no answer follows, but the stream */
};

enum apart_added {
	APART_ADDED,
	APART_LEFT_OUT, /* ERR says why; what was there is as before */
	APART_FAILED,
};

/* Packets over a SOCK_SEQPACKET pair. */
struct apart_order_packet {
	uint32_t order;
	char name[PATH_MAX];
};

struct apart_answer {
	uint32_t added; /* enum apart_added */
	struct error why;
};

/* Its argument: MOST_BYTES, see apart_begin. */
extern const struct own_process_kind apart_kind;

#endif
