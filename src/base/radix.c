/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/radix.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	DIGIT_BITS = 8,
	DIGITS = 64 / DIGIT_BITS + 1, /* the first is the minor one */
	VALUES = 1 << DIGIT_BITS,
};

static unsigned digit_of(const struct radix_item *item, int digit)
{
	return digit == 0 ? item->minor & (VALUES - 1)
			  : item->key >> (digit - 1) * DIGIT_BITS & (VALUES - 1);
}

/* One pass: copy the items from FROM to TO, sorted by one digit. COUNTS says how often
   each value of that digit occurs. */
static void deal(const struct radix_item *from, struct radix_item *to, size_t count,
	int digit, const size_t counts[VALUES])
{
	size_t places[VALUES], place = 0;
	for (size_t value = 0; value < VALUES; value++) {
		places[value] = place;
		place += counts[value];
	}
	for (size_t i = 0; i < count; i++)
		to[places[digit_of(&from[i], digit)]++] = from[i];
}

void radix_sort(struct radix_item *items, size_t count)
{
	size_t counts[DIGITS][VALUES];
	struct radix_item *other = mem_resize(NULL, count, sizeof(*other));
	struct radix_item *from = items, *to = other;
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < count; i++)
		for (int digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(&items[i], digit)]++;
	for (int digit = 0; digit < DIGITS && count > 0; digit++) {
		/* Skip a digit that is the same in all items, as most are: the addresses
		   of one file are close together. */
		if (counts[digit][digit_of(&items[0], digit)] == count)
			continue;
		deal(from, to, count, digit, counts[digit]);
		struct radix_item *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	free(other);
}
