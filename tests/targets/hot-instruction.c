/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hot-instruction [SECONDS]: a loop in which single instructions take a known time.
 *
 * Truth: `rep stosb` is one instruction that fills a whole buffer, and an interrupt finds the
 * thread at it, however long it takes. The loop has two of them, the second on a third of
 * the bytes, and between them work of many instructions. Each part is timed by the processor's
 * time stamp counter, and its share of their sum is printed: `first` and `second` for the two
 * instructions, `between` for the rest. A turn that took three times as long as the shortest
 * one was interrupted, and is not counted.
 *
 * slow_division is a loop whose time goes to one division, which nothing after it can hide:
 * every instruction needs the result of the one before. It shows how far behind the slow
 * instruction samples are.
 */
#include "work.h"

#include <x86intrin.h>

enum {
	FIRST_BYTES = 384 << 10,
	SECOND_BYTES = 128 << 10,
	BETWEEN_STEPS = 2000,
};

static unsigned char buffer[FIRST_BYTES];

struct ticks {
	uint64_t first, between, second;
	uint64_t least; /* of a whole turn */
};

static inline __attribute__((always_inline)) void fill(size_t count, unsigned char value)
{
	void *to = buffer;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(value) : "memory");
}

/* Not before all that stands above is done (Intel SDM, RDTSC). */
static inline __attribute__((always_inline)) uint64_t ticks_now(void)
{
	_mm_lfence();
	uint64_t now = __rdtsc();
	_mm_lfence();
	return now;
}

static VISIBLE uint64_t hot_loop(struct ticks *ticks, uint64_t number)
{
	uint64_t t0 = ticks_now();
	fill(FIRST_BYTES, 1);
	uint64_t t1 = ticks_now();
	for (int i = 0; i < BETWEEN_STEPS; i++)
		number = number * 6364136223846793005u + 1442695040888963407u;
	uint64_t t2 = ticks_now();
	fill(SECOND_BYTES, 2);
	uint64_t t3 = ticks_now();
	if (t3 - t0 < ticks->least)
		ticks->least = t3 - t0;
	if (t3 - t0 > 3 * ticks->least)
		return number;
	ticks->first += t1 - t0;
	ticks->between += t2 - t1;
	ticks->second += t3 - t2;
	return number;
}

static VISIBLE uint64_t slow_division(uint64_t number)
{
	for (int i = 0; i < 2000; i++) {
		uint64_t high = 0;
		__asm__ volatile("divq %2\n\t"
				 "addq $1000003, %0\n\t"
				 "xorl %k1, %k1\n\t"
				 : "+a"(number), "+d"(high)
				 : "r"((uint64_t)3));
	}
	return number;
}

int main(int argc, char **argv)
{
	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	struct ticks ticks = {.least = UINT64_MAX / 4};
	uint64_t number = end | 1;
	while (work_goes_on(end)) {
		for (int i = 0; i < 20; i++)
			number = hot_loop(&ticks, number);
		number = slow_division(number | (uint64_t)1 << 62);
	}
	double all = (double)(ticks.first + ticks.between + ticks.second);
	printf("truth first %.2f\n", 100 * (double)ticks.first / all);
	printf("truth between %.2f\n", 100 * (double)ticks.between / all);
	printf("truth second %.2f\n", 100 * (double)ticks.second / all);
	fprintf(stderr, "%u\n", (unsigned)(number & 1)); /* so that it is computed */
	return 0;
}
