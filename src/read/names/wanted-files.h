/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wanted-files: debug files that are to be fetched, by build id.
 *
 * Who names code has no network: it notes here what it would like, main is told (FACT_WANTED),
 * has it fetched (src/read/debuginfod/debug-fetch.h), and says what became of it. The reader's only
 * thread.
 */
#ifndef CPROFTOP_WANTED_FILES_H
#define CPROFTOP_WANTED_FILES_H

#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>

enum wanted_state {
	WANTED_PENDING,
	WANTED_FOUND,
	WANTED_NONE,
};

struct wanted_file {
	char *build_id, *module;
	char *path; /* if it was found */
	enum wanted_state state;
	bool is_told;
};

/* A zeroed struct is empty and valid. It lives as long as its process. */
struct wanted_files {
	VEC(struct wanted_file) list;
};

/* The debug file of BUILD_ID is wanted, for MODULE. If WANTED_FOUND, *PATH is the file; the
   string stays valid. */
enum wanted_state wanted_files_ask(struct wanted_files *wanted, const char *build_id,
	const char *module, const char **path);

/* One that main was not told of yet; NULL: there is none. It counts as told then. */
const struct wanted_file *wanted_files_next(struct wanted_files *wanted);

/* PATH "": it was not found. */
void wanted_files_answer(
	struct wanted_files *wanted, const char *build_id, const char *path);

#endif
