/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undumpable [SECONDS]: a process that has protected itself, as ssh-agent does.
 *
 * Truth: prctl(PR_SET_DUMPABLE, 0); only a tracer with CAP_SYS_PTRACE may look, not even
 * its own user.
 */
#include "work.h"

#include <sys/prctl.h>

int main(int argc, char **argv)
{
	prctl(PR_SET_DUMPABLE, 0);
	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	while (work_goes_on(end))
		work_sleep_ns(10 * MS);
	return 0;
}
