/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/doorman-public.h"

#include "src/doorman/doorman-words.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	/* Beside O_RDONLY. */
	HARMLESS_FLAGS = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY |
			 O_PATH | O_LARGEFILE,
	OVERFLOW_UID = 65534, /* root outside of a user namespace */
};

/* PATH with the caller in the place of "self", which would be us. False: it leads out of that
   by "..". */
static bool name_caller(const struct asked *asked, char out[PATH_MAX])
{
	const char *rest = asked->path;
	int length;
	if (take_word(&rest, "/proc/self/"))
		length = snprintf(out, PATH_MAX, "/proc/%d/%s", (int)asked->tid, rest);
	else if (take_word(&rest, "/proc/thread-self/"))
		length = snprintf(out, PATH_MAX, "/proc/%d/task/%d/%s", (int)asked->tid,
			(int)asked->tid, rest);
	else
		return false;
	return length < PATH_MAX && !strstr(rest, "..");
}

static int find(const struct asked *asked, const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	if (path[0] != '/' && asked->dir < 0 && (int)asked->args[0] != AT_FDCWD) {
		errno = EBADF;
		return -1;
	}
	return (int)syscall(SYS_openat2, asked->dir < 0 ? AT_FDCWD : asked->dir, path,
		&how, sizeof(how));
}

/* Of /proc/PID what ps(1) and ss(8) show of any process. */
static bool is_shown(const char *below_proc)
{
	static const char *const shown[] = {
		"comm", "stat", "status", "cmdline", "net/tcp", "net/tcp6"};
	const char *text = below_proc;
	if (take_number(&text) < 0 || !take_word(&text, "/"))
		return false;
	if (take_word(&text, "task/") &&
		(take_number(&text) < 0 || !take_word(&text, "/")))
		return false;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (strcmp(text, shown[i]) == 0)
			return true;
	return false;
}

/* Can anybody get there? */
static bool is_reachable(const char *real)
{
	char folder[PATH_MAX];
	struct stat status;
	for (const char *slash = strchr(real, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		size_t length = slash == real ? 1 : (size_t)(slash - real);
		memcpy(folder, real, length);
		folder[length] = '\0';
		if (stat(folder, &status) != 0 || !(status.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

/* In a user namespace that does not know root, its files are nobody's. */
static bool is_roots(uid_t user)
{
	char map[64] = "";
	if (user != OVERFLOW_UID || geteuid() == OVERFLOW_UID)
		return user == 0;
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	bool is_read = fd >= 0 && read(fd, map, sizeof(map) - 1) > 0;
	unsigned first, outside, count;
	if (fd >= 0)
		close(fd);
	return is_read && sscanf(map, "%u %u %u", &first, &outside, &count) == 3 &&
	       count != UINT_MAX;
}

/* Is what is open at PLACE root's, or a folder for everybody, and may anybody read it? Our own entries of /proc, who are not
   to be traced, are root's as well. */
static bool is_public(int place)
{
	char link[32], real[PATH_MAX];
	struct stat status;
	struct statfs system;
	const char *below = real;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	ssize_t length = readlink(link, real, sizeof(real) - 1);
	if (length <= 0 || fstat(place, &status) != 0 || !(status.st_mode & S_IROTH) ||
		fstatfs(place, &system) != 0)
		return false;
	real[length] = '\0';
	bool is_below_proc = take_word(&below, "/proc/");
	if (is_below_proc && isdigit((unsigned char)*below))
		return is_shown(below);
	if (system.f_type == PROC_SUPER_MAGIC && !is_below_proc &&
		strcmp(real, "/proc") != 0)
		return false; /* mounted elsewhere, where we do not know what is what */
	if (S_ISCHR(status.st_mode))
		return strcmp(real, "/dev/null") == 0 || strcmp(real, "/dev/zero") == 0 ||
		       strcmp(real, "/dev/urandom") == 0;
	bool is_for_all = S_ISDIR(status.st_mode) && (status.st_mode & S_IWOTH);
	return (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
	       (is_for_all || is_roots(status.st_uid)) && is_reachable(real);
}

/* A descriptor that only stands for a path cannot be handed over. */
static int open_at(int place, int flags)
{
	char link[32];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	return open(link, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

bool doorman_public_open(struct doorman_rules *rules, const struct asked *asked)
{
	char own[PATH_MAX];
	int flags = (int)asked->args[2];
	bool is_null = strcmp(asked->path, "/dev/null") == 0;
	int wanted = is_null ? flags & O_ACCMODE : O_RDONLY;
	if (!is_null && (flags & ~HARMLESS_FLAGS))
		return false;
	bool is_own = name_caller(asked, own);
	int place = find(asked, is_own ? own : asked->path);
	if (place < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		asked_answer(asked, -1); /* it is no secret either, as with stat(2) */
		return true;
	}
	bool granted = place >= 0 && (is_own || is_public(place));
	if (granted) {
		int fd = open_at(place, wanted | (flags & O_DIRECTORY));
		doorman_rules_remember(rules, fd);
		asked_hand_over(asked, fd);
	}
	if (place >= 0)
		close(place);
	return granted;
}
