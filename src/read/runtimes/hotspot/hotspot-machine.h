/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-machine: is there a Java virtual machine in a process, and where?
 *
 * It is found by its library, libjvm.so, which exports where its tables are
 * (hotspot-structs.h). One that has only just started may not have relocated them yet, so who
 * finds them unreadable looks again a while later. One thread.
 */
#ifndef CPROFTOP_HOTSPOT_MACHINE_H
#define CPROFTOP_HOTSPOT_MACHINE_H

#include "src/read/runtimes/hotspot/hotspot-structs.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed but for SPACE, which is borrowed, it has not looked yet. */
struct hotspot_machine {
	struct address_space *space;
	uint64_t addresses[HOTSPOT_VARIABLES];
	uint64_t generation; /* of the mappings that were looked at */
	uint64_t bias;
	char *build_id; /* NULL: there was none */
};

void hotspot_machine_finish(struct hotspot_machine *machine);

/* Look again, if mappings have changed. True: the machine is another one than before, or none
   any more: what was read of it is void. */
bool hotspot_machine_look(struct hotspot_machine *machine);

/* Is there one? Then ADDRESSES are those of its variables. */
bool hotspot_machine_is_there(const struct hotspot_machine *machine);

#endif
