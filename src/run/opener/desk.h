/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * desk: where the questions of one process without rights are answered, one after the other.
 *
 * A question that no rule grants, or that is no question, gets EACCES. The thread that calls
 * desk_serve; others only end it.
 */
#ifndef CPROFTOP_DESK_H
#define CPROFTOP_DESK_H

#include "src/base/opener-packet.h"
#include "src/base/vec.h"
#include "src/process/peers.h"
#include "src/read/runtimes/hotspot/hotspot-attach.h"
#include "src/run/opener/begun.h"
#include "src/run/opener/granted.h"

#include <stdbool.h>
#include <stdint.h>

/* A Java virtual machine that is writing its perf map. */
struct desk_attach {
	uint64_t device, folder;
	struct hotspot_attach attach;
};

struct desk {
	int socket;
	struct granted *granted; /* borrowed, as what follows */
	const char *debug_dirs;
	bool asks_java;
	struct peers peers;
	VEC(struct desk_attach) attaches;
	struct begun begun;
	char texts[OPENER_TEXTS_MAX], out[OPENER_BYTES_MAX];
};

/* Until the other side is gone. */
void desk_serve(struct desk *desk);

/* Afterwards; its socket is closed. */
void desk_finish(struct desk *desk);

#endif
