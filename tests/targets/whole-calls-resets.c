/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection that is reset while a call waits: the call is short by right, and the next
   one says ECONNRESET. */

#include "whole-calls-peer.h"
#include "whole-calls.h"

#include "work.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RECEIVED = 256 << 10,
};

static unsigned char buffer[RECEIVED];
static struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {0}};

/* Sends a little on each connection, and resets it. */
static void run_resetter(int listener)
{
	static unsigned char bytes[ORDINARY];
	const struct linger at_once = {1, 0};
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		if (fd < 0 || write(fd, bytes, sizeof(bytes)) < 0)
			_exit(1);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		work_sleep_ns(20 * US);
		close(fd);
	}
}

static bool start_resetter(void)
{
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&here, length) != 0 ||
		listen(listener, 1) != 0 ||
		getsockname(listener, (struct sockaddr *)&here, &length) != 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_resetter(listener);
	}
	close(listener);
	return pid > 0;
}

static enum whole_outcome enter_reset(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&here, sizeof(here)) != 0)
		return WHOLE_WRONG;
	long result = call(SYS_recvfrom, fd, (long)buffer, RECEIVED, MSG_WAITALL, 0, 0);
	bool told = recv(fd, buffer, 1, 0) == -1 && errno == ECONNRESET;
	close(fd);
	return whole_judge(result, ORDINARY, told);
}

const struct whole_case whole_resets[] = {
	{"recv-reset", start_resetter, enter_reset, NULL, true},
};
const size_t whole_resets_count = sizeof(whole_resets) / sizeof(*whole_resets);
