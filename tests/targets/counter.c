/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter FILE [SECONDS [DEPTH]]: counts units of work in a file that others can read.
 *
 * Truth: FILE (made here, 8 bytes, mapped shared) holds the number of units done, as a
 * 64-bit number of this machine. Units are alike, so units per second of an undisturbed
 * window against those of a disturbed one is the slowdown the target really felt. Each
 * unit is DEPTH calls deep (36 if not said), one of them, half-way, through lfind(3) of
 * the C library: the stack leaves the program and comes back once, without frame
 * pointers, as many real ones do. A unit takes about 20 microseconds. SIGUSR1 is handled
 * without any effect.
 */
#include "work.h"

#include <fcntl.h>
#include <search.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static VISIBLE int descend(const void *depth, const void *unused);

static VISIBLE int unit_of_work(void)
{
	spin(10000);
	return 1;
}

static VISIBLE int descend_through_library(const unsigned *depth)
{
	unsigned array[1] = {0};
	size_t n = 1;
	return lfind(depth, array, &n, sizeof(array[0]), descend) != NULL;
}

/* Returns 0 to lfind ("found") only after the unit is done. */
static VISIBLE int descend(const void *depth, const void *unused)
{
	unsigned left = *(const unsigned *)depth;
	int done;
	if (left <= 2)
		done = unit_of_work();
	else if (left == 18) {
		left -= 3; /* this one, the next, and lfind */
		done = descend_through_library(&left);
	} else {
		left -= 1;
		done = !descend(&left, unused);
	}
	return !done;
}

static void take(int signal_number)
{
	(void)signal_number;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0) {
		fputs("usage: counter FILE [SECONDS [DEPTH]]\n", stderr);
		return 2;
	}
	_Atomic uint64_t *units =
		mmap(NULL, sizeof(*units), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (units == MAP_FAILED)
		return 1;
	unsigned depth = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 36;
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &action, NULL);
	uint64_t end = work_begin(argc > 2 ? argv[2] : NULL);
	while (work_goes_on(end))
		for (int i = 0; i < 50; i++)
			if (descend(&depth, NULL) == 0)
				atomic_fetch_add_explicit(units, 1, memory_order_relaxed);
	printf("truth units %.0f\n", (double)*units);
	return 0;
}
