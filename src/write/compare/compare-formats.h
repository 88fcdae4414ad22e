/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare-formats: the writers behind the table in src/write/compare/compare.c.
 *
 * Each is the `write` function of a struct compare_format: it writes to OUT, which is in
 * memory. The caller checks OUT for errors.
 */
#ifndef CPROFTOP_COMPARE_FORMATS_H
#define CPROFTOP_COMPARE_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

struct compare_facts;
struct difference;
struct error;
struct report;

bool compare_text(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err);
bool compare_csv(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err);
bool compare_json(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err);
bool compare_md(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err);

/* How noise was measured: "Noise:    by 20 blocks of time...", a line or two. */
void compare_noise(const struct difference *difference, FILE *out);

#endif
