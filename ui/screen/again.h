/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again: what a screen was like, in bytes, for the one after it in another process of the
 * same program. Who reads them believes nothing: texts end, and flags are flags; but numbers
 * may be any, so only a screen without rights is to be shown like that. Any thread.
 */
#ifndef CPROFTOP_UI_AGAIN_H
#define CPROFTOP_UI_AGAIN_H

#include "ui/screen/app.h"

#include <stddef.h>

/* How many bytes of OUT, which has room for SIZE; 0: there is not enough. */
size_t again_pack(const struct app_again *again, char *out, size_t size);

/* Fill in AGAIN from what again_pack has written, and is `wanted` then; else leave it alone.
   Its view is constant. */
void again_unpack(struct app_again *again, const char *bytes, size_t size);

#endif
