/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script-names: the locations of a profile that functions of a script have, each added once.
 * The reader's thread.
 */
#ifndef CPROFTOP_SCRIPT_NAMES_H
#define CPROFTOP_SCRIPT_NAMES_H

#include "src/base/idmap.h"
#include "src/facts/profile.h"
#include "src/read/runtimes/runtime.h"
#include "src/read/space/address-space.h"

#include <stdint.h>

struct script_names {
	struct address_space *space; /* borrowed, as is */
	struct profile *profile;
	struct idmap functions; /* (number, 0) -> function, and */
	struct idmap places;	/* (function, line) -> location; of this profile */
};

/* Forget all: the numbers of functions, or the profile, are others. */
void script_names_clear(struct script_names *names);

/* The location of FUNCTION at ADDRESS. */
uint32_t script_names_locate(struct script_names *names,
	const struct script_function *function, uint64_t address);

#endif
