/*
 * renamed: where the functions of one report are in another, under other naming rules.
 *
 * Two reports of the same samples that name things differently (src/naming.h) have other
 * function ids for the same code. What stands at a line of a location in the one stands
 * there in the other, too: so places that are remembered by function ids can move along.
 * Where several become one that is exact; where one becomes several it is one of them.
 * UI thread.
 */
#ifndef CPROFTOP_UI_RENAMED_H
#define CPROFTOP_UI_RENAMED_H

#include "src/map.h"
#include "src/report.h"

#include <stddef.h>
#include <stdint.h>

struct renamed {
	struct map ids; /* (function of the one, 0) -> function of the other */
};

/* BEFORE was built before NOW, of one profile. Neither is kept. */
void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now);
void renamed_finish(struct renamed *renamed);

/* What FUNCTION is now; itself if it is not known. */
uint32_t renamed_function(const struct renamed *renamed, uint32_t function);
void renamed_path(const struct renamed *renamed, uint32_t *path, size_t length);

#endif
