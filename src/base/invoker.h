/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invoker: the person behind a root that sudo made.
 *
 * What is done for that person, and not to the target, needs no more rights than the person
 * has: an editor, a file in a home. Only a process of root asks, and it can only lose rights by
 * the answer, so nobody gains anything by a wrong SUDO_UID. Main thread.
 */
#ifndef CPROFTOP_INVOKER_H
#define CPROFTOP_INVOKER_H

#include <stdbool.h>
#include <sys/types.h>

enum {
	INVOKER_GROUPS = 64
};

struct invoker {
	uid_t uid;
	gid_t gid;
	gid_t groups[INVOKER_GROUPS];
	int n_groups;
	char name[64], home[256];
};

/* The user who called sudo (SUDO_UID), pkexec (PKEXEC_UID) or doas (DOAS_UID); 0 if we are not
   root, or root is who sits there. */
uid_t invoker_uid(void);

/* The same of a process with the effective user EUID. LOOK_UP is getenv; into *GID the group, if it
   is told. */
uid_t invoker_told(uid_t euid, char *(*look_up)(const char *name), gid_t *gid);

/* The same with all that it takes to act as that user; false if there is none, or the system
   does not know them. */
bool invoker_find(struct invoker *invoker);

#endif
