/* SPDX-License-Identifier: GPL-2.0-or-later */
/* family: every new child is found, however long it takes to ask for others, and whoever had its
   number before. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/run/session/family.h"

#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CHILDREN_MOST = 128,
	PATIENCE_MS = 15000,
};

/* What the family asked for. */
static struct play {
	pthread_mutex_t mutex;
	pid_t asked[CHILDREN_MOST * 4];
	size_t n_asked, looks;
	enum family_answer answer;
	unsigned takes_ms; /* an answer */
} play = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void list(void *context, struct children *children)
{
	(void)context;
	vec_push(&children->list, getpid());
}

static enum family_answer add(void *context, pid_t pid)
{
	(void)context;
	usleep(play.takes_ms * 1000);
	pthread_mutex_lock(&play.mutex);
	if (play.n_asked < sizeof(play.asked) / sizeof(*play.asked))
		play.asked[play.n_asked++] = pid;
	enum family_answer answer = play.answer;
	pthread_mutex_unlock(&play.mutex);
	return answer;
}

static void welcome(void *context)
{
	(void)context;
}

static void tidy(void *context)
{
	(void)context;
	pthread_mutex_lock(&play.mutex);
	play.looks++;
	pthread_mutex_unlock(&play.mutex);
}

static size_t times_asked(pid_t pid)
{
	size_t times = 0;
	pthread_mutex_lock(&play.mutex);
	for (size_t i = 0; i < play.n_asked; i++)
		times += play.asked[i] == pid;
	pthread_mutex_unlock(&play.mutex);
	return times;
}

static bool is_asked(pid_t pid, size_t times)
{
	for (int ms = 0; ms < PATIENCE_MS && times_asked(pid) < times; ms += 10)
		usleep(10 * 1000);
	return times_asked(pid) >= times;
}

static size_t looks(void)
{
	pthread_mutex_lock(&play.mutex);
	size_t now = play.looks;
	pthread_mutex_unlock(&play.mutex);
	return now;
}

static void await_looks(size_t more)
{
	size_t until = looks() + more;
	for (int ms = 0; ms < PATIENCE_MS && looks() < until; ms += 10)
		usleep(10 * 1000);
	assert_true(looks() >= until);
}

static struct family *begin(enum family_answer answer, unsigned takes_ms)
{
	const struct family_members members = {
		.list = list, .add = add, .welcome = welcome, .tidy = tidy};
	struct error err = {""};
	play.n_asked = play.looks = 0;
	play.answer = answer;
	play.takes_ms = takes_ms;
	struct family *family = family_create(&members, &err);
	if (!family)
		skip();
	return family;
}

static pid_t start_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A child with the number PID, which nobody has; -1: not permitted. */
static pid_t start_child_as(pid_t pid)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD,
		.set_tid = (uint64_t)(uintptr_t)&pid,
		.set_tid_size = 1};
	pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (child == 0)
		for (;;)
			pause();
	return child;
}

/* A hundred children take a second to ask for; another one is found soon after. */
static void test_long_answers_delay_nobody(void **state)
{
	(void)state;
	pid_t children[100];
	for (size_t i = 0; i < 100; i++)
		children[i] = start_child();
	struct family *family = begin(FAMILY_STAYS_OUT, 10);
	await_looks(1);
	pid_t late = start_child();
	assert_true(is_asked(late, 1));
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(times_asked(children[i]), 1);
	family_destroy(family);
	for (size_t i = 0; i < 100; i++)
		end_child(children[i]);
	end_child(late);
}

static void test_who_finds_no_room_is_asked_again(void **state)
{
	(void)state;
	pid_t child = start_child();
	struct family *family = begin(FAMILY_LATER, 0);
	assert_true(is_asked(child, 3));
	pthread_mutex_lock(&play.mutex);
	play.answer = FAMILY_STAYS_OUT;
	pthread_mutex_unlock(&play.mutex);
	await_looks(2);
	size_t asked = times_asked(child);
	await_looks(3);
	assert_int_equal(times_asked(child), asked);
	family_destroy(family);
	end_child(child);
}

static void test_a_number_is_not_refused_for_ever(void **state)
{
	(void)state;
	pid_t child = start_child();
	struct family *family = begin(FAMILY_STAYS_OUT, 0);
	assert_true(is_asked(child, 1));
	end_child(child);
	usleep(20 * 1000); /* a clock tick at least: it does not begin at the same time */
	pid_t again = start_child_as(child);
	if (again < 0) {
		assert_true(errno == EPERM || errno == ENOSYS || errno == EEXIST);
		family_destroy(family);
		skip();
	}
	assert_int_equal(again, child);
	assert_true(is_asked(child, 2));
	family_destroy(family);
	end_child(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_answers_delay_nobody),
		cmocka_unit_test(test_who_finds_no_room_is_asked_again),
		cmocka_unit_test(test_a_number_is_not_refused_for_ever),
	};
	return unit_run(tests);
}
