/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiled with -fno-omit-frame-pointer -fno-asynchronous-unwind-tables. */

#include "tests/targets/stack-no-cfi.h"
#include "tests/targets/stack.h"

FRAME static void plain_middle(int left, void (*back)(int))
{
	volatile int frame[9];
	frame[left] = left;
	back(frame[left] - 1);
	NO_TAIL_CALL();
}

FRAME void plain_step(int left, void (*back)(int))
{
	plain_middle(left, back);
	NO_TAIL_CALL();
}

/* Small, so that many samples find it at its first and last instructions. Without the
   frame address gcc gives a leaf no frame pointer, whatever its options say. */
FRAME static int plain_leaf(int n)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	return n * 3;
}

FRAME void plain_spin(void)
{
	for (volatile int n = 0; stack_goes_on;)
		n = plain_leaf(n);
}
