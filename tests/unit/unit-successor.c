/* SPDX-License-Identifier: GPL-2.0-or-later */
/* successor: by exec a thread gets the number of the first one, and its account tells. */

#include "tests/lib/unit.h"

#include "ptrace/threads/successor.h"
#include "src/base/clock.h"

enum {
	FIRST,
	WORKER,
	IDLE,
	N_THREADS,
};

static const uint64_t now_ns = 100 * NS_PER_SEC;

/* The first thread has used 1 s, a worker 5 s, and a third one nothing; all were looked at 10 ms
   ago. */
static void make(struct thread *many, struct thread **list, struct threads *threads)
{
	static const uint64_t used_s[N_THREADS] = {1, 5, 0};
	*threads = (struct threads){.data = list, .len = N_THREADS};
	for (int i = 0; i < N_THREADS; i++) {
		many[i] = (struct thread){.tid = 100 + i, .is_met = true};
		many[i].seen.time_ns = now_ns - 10 * NS_PER_MS;
		many[i].seen.account = (struct task_account){
			used_s[i] * NS_PER_SEC, 1000, 10 + used_s[i]};
		many[i].sampled.cpu_ns = used_s[i] * NS_PER_SEC - (i < IDLE);
		many[i].told.cpu_ns = used_s[i] * NS_PER_SEC;
		list[i] = &many[i];
	}
}

static struct task_account after(const struct thread *thread, uint64_t cpu_ns)
{
	struct task_account account = thread->seen.account;
	account.cpu_ns += cpu_ns;
	account.slices++;
	return account;
}

static void test_a_thread_that_goes_on_is_itself(void **state)
{
	(void)state;
	struct thread many[N_THREADS], *list[N_THREADS];
	struct threads threads;
	make(many, list, &threads);
	struct task_account account = after(&many[FIRST], 9 * NS_PER_MS);
	assert_true(successor_fits(&many[FIRST], &account, now_ns));
}

static void test_more_than_has_passed_is_of_another(void **state)
{
	(void)state;
	struct thread many[N_THREADS], *list[N_THREADS];
	struct threads threads;
	make(many, list, &threads);
	struct task_account account = after(&many[WORKER], 5 * NS_PER_MS);
	assert_false(successor_fits(&many[FIRST], &account, now_ns));
	assert_ptr_equal(
		successor_find(&threads, &many[FIRST], &account, now_ns), &many[WORKER]);
}

static void test_less_than_before_is_of_another(void **state)
{
	(void)state;
	struct thread many[N_THREADS], *list[N_THREADS];
	struct threads threads;
	make(many, list, &threads);
	struct task_account account = after(&many[IDLE], 5 * NS_PER_MS);
	assert_false(successor_fits(&many[FIRST], &account, now_ns));
	assert_ptr_equal(
		successor_find(&threads, &many[FIRST], &account, now_ns), &many[IDLE]);
	/* and if nobody is known who fits, it is nobody */
	account.cpu_ns += NS_PER_SEC / 2;
	assert_null(successor_find(&threads, &many[FIRST], &account, now_ns));
}

/* The worker's books go on under the number of the first thread, whose own end with the
   worker's. */
static void test_what_is_owed_is_counted_once(void **state)
{
	(void)state;
	struct thread many[N_THREADS], *list[N_THREADS];
	struct threads threads;
	make(many, list, &threads);
	struct task_account account = after(&many[WORKER], 5 * NS_PER_MS);
	successor_exchange(&many[FIRST], &many[WORKER]);
	assert_int_equal(many[FIRST].tid, 100);
	assert_int_equal(thread_unsampled_ns(&many[FIRST], &account), 5 * NS_PER_MS + 1);
	assert_int_equal(many[FIRST].told.cpu_ns, 5 * NS_PER_SEC);
	assert_int_equal(
		thread_unsampled_ns(&many[WORKER], &many[WORKER].seen.account), 1);
	assert_true(successor_fits(&many[FIRST], &account, now_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thread_that_goes_on_is_itself),
		cmocka_unit_test(test_more_than_has_passed_is_of_another),
		cmocka_unit_test(test_less_than_before_is_of_another),
		cmocka_unit_test(test_what_is_owed_is_counted_once),
	};
	return unit_run(tests);
}
