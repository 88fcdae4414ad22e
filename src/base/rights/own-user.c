/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/own-user.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	UNUSED = 0x70000000, /* with any PID added (at most 2^22) still in the gap */
	FEW_UNUSED = 65520,
	N_FEW = 14,
	NOBODY = 65534, /* Documentation/admin-guide/sysctl/fs.rst: overflowuid */
	LINE_BYTES = 1024,
};

/* The user with our name, if the system has one. Not by getpwnam(3), which may load code
   and ask servers. */
static bool find_ours(uid_t *uid, gid_t *gid)
{
	char line[LINE_BYTES];
	struct passwd entry, *found = NULL;
	FILE *list = fopen("/etc/passwd", "re");
	while (list && fgetpwent_r(list, &entry, line, sizeof(line), &found) == 0 &&
		strcmp(found->pw_name, OWN_USER_NAME) != 0)
		found = NULL;
	bool is_there = list && found && found->pw_uid != 0 && found->pw_gid != 0;
	if (is_there) {
		*uid = found->pw_uid;
		*gid = found->pw_gid;
	}
	if (list)
		fclose(list);
	return is_there;
}

static bool become(uid_t uid, gid_t gid)
{
	return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

bool own_user_become(void)
{
	uid_t uid;
	gid_t gid;
	unsigned pid = (unsigned)getpid();
	/* Refused in some containers; then there may be no other groups either. */
	int groups = setgroups(0, NULL);
	bool done = (find_ours(&uid, &gid) && become(uid, gid)) ||
		    become(UNUSED + pid, UNUSED + pid) ||
		    become(FEW_UNUSED + pid % N_FEW, FEW_UNUSED + pid % N_FEW) ||
		    become(NOBODY, NOBODY);
	return done && (groups == 0 || getgroups(0, NULL) == 0);
}
