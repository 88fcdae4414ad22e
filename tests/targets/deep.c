/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deep [SECONDS [DEPTH]]: burns CPU at the bottom of DEPTH nested calls, 400 if not said.
 *
 * Truth: every stack is main; go_down (DEPTH + 1 times); burn_at_the_bottom. A call takes
 * about 100 bytes of stack ("truth stack_bytes" says how much it was in all): 400 of them
 * fit the 64 KiB of a default snapshot, 4000 do not, and those stacks must come out as
 * truncated, and say so.
 */
#include "work.h"

struct depth {
	unsigned left;
	uint64_t end_ns;
	uintptr_t top;
	uint64_t stack_bytes;
};

static VISIBLE uint64_t burn_at_the_bottom(uint64_t until)
{
	return burn_until(until);
}

/* The array is used after the call, so that no compiler turns the recursion into a
   loop. */
static VISIBLE unsigned go_down(struct depth *depth)
{
	volatile unsigned char frame[24];
	frame[0] = (unsigned char)depth->left;
	if (depth->left == 0) {
		depth->stack_bytes = depth->top - (uintptr_t)frame;
		while (work_goes_on(depth->end_ns))
			burn_at_the_bottom(thread_cpu_ns() + MS);
		return 0;
	}
	depth->left--;
	unsigned below = go_down(depth);
	return below + 1 + (frame[0] & 0);
}

int main(int argc, char **argv)
{
	struct depth depth = {
		.left = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 400,
		.top = (uintptr_t)__builtin_frame_address(0),
		.end_ns = work_begin(argc > 1 ? argv[1] : NULL),
	};
	printf("truth depth %u\n", go_down(&depth));
	printf("truth stack_bytes %.0f\n", (double)depth.stack_bytes);
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
