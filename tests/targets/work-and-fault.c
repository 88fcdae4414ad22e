/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work-and-fault WORK_US THREADS [SECONDS]: a little work, then a page fault, over and
 * over.
 *
 * Truth: work takes WORK_US microseconds in user mode; touch writes to a page that is not
 * there, and after each 256 pages gives them all back to the kernel. Fault and call are
 * kernel time of touch; how much is measured (mixture.h).
 */
#include "mixture.h"
#include "raw-call.h"
#include "work.h"

#include <sys/mman.h>

enum {
	PAGES = 256,
	PAGE_BYTES = 4096
};

struct memory {
	volatile char *pages;
	size_t next;
};

static unsigned rounds;

static VISIBLE void work(void *state)
{
	(void)state;
	spin(rounds);
}

static VISIBLE void touch(void *state)
{
	struct memory *memory = state;
	if (memory->next == PAGES) {
		raw_call(SYS_madvise, (long)memory->pages, PAGES * PAGE_BYTES,
			MADV_DONTNEED);
		memory->next = 0;
	}
	memory->pages[PAGE_BYTES * memory->next++] = 1;
}

static VISIBLE void serve(void *state)
{
	work(state);
	touch(state);
	__asm__ volatile(""); /* not a jump: that would not be a call */
}

/* No huge pages: one fault would bring them all. */
static void *prepare(void)
{
	struct memory *memory = calloc(1, sizeof(*memory));
	char *pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!memory || pages == MAP_FAILED)
		abort();
	madvise(pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	memory->pages = pages;
	return memory;
}

int main(int argc, char **argv)
{
	static const struct mixture mixture = {
		.prepare = prepare,
		.turn = serve,
		.parts = {{"work", work}, {"touch", touch}},
		.groups = {{"serve", 3}},
	};
	const char *usage = "WORK_US THREADS [SECONDS]";
	rounds = mixture_spin_rounds(mixture_argument(argc, argv, 1, usage));
	int threads = (int)mixture_argument(argc, argv, 2, usage);
	return mixture_main(&mixture, threads, argc > 3 ? argv[3] : NULL);
}
