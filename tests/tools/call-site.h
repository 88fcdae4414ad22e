/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-site: does the call before a return address lead to the function it returns from?
 *
 * A witness for stacks in code that has no unwind tables. It knows nothing of frames: it
 * reads the direct call before the return address, and where functions begin and end from
 * the symbol tables. A caller that was left out, or one that does not belong there, does
 * not fit. One test thread.
 */
#ifndef CPROFTOP_TESTS_CALL_SITE_H
#define CPROFTOP_TESTS_CALL_SITE_H

#include "tests/tools/opinion.h"

#include <stdbool.h>
#include <stdint.h>

enum call_site {
	CALL_UNTOLD,  /* a call through a pointer, or of a function without a symbol */
	CALL_FITS,    /* leads to the function, perhaps by way of a stub */
	CALL_JUMPS,   /* leads to a function that may jump there */
	CALL_MISFITS, /* leads to another function */
};

/* RETURNS_TO is the return address, FROM an address in the function that returns. MEMORY is
   /proc/PID/mem. */
enum call_site call_site_judge(
	struct opinion *opinion, int memory, uint64_t returns_to, uint64_t from);

/* Of two stacks whose first SAME frames are the same: is what elfutils has from there on, in
   THEIRS, a guess or false? It has no table there, or a table that misleads it (opinion.h), or
   the calls decide for OURS. */
bool call_site_refutes(struct opinion *opinion, int memory, const struct callchain *ours,
	const struct callchain *theirs, uint32_t same);

#endif
