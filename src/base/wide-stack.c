/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "src/base/wide-stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum {
	STACK_BYTES = 2 << 20,
	GUARD_BYTES = 64 << 10, /* of the largest page there is */
};

struct start {
	int (*program)(int argc, char **argv);
	int argc, status;
	char **argv;
};

/* makecontext(3) passes ints. */
static void run(unsigned high, unsigned low)
{
	struct start *start = (struct start *)((uintptr_t)high << 16 << 16 | low);
	start->status = start->program(start->argc, start->argv);
}

static void give_threads_as_much(void)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

int wide_stack_run(int (*program)(int argc, char **argv), int argc, char **argv)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES)
		return program(argc, argv);
	unsigned char *stack =
		mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	ucontext_t here, there;
	if (stack == MAP_FAILED || getcontext(&there) != 0)
		return program(argc, argv);
	mprotect(stack, GUARD_BYTES, PROT_NONE);
	give_threads_as_much();
	struct start start = {.program = program, .argc = argc, .argv = argv};
	uintptr_t address = (uintptr_t)&start;
	there.uc_stack.ss_sp = stack + GUARD_BYTES;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))run, 2, (unsigned)(address >> 16 >> 16),
		(unsigned)address);
	swapcontext(&here, &there);
	return start.status;
}
