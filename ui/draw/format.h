/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format: numbers for a person, in few columns.
 *
 * Each function returns a text without padding, of at most its FORMAT_..._WIDTH columns
 * of ASCII; a table right-aligns it. Three or four digits are kept: more would only
 * flicker. The text is returned by value, so it can be used as an argument of a call.
 * Pure; any thread.
 */
#ifndef CPROFTOP_FORMAT_H
#define CPROFTOP_FORMAT_H

#include "src/facts/origin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_PERCENT_WIDTH = 6,  /* "100.0%" */
	FORMAT_SECONDS_WIDTH = 7,  /* "123.45s" */
	FORMAT_DURATION_WIDTH = 7, /* "12.3 us" */
	FORMAT_COUNT_WIDTH = 6,	   /* "123.4k" */
	FORMAT_BYTES_WIDTH = 5,	   /* "64.0M" */
	FORMAT_RATE_WIDTH = 11,	   /* "99/10000 Hz" */
};

struct format {
	char text[32];
};

/* PART of WHOLE in percent: "12.3%"; "<0.1%" for what would be rounded to 0.0 but is not
   0; "1234%" above 999.9 (the CPU of many threads); "-" if WHOLE is 0. */
struct format format_percent(uint64_t part, uint64_t whole);

/* The same for a ratio; "-" if it is not a finite number of at least 0. */
struct format format_share(double share);

/* Seconds with two decimals, in one unit for a whole column, so that rows can be compared
   at a glance: "0.01s", "123.45s", "1234.5s", "123456s". */
struct format format_seconds(uint64_t ns);

/* A length of time in a suitable unit: "850 ns", "12.3 us", "1.50 ms", "30 s", "2m05s",
   "10h02m", "3d04h". */
struct format format_duration(uint64_t ns);

/* "0", "99999", "123.4k", "12.3M". */
struct format format_count(uint64_t count);

/* Powers of 1024, as in ls -h and htop: "812B", "1.5K", "64.0M". */
struct format format_bytes(uint64_t bytes);

/* VALUE by what it is: seconds, bytes or a count, as above. */
struct format format_value(enum value_kind kind, uint64_t value);

/* Achieved of asked: "93/99 Hz". */
struct format format_rate(double achieved_hz, uint64_t asked_hz);

#endif
