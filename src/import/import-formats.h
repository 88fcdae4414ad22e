/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-formats: the readers behind the table in src/import/import.c.
 *
 * Each has two functions. `is` looks at the LENGTH bytes that a file begins with (a NUL is
 * behind them) and says whether it is one of its own. `read` reads all of INPUT into
 * RECORDING. A file may be hostile: nothing in it is trusted.
 */
#ifndef CPROFTOP_IMPORT_FORMATS_H
#define CPROFTOP_IMPORT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct input_file;
struct recording;

bool import_pprof_is(const char *bytes, size_t length);
bool import_pprof_read(
	struct recording *recording, struct input_file *input, struct error *err);

bool import_perf_is(const char *bytes, size_t length);
bool import_perf_read(
	struct recording *recording, struct input_file *input, struct error *err);

bool import_callgrind_is(const char *bytes, size_t length);
bool import_callgrind_read(
	struct recording *recording, struct input_file *input, struct error *err);

bool import_speedscope_is(const char *bytes, size_t length);
bool import_speedscope_read(
	struct recording *recording, struct input_file *input, struct error *err);

bool import_folded_is(const char *bytes, size_t length);
bool import_folded_read(
	struct recording *recording, struct input_file *input, struct error *err);

#endif
