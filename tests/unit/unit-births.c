/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that live for less than a period: how they are found, and what their samples weigh. */

#include "tests/lib/unit.h"

#include "ptrace/threads/births.h"
#include "ptrace/threads/pot.h"
#include "src/base/clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_parent(void *context, pid_t pid)
{
	return pid == *(pid_t *)context;
}

static pid_t start_sleeper(void)
{
	pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	return child;
}

static void end_sleeper(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const struct birth *find(const struct births *births, pid_t pid)
{
	for (size_t i = 0; i < births->total && i < BIRTHS_KNOWN; i++)
		if (births->list[i].pid == pid)
			return &births->list[i];
	return NULL;
}

static void look(struct births *births, pid_t parent)
{
	births->took_ns = 0; /* how long one may take is not what this is about */
	births_look(births, is_parent, &parent, clock_monotonic_ns());
}

static void nobody(void *context, const struct task_stat *stat)
{
	(void)context;
	(void)stat;
}

static void test_who_begins_is_found(void **state)
{
	(void)state;
	struct births births = {0};
	pid_t before = start_sleeper();
	births_begin(&births);
	pid_t child = start_sleeper(), self = getpid(), other = -1;
	look(&births, self);
	assert_null(find(&births, before));
	assert_non_null(find(&births, child));
	assert_true(find(&births, child)->is_waiting);
	/* It is sampled now. */
	births_tend(&births, is_parent, nobody, &child);
	assert_false(find(&births, child)->is_waiting);
	/* A child of somebody else. */
	pid_t stranger = start_sleeper();
	look(&births, other);
	assert_null(find(&births, stranger));
	/* One that has ended is nobody's child. */
	pid_t brief = start_sleeper();
	end_sleeper(brief);
	look(&births, self);
	assert_null(find(&births, brief));
	end_sleeper(before);
	end_sleeper(child);
	end_sleeper(stranger);
	births_finish(&births);
}

/* A grandchild's parent is nobody that is sampled, but was born of one. */
static void test_generations(void **state)
{
	(void)state;
	struct births births = {0};
	int tell[2];
	pid_t grandchild = 0;
	assert_int_equal(pipe(tell), 0);
	births_begin(&births);
	pid_t child = fork();
	if (child == 0) {
		grandchild = start_sleeper();
		if (write(tell[1], &grandchild, sizeof(grandchild)) > 0)
			pause();
		_exit(0);
	}
	assert_int_equal(
		read(tell[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	look(&births, getpid());
	assert_non_null(find(&births, grandchild));
	kill(grandchild, SIGKILL);
	end_sleeper(child);
	close(tell[0]);
	close(tell[1]);
	births_finish(&births);
}

static void test_what_goes_into_the_pot_comes_out(void **state)
{
	(void)state;
	struct pot pot = {0};
	uint64_t now_ns = 100 * NS_PER_SEC, in_ns = 0, out_ns = 0, unseen_ns = 0;
	pot_take(&pot, now_ns);
	for (unsigned i = 1; i <= 1000; i++) {
		now_ns += 10 * NS_PER_MS;
		pot_add(&pot, 7 * NS_PER_MS, now_ns);
		pot_tell(&pot, i * 3 * NS_PER_MS, now_ns);
		pot_tell(&pot, i, now_ns); /* less than before: nothing */
		in_ns += 10 * NS_PER_MS;
		struct pot_share share = pot_take(&pot, now_ns);
		out_ns += share.weight_ns;
		unseen_ns += share.unseen_ns;
		assert_true(i < 50 || share.weight_ns / NS_PER_US == 9999 ||
			    share.weight_ns / NS_PER_MS == 10);
	}
	assert_int_equal(in_ns, out_ns + pot.known_ns + pot.unseen_ns);
	assert_in_range(out_ns, in_ns - 50 * NS_PER_MS, in_ns);
	assert_in_range(unseen_ns, in_ns * 29 / 100, in_ns * 3 / 10);
	struct pot_share share = pot_take(&pot, now_ns);
	pot_give_back(&pot, &share);
	assert_int_equal(in_ns, out_ns + pot.known_ns + pot.unseen_ns);
	/* What nobody takes is left out. */
	now_ns += 2 * NS_PER_SEC;
	assert_int_equal(pot_take(&pot, now_ns).weight_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_begins_is_found),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_what_goes_into_the_pot_comes_out),
	};
	return unit_run(tests);
}
