/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A front does what its child may ask for, and nothing beside it. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "src/confined/front.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DONE = 42,
	WRONG = 43,
};

static pid_t start_process(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* By who is not its parent. */
static void end_stranger(pid_t pid)
{
	struct pollfd ended = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	kill(pid, SIGKILL);
	poll(&ended, 1, -1);
	close(ended.fd);
}

/* SESSIONS in a front of its own, which has no terminal; the status of that. They get what
   PIDS are, and end with what they return. */
static int fronted(int (*session)(struct front *front, const pid_t *pids),
	const struct options *options, const pid_t *pids)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct error err;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setsid();
		signal(SIGCHLD, SIG_IGN); /* as who calls us may have done */
		bool is_wanted = front_is_wanted(options);
		struct front *front = front_begin(options, &err);
		if (!is_wanted && geteuid() == 0)
			fprintf(stderr, "rights cannot be given up here\n");
		_exit(front ? session(front, pids) : WRONG);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s: %s\n", __func__, #condition); \
			return WRONG;                                      \
		}                                                          \
	} while (0)

/* --- named processes ---------------------------------------------------------------------- */

static int named(struct front *front, const pid_t *pids)
{
	if (front->is_first) {
		CHECK(front->pid == getppid() && front->n_pids == 2);
		CHECK(front->pids[0] == pids[0] && front->pids[1] == pids[1]);
		front_tell_chosen(front, pids[2]); /* nobody was to choose */
		front_ask_for_list(front, "nothing");
		end_stranger(pids[1]);
		front_ask_again(front, false, "state", 6);
		return 0;
	}
	CHECK(front->n_pids == 1 && front->pids[0] == pids[0]);
	CHECK(front->refusal.text[0] == '\0' && !front->children);
	CHECK(front->state_size == 6 && strcmp(front->state, "state") == 0);
	return DONE;
}

static void test_named(void **state)
{
	(void)state;
	const pid_t pids[] = {start_process(), start_process(), start_process()};
	const struct options options = {.n_pids = 2, .pids = {pids[0], pids[1]}};
	int status = fronted(named, &options, pids);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), DONE);
	for (int i = 0; i < 3; i++)
		end_process(pids[i]);
}

/* --- chosen ones -------------------------------------------------------------------------- */

static int chosen(struct front *front, const pid_t *pids)
{
	if (front->is_first) {
		CHECK(front->n_pids == 0);
		front_tell_chosen(front, pids[0]);
		front_tell_chosen(front, pids[1]); /* too late */
		front_ask_again(front, false, "", 1);
		return 0;
	}
	if (front->state_size == 1 && !front->refusal.text[0]) {
		CHECK(front->n_pids == 1 && front->pids[0] == pids[0]);
		front_ask_for_list(front, "it \033[2J is gone");
		return 0;
	}
	CHECK(front->n_pids == 0 && strstr(front->refusal.text, "is gone"));
	CHECK(!strchr(front->refusal.text, '\033'));
	return DONE;
}

static void test_chosen(void **state)
{
	(void)state;
	const struct options options = {.n_pids = 0};
	const pid_t pids[] = {start_process(), start_process()};
	int status = fronted(chosen, &options, pids);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), DONE);
	end_process(pids[0]);
	end_process(pids[1]);
}

/* --- what needs a person's yes -------------------------------------------------------------- */

static int more(struct front *front, const pid_t *pids)
{
	(void)pids;
	if (front->is_first) {
		CHECK(!front->children);
		front_ask_again(front, true, "", 0);
		return 0;
	}
	CHECK(!front->children);
	return DONE;
}

static int fewer(struct front *front, const pid_t *pids)
{
	(void)pids;
	if (front->is_first) {
		CHECK(front->children);
		front_ask_again(front, true, "", 0); /* as it is */
		return 0;
	}
	if (front->children) {
		front_ask_again(front, false, "", 0);
		return 0;
	}
	return DONE;
}

/* Two wishes, of which the second asks nobody. */
static int sly(struct front *front, const pid_t *pids)
{
	if (front->is_first) {
		front_tell_chosen(front, pids[0]);
		front_ask_again(front, true, "x", 1);
		front_ask_for_list(front, "gone");
		return 0;
	}
	CHECK(!front->children && front->state_size == 0 && front->n_pids == 0);
	return DONE;
}

/* What it leaves behind is gone before the next one begins. */
static int leaving(struct front *front, const pid_t *pids)
{
	(void)pids;
	if (front->is_first) {
		pid_t left = fork();
		if (left == 0)
			for (;;)
				front_ask_again(front, false, "", 0);
		front_ask_again(front, false, &left, sizeof(left));
		usleep(50 * 1000);
		return 0;
	}
	pid_t left = 0;
	memcpy(&left, front->state, front->state_size == sizeof(left) ? sizeof(left) : 0);
	char state = left ? process_state(left) : 0;
	CHECK(!state || state == 'Z' || state == 'X'); /* nobody may reap it */
	return DONE;
}

static void test_children(void **state)
{
	(void)state;
	const pid_t pids[] = {start_process()};
	struct options options = {.n_pids = 1, .pids = {pids[0]}};
	int status = fronted(more, &options, pids);
	assert_int_equal(WEXITSTATUS(status), DONE);
	const struct options nobody = {.n_pids = 0};
	status = fronted(sly, &nobody, pids);
	assert_int_equal(WEXITSTATUS(status), DONE);
	status = fronted(leaving, &options, pids);
	assert_int_equal(WEXITSTATUS(status), DONE);
	options.children = true;
	status = fronted(fewer, &options, pids);
	assert_int_equal(WEXITSTATUS(status), DONE);
	end_process(pids[0]);
}

/* --- ends ------------------------------------------------------------------------------------ */

static int crashing(struct front *front, const pid_t *pids)
{
	(void)pids;
	front_ask_again(front, false, "", 0); /* who asked may be anybody */
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return WRONG;
}

static int all_gone(struct front *front, const pid_t *pids)
{
	CHECK(front->is_first);
	end_stranger(pids[0]);
	front_ask_again(front, false, "", 0);
	return 0;
}

static int told(struct front *front, const pid_t *pids)
{
	(void)pids;
	signal(SIGTERM, SIG_DFL);
	kill(front->pid, SIGTERM);
	pause();
	return WRONG;
}

static void test_ends(void **state)
{
	(void)state;
	const pid_t pids[] = {start_process()};
	const struct options options = {.n_pids = 1, .pids = {pids[0]}};
	int status = fronted(crashing, &options, pids);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	status = fronted(told, &options, pids);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	status = fronted(all_gone, &options, pids);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
	end_process(pids[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_ends),
	};
	return unit_run(tests);
}
