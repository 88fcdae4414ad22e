/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host: what the C library loads, at run time, from the system that cproftop runs on.
 *
 * A program that is linked statically (make static) has a glibc of its own. For users that
 * are not in /etc/passwd (NSS), for character sets other than UTF-8 (gconv) and for dlopen
 * this glibc would load shared objects of the system, which belong to that system's glibc:
 * if that is another version, the program crashes. So a static cproftop asks for none of
 * them. Any thread, but host_set_locale, which is for main.
 */
#ifndef CPROFTOP_HOST_H
#define CPROFTOP_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* May this program load shared objects? Not if it is linked statically. */
bool host_loads_objects(void);

/* Store the function NAME of the object HANDLE (dlopen) in *OUT, a pointer to a function;
   POSIX promises that it fits. */
bool host_find_function(void *handle, const char *name, void *out);

/* The name of a user, as it stands in the system's list; may ask a server, so remember it.
   False, and nothing in OUT, if UID has no name. A static program reads only /etc/passwd. */
bool host_user_name(uid_t uid, char *out, size_t size);

struct host_user {
	gid_t gid;
	char name[64], home[256];
};

/* The same with group and home. */
bool host_user(uid_t uid, struct host_user *user);

/* The locale of the environment, for characters only; in a static program the one called C
   if that is not one of UTF-8. */
void host_set_locale(void);

#endif
