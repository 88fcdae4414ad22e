/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/invoker.h"

#include "src/base/host.h"

#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* 0: none, or root. */
static uint32_t number_of(const char *text)
{
	char *end;
	if (!text || *text < '0' || *text > '9')
		return 0;
	unsigned long value = strtoul(text, &end, 10);
	return *end || value >= UINT32_MAX ? 0 : (uint32_t)value;
}

uid_t invoker_told(uid_t euid, char *(*look_up)(const char *name), gid_t *gid)
{
	const char *const texts[] = {
		look_up("SUDO_UID"), look_up("PKEXEC_UID"), look_up("DOAS_UID")};
	uid_t uid = 0;

	for (size_t i = 0; euid == 0 && uid == 0 && i < sizeof(texts) / sizeof(*texts);
		i++) {
		uid = number_of(texts[i]);
		gid_t group = uid && i == 0 ? number_of(look_up("SUDO_GID")) : 0;
		if (group)
			*gid = group;
	}
	return uid;
}

uid_t invoker_uid(void)
{
	gid_t unused;
	return invoker_told(geteuid(), getenv, &unused);
}

bool invoker_find(struct invoker *invoker)
{
	struct host_user user;

	*invoker = (struct invoker){.uid = invoker_uid()};
	if (invoker->uid == 0 || !host_user(invoker->uid, &user))
		return false;
	invoker->gid = user.gid;
	snprintf(invoker->name, sizeof(invoker->name), "%s", user.name);
	snprintf(invoker->home, sizeof(invoker->home), "%s", user.home);
	/* The list of groups may be a shared object's matter, like that of users. */
	invoker->n_groups = INVOKER_GROUPS;
	if (!host_loads_objects() || getgrouplist(user.name, user.gid, invoker->groups,
					     &invoker->n_groups) < 0) {
		invoker->groups[0] = user.gid;
		invoker->n_groups = 1;
	}
	return true;
}
