/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/begun.h"

#include "src/base/worker/own-process.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
	const char *name;
	bool has_folders;
} kinds[BEGUN_KINDS] = {{"cproftop-lines", true}, {"cproftop-asm", false}};

static void end(struct begun *begun, size_t kind)
{
	if (begun->pids[kind] > 0)
		own_process_end(begun->pids[kind]);
	begun->pids[kind] = 0;
}

int begun_begin(struct begun *begun, const char *name, const char *debug_dirs, int *fd)
{
	size_t kind = 0;
	int pair[2];
	while (kind < BEGUN_KINDS && strcmp(kinds[kind].name, name) != 0)
		kind++;
	if (kind == BEGUN_KINDS || begun->count >= BEGUN_MOST)
		return EACCES;
	end(begun, kind);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return errno;
	pid_t pid = own_process_begin(kinds[kind].name,
		kinds[kind].has_folders ? debug_dirs : NULL, &pair[1], 1);
	int errnum = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return errnum;
	}
	begun->pids[kind] = pid;
	begun->count++;
	*fd = pair[0];
	return 0;
}

void begun_finish(struct begun *begun)
{
	for (size_t kind = 0; kind < BEGUN_KINDS; kind++)
		end(begun, kind);
}
