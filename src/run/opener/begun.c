/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/begun.h"

#include "src/base/worker/own-process.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int begun_begin(struct begun *begun, const char *name, const char *debug_dirs, int *fd)
{
	int pair[2];
	if (strcmp(name, "cproftop-lines") != 0 || begun->count >= BEGUN_MOST)
		return EACCES;
	begun_finish(begun);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return errno;
	pid_t pid = own_process_begin("cproftop-lines", debug_dirs, &pair[1], 1);
	int errnum = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return errnum;
	}
	begun->pid = pid;
	begun->count++;
	*fd = pair[0];
	return 0;
}

void begun_finish(struct begun *begun)
{
	if (begun->pid > 0)
		own_process_end(begun->pid);
	begun->pid = 0;
}
