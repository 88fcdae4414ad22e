/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped: what is mapped at an address, at the instant of a stop.
 *
 * A sample waits for a moment before it is named, and what was mapped when it was taken may be
 * gone by then. The kernel tells it for one address (src/process/map-query.h). Where it does not,
 * samples are named as they are where nothing is asked (src/process/code-watch.h).
 */
#ifndef CPROFTOP_PTRACE_MAPPED_H
#define CPROFTOP_PTRACE_MAPPED_H

#include "src/facts/snapshot.h"
#include "src/facts/stack-link.h"

#include <stdbool.h>
#include <stdint.h>

/* Ask /proc/PID/maps, open at MAPS_FD, for the places of LINK, into SLOT. For a stop. MAPS_FD
   0 or -1: nothing is asked. */
void mapped_ask(int maps_fd, const struct stack_link *link, struct snapshot *slot);

/* Is there private memory of no file at ADDRESS, that may be written? Then [*START, *LIMIT) is
   all of it. False also if that cannot be asked. For a stop. */
bool mapped_is_anonymous(int maps_fd, uint64_t address, uint64_t *start, uint64_t *limit);

#endif
