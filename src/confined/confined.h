/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confined: a command of root that reads the target's files, or profiles, without rights
 * (--confine). Main thread.
 */
#ifndef CPROFTOP_CONFINED_H
#define CPROFTOP_CONFINED_H

#include "src/base/error.h"
#include "src/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What is still needed of root. All is borrowed until the process ends. */
struct confined {
	const struct options *options;
	const pid_t *pids; /* to be sampled */
	size_t n_pids;
	char *const *files; /* profiles to be read */
	size_t n_files;
	const char *outputs[2]; /* paths of files to be written; NULL: none */
	bool exports;		/* a screen may write files, in the current folder */
};

/* Is --confine not given, or can it be kept? False and ERR: what it does not go with. */
bool confined_check(const struct options *options, struct error *err);

/* CONTEXT is a struct confined: `give_up` in src/session/session.h. */
bool confined_give_up(void *context, pid_t launched, struct error *err);

/* The same before profiles are read, if --confine is given; LOSES_NOTHING: this command does the
   same without rights, so unless --no-confine is given it gives them up where the kernel lets
   it. False and ERR: it was asked for and cannot be done. */
bool confined_for_files(struct confined *confined, bool loses_nothing, struct error *err);

#endif
