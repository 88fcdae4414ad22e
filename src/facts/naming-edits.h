/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming-edits: what a person's rules (src/facts/rewrite.h) make of functions, locations
 * and threads. A part of naming.
 *
 * Everything made is remembered, so that the same name gives the same function. Analyst
 * thread only.
 */
#ifndef CPROFTOP_NAMING_EDITS_H
#define CPROFTOP_NAMING_EDITS_H

#include "src/facts/profile.h"
#include "src/facts/rewrite.h"

#include <stdint.h>

struct naming_edits;

/* Takes REWRITE; PROFILE is borrowed. */
struct naming_edits *naming_edits_create(
	struct profile *profile, struct rewrite *rewrite);
void naming_edits_destroy(struct naming_edits *edits); /* NULL is fine */

const struct rewrite *naming_edits_rewrite(const struct naming_edits *edits);

/* OLD with new names; OLD itself if nothing changes. */
const struct location *naming_edits_rename(
	struct naming_edits *edits, const struct location *old);

uint32_t naming_edits_thread(struct naming_edits *edits, uint32_t thread);

#endif
