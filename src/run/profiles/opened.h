/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened: the profiles that a command was given, read and added up. Main thread.
 */
#ifndef CPROFTOP_OPENED_H
#define CPROFTOP_OPENED_H

#include "src/base/error.h"
#include "src/count/import/recording.h"
#include "src/run/options/options.h"
#include "src/run/profiles/folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are the words that the live screen was given files, and not the name of a process? A
   program that lies in the folder is no profile. */
bool opened_are_meant(const struct options *options);

/* Have APART read FILES, and what is in those that are folders, into RECORDING, which the caller
   finishes in any case. *SHOWN is the index of the type that TYPE names; NULL: the file's own
   choice. LEFT_OUT is added to. */
bool opened_read_by(struct apart *apart, struct recording *recording, char *const *files,
	size_t n_files, const char *type, uint32_t *shown, struct left_out *left_out,
	struct error *err);
/* The same by a process that is begun for it. */
bool opened_read(struct recording *recording, char *const *files, size_t n_files,
	const char *type, uint32_t *shown, struct left_out *left_out, struct error *err);

/* Read FILES, and report of them what REQUEST asks for, with the values of TYPE as above.
   The caller destroys the report; NULL on failure. */
struct report *opened_report(char *const *files, size_t n_files, const char *type,
	const struct report_request *request, struct left_out *left_out,
	struct error *err);

#endif
