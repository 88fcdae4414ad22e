/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks for the time, mostly in the vDSO. */

#include "tests/targets/stack.h"

#include <time.h>

FRAME static void ask(void)
{
	struct timespec now;
	stack_ready();
	while (stack_goes_on)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

FRAME static void want_time(void)
{
	USE_STACK(56);
	ask();
	NO_TAIL_CALL();
}

int main(void)
{
	want_time();
	return 0;
}
