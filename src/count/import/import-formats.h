/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-formats: the list of all input formats.
 *
 * A format is one file, src/count/import/import-NAME.c, which defines `const struct
 * import_format import_NAME`, and one row here. A file may be hostile: nothing in it is
 * trusted. Private to src/count/import.
 */
#ifndef CPROFTOP_IMPORT_FORMATS_H
#define CPROFTOP_IMPORT_FORMATS_H

#include "src/base/error.h"
#include "src/base/input-file.h"
#include "src/count/import/recording.h"

#include <stdbool.h>
#include <stddef.h>

struct import_format {
	const char *name; /* "perf script": for help and messages */

	/* Is a file that begins with these LENGTH bytes (a NUL is behind them) one of this
	   format? */
	bool (*is)(const char *bytes, size_t length);

	/* Read all of INPUT into RECORDING. */
	bool (*read)(
		struct recording *recording, struct input_file *input, struct error *err);
};

/* In the order in which they are tried: what is told most surely comes first. */
#define IMPORT_FORMATS(X)    \
	X(import_gperftools) \
	X(import_pprof)      \
	X(import_perf)       \
	X(import_json)       \
	X(import_folded)

#define IMPORT_DECLARE(format) extern const struct import_format format;
IMPORT_FORMATS(IMPORT_DECLARE)
#undef IMPORT_DECLARE

#endif
