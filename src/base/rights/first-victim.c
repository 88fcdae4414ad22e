/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/first-victim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	MOST = 1000,
};

void first_victim(int by)
{
	char text[16] = "";
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		long sum = strtol(text, NULL, 10) + by;
		int length = snprintf(text, sizeof(text), "%ld", sum < MOST ? sum : MOST);
		ssize_t ignored = pwrite(fd, text, (size_t)length, 0);
		(void)ignored; /* then it is not */
	}
	close(fd);
}
