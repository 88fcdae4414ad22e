/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/confine-files.h"

#include "src/base/rights/sanitized.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SANITIZED

/* What include/uapi/linux/landlock.h has had since which version of the interface. Older
   headers lack some of it, and the kernel that we run on is asked anyway. */
enum {
	FILES_1 = (1 << 13) - 1, /* EXECUTE to MAKE_SYM */
	REFER_2 = 1 << 13,
	TRUNCATE_3 = 1 << 14,
	IOCTL_DEV_5 = 1 << 15,
	TCP_4 = 3,   /* bind, connect */
	SCOPES_6 = 3 /* abstract sockets, signals */
};

struct ruleset {
	uint64_t files, network, scopes;
};

/* The bytes of struct ruleset that a kernel of VERSION knows. */
static size_t size_of(long version)
{
	return version >= 6   ? sizeof(struct ruleset)
	       : version >= 4 ? offsetof(struct ruleset, scopes)
			      : offsetof(struct ruleset, network);
}

#endif

/* BUT: what stays allowed everywhere; and CONNECTS, TCP. A sanitizer's runtime opens files for its
   reports. */
static int make_ruleset(uint64_t but, bool connects)
{
#ifdef SANITIZED
	(void)but;
	(void)connects;
	return -1;
#else
	long version = syscall(
		SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct ruleset all = {
		.files = FILES_1, .network = connects ? 0 : TCP_4, .scopes = SCOPES_6};
	if (version < 1)
		return -1;
	all.files |= version >= 2 ? REFER_2 : 0;
	all.files |= version >= 3 ? TRUNCATE_3 : 0;
	all.files |= version >= 5 ? IOCTL_DEV_5 : 0;
	all.files &= ~but;
	return (int)syscall(SYS_landlock_create_ruleset, &all, size_of(version), 0);
#endif
}

/* What makes, changes and removes files there, of the first version: what later ones have in
   addition (to truncate, to move between folders) is not needed. */
#define IN_A_FOLDER                                                         \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |      \
		LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM | \
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR)

static void allow_below(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/* The second is refused for what is no folder. */
static void allow_reading(int ruleset, const char *path)
{
	allow_below(ruleset, path, LANDLOCK_ACCESS_FS_READ_FILE);
	allow_below(ruleset, path, LANDLOCK_ACCESS_FS_READ_DIR);
}

static void allow_list(int ruleset, const char *list)
{
	char folder[PATH_MAX];
	while (*list) {
		size_t length = strcspn(list, ":");
		if (length > 0 && length < sizeof(folder)) {
			memcpy(folder, list, length);
			folder[length] = '\0';
			allow_reading(ruleset, folder);
		}
		list += length + (list[length] == ':');
	}
}

static bool enforce(int ruleset)
{
	bool done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	return done;
}

bool confine_reading_to(const char *const *lists)
{
	int ruleset = make_ruleset(0, false);
	if (ruleset < 0)
		return false;
	for (; *lists; lists++)
		allow_list(ruleset, *lists);
	return enforce(ruleset);
}

bool confine_fetching(const char *const *lists, const char *folder)
{
	int ruleset = make_ruleset(0, true);
	if (ruleset < 0)
		return false;
	for (; *lists; lists++)
		allow_list(ruleset, *lists);
	allow_below(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
	if (folder) {
		allow_reading(ruleset, folder);
		allow_below(ruleset, folder, IN_A_FOLDER);
	}
	return enforce(ruleset);
}
