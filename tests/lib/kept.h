/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept: sessions of the whole screen (play.h) with a settings file in the folder of the test.
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_KEPT_H
#define CPROFTOP_TESTS_KEPT_H

#include "tests/lib/play.h"

/* Play SCRIPT with the options GIVEN, a window of 30 s and a settings file that has TEXT, or
   if that is NULL none yet. The last screen; the caller frees it. */
char *kept_play(const struct app_options *given, const char *text, const char *script);

/* What the file has now. */
void kept_expect(const char *text);
const char *kept_path(void);

void kept_end(void); /* removes it */

#endif
