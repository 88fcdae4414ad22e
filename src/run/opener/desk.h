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
#include "src/run/opener/begun.h"
#include "src/run/opener/granted.h"

#include <stdbool.h>
#include <stdint.h>

struct desk {
	int socket;
	struct granted *granted; /* borrowed, as what follows */
	const char *debug_dirs;
	bool source_maps; /* are wanted */
	struct begun begun;
	char texts[OPENER_TEXTS_MAX], out[OPENER_BYTES_MAX];
};

/* Until the other side is gone. */
void desk_serve(struct desk *desk);

/* Afterwards; its socket is closed. */
void desk_finish(struct desk *desk);

#endif
