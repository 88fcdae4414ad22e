/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the CPU profiler of gperftools writes; tests/e2e/e2e-readers has a file of its own. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS_MAX = 64,
};

#define HEADER	0, 3, 0, 10000, 0
#define TRAILER 0, 1, 0
#define MAPS                                                  \
	"build=/srv/app\n"                                    \
	"1000-3000 r-xp 00000800 08:01 5      /srv/app/run\n" \
	"3000-4000 rw-p 00000000 00:00 0 \n"                  \
	"7000-9000 r-xp 00001000 08:01 6      /usr/lib/my lib.so\n"

struct made {
	char bytes[WORDS_MAX * 8 + sizeof(MAPS)];
	size_t size;
};

/* WORDS, and the maps behind them. */
static struct made make(const uint64_t *words, size_t n)
{
	struct made made = {.size = n * 8 + strlen(MAPS)};
	for (size_t i = 0; i < n * 8; i++)
		made.bytes[i] = (char)(words[i / 8] >> 8 * (i % 8));
	memcpy(made.bytes + n * 8, MAPS, strlen(MAPS));
	return made;
}

#define MAKE(...)                             \
	make((const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void is_folded(struct made made, const char *folded)
{
	struct file file = imported_as("folded", made.bytes, made.size);
	assert_string_equal(file.bytes, folded);
	free(file.bytes);
}

/* Callers are where the call is, not where it returns to; the leaf is found once. */
static void test_code_is_called_after_its_place(void **state)
{
	(void)state;
	is_folded(MAKE(HEADER, 2, 2, 0x7010, 0x1101, 1, 1, 0x99, 3, 3, 0x7010, 0x7010,
			  0x1101, TRAILER),
		"[run+0x900];[my lib.so+0x1010] 50000000\n"
		"[unknown+0x99] 10000000\n");
}

/* A header may be longer in a later version. */
static void test_a_longer_header_is_skipped(void **state)
{
	(void)state;
	is_folded(MAKE(0, 5, 0, 1000, 0, 7, 7, 4, 1, 0x1000, TRAILER),
		"[run+0x800] 4000000\n");
}

static void refused(struct made made, const char *why)
{
	imported_refused(made.bytes, made.size, why);
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	struct made cut = MAKE(HEADER, 1, 2, 0x7010, 0x1101, TRAILER);
	cut.size = 8 * 8;
	refused(cut, "has no end: it was cut short");
	refused(MAKE(HEADER), "has no end");
	refused(MAKE(HEADER, 1, 0, TRAILER), "has no end");
	refused(MAKE(HEADER, 1, UINT64_MAX, TRAILER), "has no end");
	refused(MAKE(0, 3, 0, 0, 0, TRAILER), "its period is none");
	refused(MAKE(0, 4000, 0, 1, 0, TRAILER), "has no end");
	refused(MAKE(HEADER, UINT64_MAX, 1, 7, TRAILER),
		"byte 56: a stack that was met too often");
	refused(MAKE(HEADER, INT64_MAX / 4 / 10000000, 1, 7, INT64_MAX / 4 / 10000000, 1,
			8, INT64_MAX / 4 / 10000000, 1, 9, INT64_MAX / 4 / 10000000, 1,
			10, INT64_MAX / 4 / 10000000, 1, 11, TRAILER),
		"add up to more than can be counted");
}

/* pprof finds names for what has none. */
static void test_it_has_no_names_as_pprof(void **state)
{
	(void)state;
	struct made made = MAKE(HEADER, 2, 1, 0x7010, TRAILER);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, made.bytes, made.size);
	assert_int_equal(recording.origin->period, 10000000);
	assert_int_equal(recording.profile->mappings->len, 2);
	uint32_t last = (uint32_t)recording.profile->locations->len - 1;
	assert_int_equal(
		origin_location_flags(recording.origin, last), LOCATION_NAMELESS);
	assert_int_equal(profile_location(recording.profile, last)->address, 0x7010);
	recording_finish(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_is_called_after_its_place),
		cmocka_unit_test(test_a_longer_header_is_skipped),
		cmocka_unit_test(test_damage_is_refused),
		cmocka_unit_test(test_it_has_no_names_as_pprof),
	};
	return unit_run(tests);
}
