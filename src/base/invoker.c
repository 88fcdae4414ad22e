/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/invoker.h"

#include "src/base/host.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uid_t invoker_uid(void)
{
	const char *const texts[] = {getenv("SUDO_UID"), getenv("PKEXEC_UID")};

	if (geteuid() != 0)
		return 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i];
		char *end;
		unsigned long uid = text ? strtoul(text, &end, 10) : 0;
		if (text && *text && !*end && uid > 0 && uid < (uid_t)-1)
			return (uid_t)uid;
	}
	return 0;
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
