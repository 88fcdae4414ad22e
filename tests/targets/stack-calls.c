/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 36 calls, by turns in the program and in a shared library, without frame pointers. */

#include "tests/targets/stack-calls.h"
#include "tests/targets/stack.h"

/* Busy in ever different instructions of a small recursion. */
FRAME static unsigned churn(unsigned n)
{
	volatile unsigned scratch[5];
	scratch[n % 5] = n;
	if (n == 0)
		return 1;
	unsigned sum = churn(n - 1) + churn(n / 2);
	return sum + scratch[n % 5];
}

FRAME static void spin(void)
{
	stack_ready();
	for (unsigned sum = 0; stack_goes_on && sum != 1;)
		sum += churn(5);
}

/* Frames of several sizes, so that a wrong one shows. */
FRAME static void exe_step(int left)
{
	USE_STACK(40);
	if (left == 0)
		spin();
	else
		lib_step(left, exe_step);
	NO_TAIL_CALL();
}

int main(void)
{
	exe_step(18);
	return 0;
}
