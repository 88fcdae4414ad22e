/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code with unwind information but without frame pointers calls code with frame pointers
   but without unwind information (stack-no-cfi-lib.c), and the other way round, several
   times. */

#include "tests/targets/stack-no-cfi.h"
#include "tests/targets/stack.h"

FRAME static void with_cfi(int left)
{
	USE_STACK(72);
	if (left == 0) {
		stack_ready();
		plain_spin();
	} else {
		plain_step(left, with_cfi);
	}
	NO_TAIL_CALL();
}

int main(void)
{
	with_cfi(4);
	return 0;
}
