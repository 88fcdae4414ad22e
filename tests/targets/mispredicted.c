/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mispredicted THREADS [SECONDS]: small functions, some with branches that a processor
 * cannot predict.
 *
 * Truth: search (a binary search for a random key) and arrange (an insertion sort of
 * random numbers) mispredict a branch every few nanoseconds, checksum (a CRC by a table)
 * never does. Each is tens to hundreds of nanoseconds; lookup calls search and checksum.
 * How much of the time each takes is measured (mixture.h). A sampler whose stops wait for
 * the processor to come to rest moves time from the function in which it guessed wrong to
 * the one after it.
 *
 * Each function ends with a fence: the processor finishes it before it begins the next
 * one, so that what each costs adds up.
 */
#include "mixture.h"
#include "work.h"

enum {
	KEYS = 4096,
	FEW = 12,
	MESSAGE_BYTES = 48
};

/* What a branch decides must not be made branchless: this differs in each arm. */
#define ARM(text) __asm__ volatile("# " text)

struct material {
	uint64_t random;
	uint32_t found, sum;
	uint32_t keys[KEYS], table[256];
	unsigned char message[MESSAGE_BYTES];
};

static inline void fence(void)
{
#ifdef __x86_64__
	__builtin_ia32_lfence();
#else
	__sync_synchronize();
#endif
}

static inline uint32_t next_random(struct material *material)
{
	material->random ^= material->random << 13;
	material->random ^= material->random >> 7;
	material->random ^= material->random << 17;
	return (uint32_t)(material->random >> 16);
}

static VISIBLE void search(void *state)
{
	struct material *material = state;
	uint32_t key = next_random(material);
	size_t low = 0, high = KEYS;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (material->keys[middle] < key) {
			ARM("above");
			low = middle + 1;
		} else {
			ARM("below");
			high = middle;
		}
	}
	material->found = (uint32_t)low;
	fence();
}

static VISIBLE void checksum(void *state)
{
	struct material *material = state;
	uint32_t sum = ~material->found;
	for (size_t i = 0; i < MESSAGE_BYTES; i++)
		sum = sum >> 8 ^ material->table[(sum ^ material->message[i]) & 255];
	material->sum = sum;
	fence();
}

static VISIBLE void arrange(void *state)
{
	struct material *material = state;
	uint32_t few[FEW];
	for (size_t i = 0; i < FEW; i++)
		few[i] = next_random(material);
	for (size_t i = 1; i < FEW; i++) {
		uint32_t value = few[i];
		size_t at = i;
		for (; at > 0 && few[at - 1] > value; at--)
			few[at] = few[at - 1];
		few[at] = value;
	}
	material->random += few[FEW / 2];
	fence();
}

static VISIBLE void lookup(void *state)
{
	search(state);
	checksum(state);
	__asm__ volatile(""); /* not a jump to checksum: that would not be a call */
}

static VISIBLE void serve(void *state)
{
	lookup(state);
	arrange(state);
	__asm__ volatile("");
}

static void *prepare(void)
{
	struct material *material = calloc(1, sizeof(*material));
	if (!material)
		abort();
	material->random = 88172645463325252u;
	for (uint32_t i = 0; i < KEYS; i++)
		material->keys[i] = i * (UINT32_MAX / KEYS);
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t entry = i;
		for (int bit = 0; bit < 8; bit++)
			entry = entry >> 1 ^ (entry & 1 ? 0xedb88320 : 0);
		material->table[i] = entry;
	}
	for (size_t i = 0; i < MESSAGE_BYTES; i++)
		material->message[i] = (unsigned char)next_random(material);
	return material;
}

int main(int argc, char **argv)
{
	static const struct mixture mixture = {
		.prepare = prepare,
		.turn = serve,
		.parts = {{"search", search}, {"checksum", checksum},
			{"arrange", arrange}},
		.groups = {{"lookup", 3}, {"serve", 7}},
	};
	int threads = (int)mixture_argument(argc, argv, 1, "THREADS [SECONDS]");
	return mixture_main(&mixture, threads, argc > 2 ? argv[2] : NULL);
}
