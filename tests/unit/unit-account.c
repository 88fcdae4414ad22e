/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account: the parts of a thread's time add up to the time that passed, even if the
   kernel updates its accounts late. */

#include "tests/lib/unit.h"

#include "ptrace/threads/account.h"
#include "src/base/clock.h"

#include <stdlib.h>

enum {
	TICK_NS = 4 * 1000 * 1000, /* the scheduler's, at 250 Hz */
};

/* Everything told so far, with what is owed. */
struct sums {
	uint64_t passed_ns, cpu_ns, runq_ns, blocked_ns;
};

static struct account_share settle(struct thread_told *told, const struct thread *thread,
	uint64_t now_ns, struct sums *sums)
{
	struct account_share share = account_settle(told, thread, now_ns);
	sums->passed_ns += share.passed_ns;
	sums->cpu_ns += share.cpu_ns;
	sums->runq_ns += share.runq_ns;
	sums->blocked_ns += share.blocked_ns;
	/* The time reported and the time still owed add up to the time that passed. */
	assert_int_equal((int64_t)(sums->cpu_ns + sums->runq_ns + sums->blocked_ns) +
				 told->blocked_ns,
		(int64_t)sums->passed_ns);
	assert_int_equal(told->time_ns, now_ns);
	return share;
}

static void test_a_sleeper_was_blocked(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'S', .account = {100, 50, 3}}};
	struct thread_told told;
	struct sums sums = {0};
	account_rebase(&told, &thread, 1000);
	struct account_share share = settle(&told, &thread, 1500, &sums);
	assert_int_equal(share.passed_ns, 500);
	assert_int_equal(share.blocked_ns, 500);
	/* It woke up, waited for 20, ran for 30, and sleeps again. */
	thread.seen.account = (struct task_account){130, 70, 4};
	share = settle(&told, &thread, 2500, &sums);
	assert_int_equal(share.cpu_ns, 30);
	assert_int_equal(share.runq_ns, 20);
	assert_int_equal(share.blocked_ns, 950);
	/* The same instant again: nothing. And no time runs backwards. */
	share = settle(&told, &thread, 2500, &sums);
	assert_int_equal(share.passed_ns + share.blocked_ns, 0);
	share = account_settle(&told, &thread, 2400);
	assert_int_equal(share.passed_ns + share.blocked_ns, 0);
	assert_int_equal(told.time_ns, 2500);
}

/* While it runs its account stands still between two ticks of the scheduler: that is
   neither waiting nor sleep. */
static void test_a_late_account_is_no_sleep(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'R', .changed_ns = NS_PER_SEC}};
	struct thread_told told;
	struct sums sums = {0};
	uint64_t now_ns = NS_PER_SEC;
	account_rebase(&told, &thread, now_ns);
	for (int i = 0; i < 100; i++) {
		for (int ms = 0; ms < 3; ms++) {
			struct account_share share =
				settle(&told, &thread, now_ns += NS_PER_MS, &sums);
			assert_int_equal(
				share.cpu_ns + share.runq_ns + share.blocked_ns, 0);
		}
		now_ns += NS_PER_MS;
		thread.seen.account.cpu_ns += TICK_NS;
		thread.seen.changed_ns = now_ns;
		struct account_share share = settle(&told, &thread, now_ns, &sums);
		assert_int_equal(share.cpu_ns, TICK_NS);
		assert_int_equal(share.runq_ns + share.blocked_ns, 0);
	}
	/* It went to sleep 1 ms after its last tick; so it was blocked for 2 of 3 ms. */
	thread.seen.account.cpu_ns += NS_PER_MS;
	thread.seen.state = 'S';
	struct account_share share =
		settle(&told, &thread, now_ns + 3 * NS_PER_MS, &sums);
	assert_int_equal(share.blocked_ns, 2 * NS_PER_MS);
}

/* The kernel adds up what a thread waits for a CPU when that is over. One in state R that
   does not run waits, and that is told once. */
static void test_a_waiting_thread_is_told_while_it_waits(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'R', .changed_ns = NS_PER_SEC}};
	struct thread_told told;
	struct sums sums = {0};
	uint64_t now_ns = NS_PER_SEC;
	account_rebase(&told, &thread, now_ns);
	while (now_ns < NS_PER_SEC + 100 * NS_PER_MS)
		settle(&told, &thread, now_ns += 5 * NS_PER_MS, &sums);
	assert_int_equal(sums.runq_ns, 100 * NS_PER_MS);
	/* At last it gets a CPU, after 101 ms, and runs for 2. */
	thread.seen.account = (struct task_account){2 * NS_PER_MS, 101 * NS_PER_MS, 1};
	thread.seen.changed_ns = now_ns += 3 * NS_PER_MS;
	struct account_share share = settle(&told, &thread, now_ns, &sums);
	assert_int_equal(share.runq_ns, NS_PER_MS);
	assert_int_equal(share.cpu_ns, 2 * NS_PER_MS);
	assert_int_equal(told.blocked_ns, 0);
	assert_int_equal(sums.blocked_ns, 0);
}

/* What it waited before the first record is in the kernel's sum when it gets its CPU, and in no
   record. */
static void test_an_earlier_wait_is_not_told(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'R', .changed_ns = NS_PER_SEC}};
	struct thread_told told;
	struct sums sums = {0};
	account_rebase(&told, &thread, NS_PER_SEC);
	thread.seen.account = (struct task_account){NS_PER_MS, 70 * NS_PER_MS, 1};
	thread.seen.changed_ns = NS_PER_SEC + 11 * NS_PER_MS;
	settle(&told, &thread, thread.seen.changed_ns, &sums);
	assert_int_equal(sums.runq_ns, 10 * NS_PER_MS);
	assert_int_equal(told.blocked_ns, 0);
}

/* Of a thread that is awake at the end nothing is owed: it waits since it woke. */
static void test_at_the_end_all_is_told(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'R', .runnable_ns = 30 * NS_PER_MS}};
	struct thread_told told;
	account_rebase(&told, &thread, 0);
	thread.seen.account = (struct task_account){2 * NS_PER_MS, 5 * NS_PER_MS, 1};
	thread.seen.changed_ns = 40 * NS_PER_MS;
	struct account_share share = account_settle_last(&told, &thread, 41 * NS_PER_MS);
	assert_int_equal(share.cpu_ns, 2 * NS_PER_MS);
	assert_int_equal(share.runq_ns, (5 + 11) * NS_PER_MS);
	assert_int_equal(share.blocked_ns, (41 - 2 - 16) * NS_PER_MS);
	assert_int_equal(told.blocked_ns, 0);
}

/* One that slept until shortly before has waited no longer than it was awake. */
static void test_who_just_woke_has_not_waited_long(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'S', .changed_ns = NS_PER_SEC}};
	struct thread_told told;
	struct sums sums = {0};
	uint64_t now_ns = 2 * NS_PER_SEC;
	account_rebase(&told, &thread, NS_PER_SEC);
	thread.seen.state = 'R';
	thread.seen.runnable_ns = now_ns;
	settle(&told, &thread, now_ns += 5 * NS_PER_MS, &sums);
	assert_int_equal(sums.runq_ns, 0);
	settle(&told, &thread, now_ns += 15 * NS_PER_MS, &sums);
	assert_int_equal(sums.runq_ns, 20 * NS_PER_MS);
	/* The second for which it slept is reported when it sleeps again. */
	thread.seen.state = 'S';
	settle(&told, &thread, now_ns, &sums);
	assert_int_equal(sums.blocked_ns, NS_PER_SEC);
}

/* What it was charged for, it did in part before it was told of last: that is owed, and
   taken off what it sleeps. */
static void test_what_was_told_too_early_is_owed(void **state)
{
	(void)state;
	struct thread thread = {.seen = {.state = 'S'}};
	struct thread_told told;
	struct sums sums = {0};
	account_rebase(&told, &thread, 0);
	settle(&told, &thread, 10 * NS_PER_MS, &sums);
	assert_int_equal(sums.blocked_ns, 10 * NS_PER_MS);
	thread.seen.account.cpu_ns = 4 * NS_PER_MS; /* most of it before the look */
	struct account_share share = settle(&told, &thread, 11 * NS_PER_MS, &sums);
	assert_int_equal(share.cpu_ns, 4 * NS_PER_MS);
	assert_int_equal(share.blocked_ns, 0);
	assert_int_equal(told.blocked_ns, -3 * (int64_t)NS_PER_MS);
	share = settle(&told, &thread, 16 * NS_PER_MS, &sums);
	assert_int_equal(share.blocked_ns, 2 * NS_PER_MS);
	assert_int_equal(told.blocked_ns, 0);
}

/* After an exec by another thread the number belongs to that one, which has used less. */
static void test_a_number_that_goes_to_another_thread(void **state)
{
	(void)state;
	struct thread thread = {
		.seen = {.state = 'S', .account = {NS_PER_SEC, 2 * NS_PER_SEC, 1000}}};
	struct thread_told told;
	struct sums sums = {0};
	account_rebase(&told, &thread, 0);
	thread.seen.account = (struct task_account){7, 5, 1};
	struct account_share share = settle(&told, &thread, 1000, &sums);
	assert_int_equal(share.cpu_ns + share.runq_ns, 0);
	thread.seen.account = (struct task_account){17, 25, 2};
	share = settle(&told, &thread, 2000, &sums);
	assert_int_equal(share.cpu_ns, 10);
	assert_int_equal(share.runq_ns, 20);
}

/* --- against the truth -------------------------------------------------------------- */

/* A thread, to the millisecond; what its schedstat shows of it is as late as the kernel
   is. */
struct played {
	struct thread thread;
	struct sums truth;
	uint64_t now_ns, waits_since_ns, not_charged_ns;
	char does; /* S sleeps, W waits for a CPU, R runs */
};

static void begin(struct played *played, char does)
{
	struct task_account *account = &played->thread.seen.account;
	if (played->does == 'R') {
		account->cpu_ns += played->not_charged_ns;
		played->not_charged_ns = 0;
	}
	if (does == 'W')
		played->waits_since_ns = played->now_ns;
	if (played->does == 'W' && does == 'R') {
		account->delay_ns += played->now_ns - played->waits_since_ns;
		account->slices++;
	}
	played->does = does;
}

static void pass_a_millisecond(struct played *played)
{
	struct task_account *account = &played->thread.seen.account;
	played->now_ns += NS_PER_MS;
	played->truth.passed_ns += NS_PER_MS;
	if (played->does == 'S')
		played->truth.blocked_ns += NS_PER_MS;
	if (played->does == 'W')
		played->truth.runq_ns += NS_PER_MS;
	if (played->does != 'R')
		return;
	played->truth.cpu_ns += NS_PER_MS;
	played->not_charged_ns += NS_PER_MS;
	if (played->now_ns % TICK_NS == 0) {
		account->cpu_ns += played->not_charged_ns;
		played->not_charged_ns = 0;
	}
}

static void look(struct played *played, uint64_t *cpu_ns)
{
	struct thread_seen *seen = &played->thread.seen;
	char state = played->does == 'S' ? 'S' : 'R';
	if (state == 'R' && seen->state != 'R')
		seen->runnable_ns = played->now_ns;
	seen->state = state;
	seen->time_ns = played->now_ns;
	if (seen->account.cpu_ns != *cpu_ns)
		seen->changed_ns = played->now_ns;
	*cpu_ns = seen->account.cpu_ns;
}

static void assert_near(uint64_t told_ns, uint64_t truth_ns, uint64_t passed_ns)
{
	uint64_t off_ns = told_ns > truth_ns ? told_ns - truth_ns : truth_ns - told_ns;
	assert_true(off_ns <= passed_ns / 100);
}

/* A hundred seconds of a thread that is at each for up to LONGEST_MS, looked at every
   10 ms, and told of at some of the looks. */
static void play(unsigned longest_ms)
{
	struct played played = {.now_ns = NS_PER_SEC, .does = 'S'};
	struct thread_told told;
	struct sums sums = {0};
	uint64_t cpu_ns = 0, looks = 0;
	played.thread.seen.state = 'S';
	account_rebase(&told, &played.thread, played.now_ns);
	while (played.truth.passed_ns < 100 * NS_PER_SEC) {
		static const char after[] = {['S'] = 'W', ['W'] = 'R', ['R'] = 'S'};
		char next = after[(unsigned char)played.does];
		if (played.does == 'R' && rand() % 3 == 0)
			next = 'W'; /* preempted */
		begin(&played, next);
		for (int ms = 1 + rand() % (int)longest_ms; ms > 0; ms--) {
			pass_a_millisecond(&played);
			if (played.now_ns % (10 * NS_PER_MS) != 0)
				continue;
			look(&played, &cpu_ns);
			if (looks++ % 5 == 0)
				settle(&told, &played.thread, played.now_ns, &sums);
		}
	}
	begin(&played, 'S');
	look(&played, &cpu_ns);
	settle(&told, &played.thread, played.now_ns, &sums);
	assert_int_equal(sums.passed_ns, played.truth.passed_ns);
	assert_int_equal(sums.cpu_ns, played.truth.cpu_ns);
	assert_near(sums.runq_ns, played.truth.runq_ns, sums.passed_ns);
	assert_near(sums.blocked_ns, played.truth.blocked_ns, sums.passed_ns);
}

static void test_shares_are_the_true_ones(void **state)
{
	(void)state;
	srand(1);
	play(3);
	play(20);
	play(300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sleeper_was_blocked),
		cmocka_unit_test(test_a_late_account_is_no_sleep),
		cmocka_unit_test(test_a_waiting_thread_is_told_while_it_waits),
		cmocka_unit_test(test_an_earlier_wait_is_not_told),
		cmocka_unit_test(test_at_the_end_all_is_told),
		cmocka_unit_test(test_who_just_woke_has_not_waited_long),
		cmocka_unit_test(test_what_was_told_too_early_is_owed),
		cmocka_unit_test(test_a_number_that_goes_to_another_thread),
		cmocka_unit_test(test_shares_are_the_true_ones),
	};
	return unit_run(tests);
}
