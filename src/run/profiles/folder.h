/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder: all profiles in a folder, as `record --every` fills it, added up.
 *
 * The files of the folder itself are read, in the order of their names, whoever wrote them;
 * not those that are hidden, nor those of folders in it. One that cannot be read as a
 * profile, or counts something else than those before it, is left out as a whole, and told.
 * Main thread.
 */
#ifndef CPROFTOP_FOLDER_H
#define CPROFTOP_FOLDER_H

#include "src/base/error.h"
#include "src/run/profiles/apart.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	LEFT_OUT_TOLD = 8,
	FOLDER_FILES_MAX = 64 << 10,
};

/* What became of the files. A zeroed one is none. */
struct left_out {
	struct error why[LEFT_OUT_TOLD]; /* of the first ones: each names its file */
	size_t n;			 /* of all */
	size_t n_read;			 /* those that were not left out */
	struct error
		stacks; /* of what was read: for what there was no room; "": all is there */
};

bool folder_is(const char *path);

/* Is the file PATH, which need not be there, one of the folder FOLDER? */
bool folder_has(const char *folder, const char *path);

/* Is there a profile among the first files of the folder PATH? */
bool folder_has_profiles(const char *path);

/* Have APART add all profiles in the folder PATH. False if there is none, or if together they are
   too much. */
bool folder_read(struct apart *apart, const char *path, struct left_out *left_out,
	struct error *err);

#endif
