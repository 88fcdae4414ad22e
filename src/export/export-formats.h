/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-formats: the writers behind the table in src/export/export.c, one per file.
 *
 * Each is a struct export_format's `write`: REPORT and FACTS to OUT, which is memory. It
 * need not check OUT; whoever opened it finds out whether there was room.
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
bool export_text(const struct report *report, const struct export_facts *facts, FILE *out,
	struct error *err);

#endif
