/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/rights/inherited.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NOTED_MAX = 256, /* more are not closed */
};

static struct {
	int fds[NOTED_MAX];
	size_t n_fds;
} noted;

static bool is_named(char *const *words, int fd)
{
	for (; *words; words++)
		for (const char *at = *words; (at = strstr(at, "fd/")); at++)
			if (strtol(at + 3, NULL, 10) == fd)
				return true;
	return false;
}

void inherited_note(char *const *words)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	while (folder && (entry = readdir(folder)) && noted.n_fds < NOTED_MAX) {
		int fd = (int)strtol(entry->d_name, NULL, 10); /* "." is 0 */
		if (fd > STDERR_FILENO && fd != dirfd(folder) && !is_named(words, fd))
			noted.fds[noted.n_fds++] = fd;
	}
	if (folder)
		closedir(folder);
}

void inherited_close(void)
{
	while (noted.n_fds > 0)
		close(noted.fds[--noted.n_fds]);
}
