/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in vfork for a child that runs on the same stack for ever: until its parent ends. */

#include "tests/targets/stack.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

FRAME static void spin(void)
{
	USE_STACK(256);
	for (volatile int n = 0; stack_goes_on; n++)
		;
}

FRAME static void child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stack_ready();
	spin();
	NO_TAIL_CALL();
}

FRAME static void parent(void)
{
	pid_t pid = vfork();
	if (pid == 0) {
		child();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	NO_TAIL_CALL();
}

int main(void)
{
	parent();
	return 0;
}
