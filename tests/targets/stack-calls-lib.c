/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other file of stack-calls. */

#include "tests/targets/stack-calls.h"
#include "tests/targets/stack.h"

FRAME void lib_step(int left, void (*back)(int))
{
	volatile int frame[100];
	frame[left] = left;
	back(frame[left] - 1);
	NO_TAIL_CALL();
}
