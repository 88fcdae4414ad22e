/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work-and-call WORK_US THREADS [SECONDS]: a little work, then a cheap system call, over
 * and over, as a server does.
 *
 * Truth: work takes WORK_US microseconds in user mode; enquire makes one getppid, a tenth
 * or two of a microsecond, most of it in the kernel, all of it in enquire. How much
 * exactly is measured (mixture.h). A sampler whose stops slide to the next exit from the
 * kernel shows most of the time in enquire.
 */
#include "mixture.h"
#include "raw-call.h"
#include "work.h"

/* The kernel leaves the processor without its predictions of returns. Meanwhile enquire
   has something to do; else it is its callers that wait for that. Some 40 ns. */
enum {
	AFTER_CALL = 20
};

static unsigned rounds;

static VISIBLE void work(void *state)
{
	(void)state;
	spin(rounds);
}

static VISIBLE void enquire(void *state)
{
	(void)state;
	raw_call(SYS_getppid, 0, 0, 0);
	spin(AFTER_CALL);
}

static VISIBLE void serve(void *state)
{
	work(state);
	enquire(state);
	__asm__ volatile(""); /* not a jump: that would not be a call */
}

static void *prepare(void)
{
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct mixture mixture = {
		.prepare = prepare,
		.turn = serve,
		.parts = {{"work", work}, {"enquire", enquire}},
		.groups = {{"serve", 3}},
	};
	const char *usage = "WORK_US THREADS [SECONDS]";
	rounds = mixture_spin_rounds(mixture_argument(argc, argv, 1, usage));
	int threads = (int)mixture_argument(argc, argv, 2, usage);
	return mixture_main(&mixture, threads, argc > 3 ? argv[3] : NULL);
}
