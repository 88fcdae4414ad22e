/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * languages: in one line whose functions a report has beside native ones, how many samples lack
 * some, and what would show more. Any thread.
 */
#ifndef CPROFTOP_LANGUAGES_H
#define CPROFTOP_LANGUAGES_H

#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	LANGUAGES_TEXT_MAX = REPORT_LANGUAGES_MAX + 160,
};

/* "PHP 8.2: functions named; 3.1 % of samples have one that is gone"; "" if there are no
   languages. True if so many lack functions that a person should be told. */
bool languages_text(const struct report *report, char *out, size_t size);

#endif
