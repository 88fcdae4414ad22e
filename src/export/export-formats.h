/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-formats: the writers behind the table in src/export/export.c, one per file.
 *
 * Each is the `write` function of a struct export_format: it writes REPORT and FACTS to
 * OUT, which is in memory. The caller checks OUT for errors.
 */
#ifndef CPROFTOP_EXPORT_FORMATS_H
#define CPROFTOP_EXPORT_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

struct error;
struct export_facts;
struct report;

bool export_pprof(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err);
bool export_folded(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err);
bool export_speedscope(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err);
bool export_callgrind(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err);
bool export_svg(const struct report *report, const struct export_facts *facts, FILE *out,
	struct error *err);
bool export_text(const struct report *report, const struct export_facts *facts, FILE *out,
	struct error *err);

#endif
