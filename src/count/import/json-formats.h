/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-formats: the list of the input formats that are JSON.
 *
 * They all begin with a brace, and what an object has may stand in any order. So the file is
 * read first, by import-json.c, and what its outermost object has tells which one it is. A format is
 * src/count/import/import-NAME.c and a row here, and in the names of import-json.c. Private to
 * src/count/import.
 */
#ifndef CPROFTOP_JSON_FORMATS_H
#define CPROFTOP_JSON_FORMATS_H

#include "src/base/error.h"
#include "src/count/import/recording.h"

#include <jansson.h>
#include <stdbool.h>

struct json_format {
	bool (*is)(const json_t *root);
	/* Read all of ROOT into RECORDING. */
	bool (*read)(struct recording *recording, const json_t *root, struct error *err);
};

extern const struct json_format json_speedscope, json_cpuprofile, json_firefox;

#endif
