/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-rights.h"

#include "src/base/invoker.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct source_person source_rights_person(uid_t euid, char *(*read)(const char *name))
{
	struct source_person person = {
		.is_privileged = euid == 0, .uid = SOURCE_NOBODY, .gid = SOURCE_NOBODY};
	uid_t uid = invoker_told(euid, read, &person.gid);
	if (uid)
		person.uid = uid;
	return person;
}

/* -1 asks for what it is, and changes nothing (setfsuid(2)). */
static uid_t file_user(void)
{
	return (uid_t)syscall(SYS_setfsuid, -1);
}

static gid_t file_group(void)
{
	return (gid_t)syscall(SYS_setfsgid, -1);
}

/* Only what is in effect: for a thread of root they come back with its file user. */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].effective = 0;
	return syscall(SYS_capset, &header, data) == 0;
}

bool source_rights_become(const struct source_person *person)
{
	if (!person->is_privileged)
		return drop_capabilities();
	gid_t group = person->gid;
	/* In a namespace where it may not be called we are in no group that counts. */
	if (syscall(SYS_setgroups, 1, &group) != 0 && errno != EPERM)
		return false;
	syscall(SYS_setfsgid, person->gid);
	syscall(SYS_setfsuid, person->uid); /* drops what overrides permissions, too */
	return file_group() == person->gid && file_user() == person->uid;
}

void source_rights_return(const struct source_person *person)
{
	if (!person->is_privileged)
		return;
	syscall(SYS_setfsuid, geteuid());
	syscall(SYS_setfsgid, getegid());
}
