/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rc-place: where the settings are kept, and whose they are.
 *
 * `$XDG_CONFIG_HOME/cproftop/rc`, or `~/.config/cproftop/rc` where that variable is not set, or
 * is no absolute path (XDG Base Directory Specification). Under sudo HOME may be somebody
 * else's. Then the file is read, because nothing in it can run a program or write a file, but
 * it is not written: a file of root's in a person's home could not be changed by that person
 * any more, and whoever owns a folder on the way could have root write elsewhere.
 *
 * Makes system calls; main thread.
 */
#ifndef CPROFTOP_RC_PLACE_H
#define CPROFTOP_RC_PLACE_H

#include "src/base/error.h"
#include "src/base/settings/rc-file.h"

#include <stdbool.h>

struct rc_place {
	char *path; /* NULL: there is no place */
};

/* GETENV is getenv(3), or what a test says. */
void rc_place_find(struct rc_place *place, char *(*getenv)(const char *name));
void rc_place_finish(struct rc_place *place);

/* Read it into FILE, which is zeroed. True and no lines if there is no such file. False and
   ERR if it cannot be read, or is not a person's file: not a regular one, too long, or of a
   user who is neither this one, root, nor the one who called sudo. */
bool rc_place_read(const struct rc_place *place, struct rc_file *file, struct error *err);

/* Write it whole or not at all, with its folders; a symbolic link stays one. False and ERR,
   which says where to and why not. */
bool rc_place_write(
	const struct rc_place *place, const struct rc_file *file, struct error *err);

#endif
