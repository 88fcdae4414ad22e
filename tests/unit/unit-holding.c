/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the holder of a lock did while it held it, and what else threads wait for: stories made
   by hand. */

#include "tests/lib/unit.h"

#include "tests/lib/lock-story.h"

#include <stdlib.h>
#include <string.h>

/* What STACK says of the holders of the first lock, in ms. */
static unsigned held_in(const struct story *story, const char *stack)
{
	struct locks locks;
	struct stack_frames frames = {0};
	char text[256];
	unsigned ms = 0;
	locks_build(&locks, story->report);
	vec_each (&locks.list.data[0].stacks, part) {
		locks_say_stack(
			story->report, (uint32_t)part->id, &frames, text, sizeof(text));
		if (!stack || strcmp(text, stack) == 0)
			ms += (unsigned)((part->ns + MS / 2) / MS);
	}
	vec_free(&frames);
	locks_finish(&locks);
	return ms;
}

/* worker-1 has the lock until 40 ms, and is outside until 100 ms; worker-2 waits, and is found
   elsewhere at 50 ms only. At 30 ms worker-1 has waited for a CPU, at its place of before. */
static void test_only_the_hold(void **unused)
{
	(void)unused;
	struct story story;
	const char *lock = "main;take;__pthread_mutex_lock";
	const char *held = "[futex held by worker-1]", *a = "0x7f00a000 held by 11";
	begin(&story);
	history_name_thread(&story.history, 11, "worker-1");
	was_in(&story, 12, 10, 10, lock, held, a);
	was_in(&story, 11, 8, 8, "main;outside", NULL, NULL);
	history_charge_runq(&story.history, 11, 30 * MS, 12 * MS);
	was_in(&story, 11, 30, 10, "main;in_lock", NULL, NULL);
	was_seen(&story, 12, 30);
	was_in(&story, 11, 40, 10, "main;in_lock", NULL, NULL);
	was_seen(&story, 12, 40);
	was_in(&story, 12, 50, 40, lock, held, a);
	was_in(&story, 11, 51, 11, "main;outside", NULL, NULL);
	was_in(&story, 11, 99, 48, "main;outside;__nanosleep", "[nanosleep]", "");
	make_report(&story, true);
	assert_int_equal(held_in(&story, NULL), 50);
	assert_int_equal(held_in(&story, "in_lock < main"), 50);
	end(&story);
}

/* Nobody was seen to hold it, as in a file of before: what he did meanwhile. */
static void test_nothing_seen(void **unused)
{
	(void)unused;
	struct story story;
	begin(&story);
	was_in(&story, 11, 43, 43, "main;in_lock", NULL, NULL);
	was_in(&story, 12, 40, 40, "main;take;__pthread_mutex_lock",
		"[futex held by worker-1]", "0x7f00a000 held by 11");
	make_report(&story, true);
	assert_int_equal(held_in(&story, "in_lock < main"), 40);
	end(&story);
}

/* A thread that begins in a library and waits where it calls none. */
static void test_own_code(void **unused)
{
	(void)unused;
	static const struct {
		const char *stack, *wait, *said;
	} cases[] = {
		{"__clone3;__libc_start_main;main;in_lock", "[waiting for a CPU]",
			"[waiting for a CPU] in in_lock < main < __libc_start_main < "
			"__clone3"},
		{"__clone3;main;in_lock;__read", "[read pipe]",
			"[read pipe] in in_lock < main < __clone3"},
		{"__clone3;main;in_lock", "[read pipe]",
			"[read pipe] in in_lock < main < __clone3"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct story story;
		struct stack_frames frames = {0};
		char text[256];
		begin(&story);
		was_in(&story, 11, 40, 40, cases[i].stack, cases[i].wait, "");
		make_report(&story, true);
		locks_say_stack(story.report, story.report->stacks[0].stack, &frames,
			text, sizeof(text));
		assert_string_equal(text, cases[i].said);
		vec_free(&frames);
		end(&story);
	}
}

/* Who waits for work does not wait for a lock; a lock may be made of a condition. */
static void test_kinds_by_code(void **unused)
{
	(void)unused;
	static const struct {
		const char *stack;
		enum wait_kind kind;
	} cases[] = {
		{"main;idle;__pthread_cond_wait", WAIT_CONDITION},
		{"main;idle;__new_sem_wait_slow64", WAIT_CONDITION},
		{"main;take;__pthread_mutex_lock", WAIT_LOCK},
		{"main;runtime.stopm;runtime.notesleep;runtime.futex", WAIT_CONDITION},
		{"main;ObjectMonitor::enter;__pthread_cond_wait", WAIT_LOCK},
		{"main;wait;__syscall", WAIT_FUTEX},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct story story;
		struct locks locks;
		begin(&story);
		was_in(&story, 11, 40, 40, cases[i].stack, "[futex]", "0x7f00a000");
		make_report(&story, true);
		locks_build(&locks, story.report);
		assert_int_equal(locks.list.data[0].kind, cases[i].kind);
		locks_finish(&locks);
		end(&story);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_hold),
		cmocka_unit_test(test_nothing_seen),
		cmocka_unit_test(test_own_code),
		cmocka_unit_test(test_kinds_by_code),
	};
	return unit_run(tests);
}
