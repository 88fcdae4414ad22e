/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-names: make locations of the profile from the answers of the line resolver.
 *
 * A location that was named from a symbol table gets another one in its place, with its
 * lines and the functions that were inlined there (docs/ARCHITECTURE.md, "Names first,
 * lines later"). The reader's thread, or dump's.
 */
#ifndef CPROFTOP_LINE_NAMES_H
#define CPROFTOP_LINE_NAMES_H

#include "src/base/idmap.h"
#include "src/facts/profile.h"
#include "src/read/names/line-resolver.h"

/* Take the answers of RESOLVER, whose locations are those of PROFILE. Puts
   (old location, 0) -> new location into RENAMED for each that has lines. */
void line_names_take(
	struct line_resolver *resolver, struct profile *profile, struct idmap *renamed);

#endif
