/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deeper than a snapshot is long: "wide" by the size of its frames, "thin N" by their
   number. */

#include "tests/targets/stack.h"

#include <stdlib.h>
#include <string.h>

FRAME static void spin(void)
{
	stack_ready();
	for (volatile unsigned long n = 0; stack_goes_on; n++)
		;
}

FRAME static void wide(int left)
{
	USE_STACK(200);
	if (left == 0)
		spin();
	else
		wide(left - 1);
	NO_TAIL_CALL();
}

FRAME static void thin(int left)
{
	if (left == 0)
		spin();
	else
		thin(left - 1);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "thin") == 0)
		thin(atoi(argv[2]));
	else
		wide(2000);
	return 0;
}
