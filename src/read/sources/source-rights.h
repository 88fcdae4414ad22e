/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-rights: read files only as the person may who started us.
 *
 * The path of a source file comes from debugging information that a hostile program may
 * have made: "/etc/shadow", or a file of another user. cproftop often runs as root, or with
 * capabilities. So the thread that opens source files gives up what it has beyond the
 * person's own rights: under sudo, doas or pkexec it opens as the user who called them; as
 * root by itself as nobody, so that only what everybody may read is shown; as any other
 * user without that process's capabilities.
 *
 * Linux keeps these rights for each thread, though the C library changes them for all at
 * once; here the system calls are made directly, for the calling thread.
 */
#ifndef CPROFTOP_SOURCE_RIGHTS_H
#define CPROFTOP_SOURCE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

enum {
	SOURCE_NOBODY = 65534
};

struct source_person {
	bool is_privileged; /* we may do more than the person */
	uid_t uid;
	gid_t gid;
};

/* Who started us, with the effective user EUID; READ is getenv. */
struct source_person source_rights_person(uid_t euid, char *(*read)(const char *name));

/* The calling thread is PERSON from now on, for files. False: it is not. */
bool source_rights_become(const struct source_person *person);

/* Back to our own rights, for a file that the person named. To be followed by
   source_rights_become. */
void source_rights_return(const struct source_person *person);

#endif
