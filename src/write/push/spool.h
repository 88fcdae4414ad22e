/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool: the files of a folder that recordings with --every have written, oldest first.
 *
 * Such a file is NAME-PID-20261121T144200Z.pb.gz, with a -N before the suffix if there are
 * several of one second; the time is UTC, when its first sample could have been taken.
 * Whatever else is in the folder is left alone. A file has its name from the moment when
 * it is complete (src/base/output-file.h). Any thread.
 */
#ifndef CPROFTOP_SPOOL_H
#define CPROFTOP_SPOOL_H

#include "src/base/error.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct spool_file {
	char *name;    /* in the folder */
	char *program; /* NAME */
	pid_t pid;
	int64_t begin_s, end_s; /* UTC since 1970; it was written at its end */
	uint64_t bytes;
};

struct spool {
	VEC(struct spool_file) files;
};

/* Which files of FOLDER, an open directory, there are, of suffix SUFFIX (".pb.gz"). A file
   cannot be in it twice. */
bool spool_list(struct spool *spool, int folder, const char *suffix, struct error *err);
void spool_finish(struct spool *spool); /* a zeroed spool is fine */

/* What may stay: the last FILES files, or those of the last AGE_S seconds, or the last
   ones that have BYTES together; 0: any. */
struct spool_limit {
	unsigned files;
	uint64_t bytes;
	int64_t age_s;
};

/* "20", "500M", "7d": a number of files, of bytes (K, M, G: 1024 of the one before), or of
   time (s, m, h, d). */
bool spool_limit_parse(struct spool_limit *limit, const char *text, struct error *err);

/* Remove the oldest files of PROGRAM until LIMIT is kept, but never the last one. Returns
   how many. */
unsigned spool_prune(int folder, const char *suffix, const char *program,
	const struct spool_limit *limit, int64_t now_s);

#endif
