/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack that no copy of usual length reaches the root of. The argument says why: "frame",
   because a function in the middle has a frame of 3 MiB; "switch", because it was left for
   another one. Or "state": the frame has 600 KiB, which a copy can have. Or "grow": after ten milliseconds it is 600 KiB deeper than it ever was. */

#include "tests/targets/stack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
	FRAME_BYTES = 3 << 20,
	STATE_BYTES = 600 << 10,
	STACK_BYTES = 256 << 10,
	DEEPER_BYTES = 4000,
	DEEPER_CALLS = 150,
	SHALLOW_NS = 10000000,
	GROW_SECONDS = 5,
};

void spin(void);
FRAME void spin(void)
{
	stack_ready();
	for (volatile unsigned long n = 0; stack_goes_on; n++)
		;
}

FRAME static void with_large_frame(void)
{
	USE_STACK(FRAME_BYTES);
	spin();
	NO_TAIL_CALL();
}

FRAME static void with_state(void)
{
	USE_STACK(STATE_BYTES);
	spin();
	NO_TAIL_CALL();
}

/* Call spin with the stack pointer TOP. */
void on_another_stack(void *top);
__asm__(".text\n"
	".type on_another_stack, @function\n"
	"on_another_stack:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 6, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register 6\n"
	"	mov %rdi, %rsp\n"
	"	call spin\n"
	"	leave\n"
	"	.cfi_def_cfa 7, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size on_another_stack, . - on_another_stack\n");

FRAME static void deeper(int left)
{
	USE_STACK(DEEPER_BYTES);
	if (left == 0)
		spin();
	else
		deeper(left - 1);
	NO_TAIL_CALL();
}

FRAME static void shallow(void)
{
	struct timespec used = {0};
	while (used.tv_sec == 0 && used.tv_nsec < SHALLOW_NS)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "frame") == 0) {
		with_large_frame();
		return EXIT_SUCCESS;
	}
	if (argc == 2 && strcmp(argv[1], "state") == 0) {
		with_state();
		return EXIT_SUCCESS;
	}
	if (argc == 2 && strcmp(argv[1], "grow") == 0) {
		alarm(GROW_SECONDS); /* whoever launched it need not end it */
		shallow();
		deeper(DEEPER_CALLS);
		return EXIT_SUCCESS;
	}
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc != 2 || strcmp(argv[1], "switch") != 0 || stack == MAP_FAILED)
		return EXIT_FAILURE;
	on_another_stack(stack + STACK_BYTES);
	return EXIT_SUCCESS;
}
