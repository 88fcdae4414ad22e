/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall clock: the labels of what a thread waits for, and to which stack its time is
   charged. */

#include "tests/lib/unit.h"

#include "src/count/report-build.h"
#include "src/keep/retention.h"
#include "src/process/waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* --- names ---- */

static void assert_waiting(
	struct snapshot_call call, const char *name, const char *object)
{
	struct waiting waiting;
	if (!call.task_state)
		call.task_state = 'S';
	waiting_of(&call, -1, &waiting);
	assert_string_equal(waiting.name, name);
	assert_string_equal(waiting.object, object);
}

static void test_a_wait_has_a_call_and_an_object(void **state)
{
	(void)state;
	assert_waiting(
		(struct snapshot_call){SYS_futex, {0x7f12a0}}, "[futex]", "0x7f12a0");
	assert_waiting(
		(struct snapshot_call){SYS_epoll_pwait, {7}}, "[epoll_pwait]", "fd 7");
	assert_waiting((struct snapshot_call){SYS_read, {5}}, "[read]", "fd 5");
	assert_waiting((struct snapshot_call){SYS_clock_nanosleep, {1}},
		"[clock_nanosleep]", "");
	assert_waiting((struct snapshot_call){SYS_wait4, {99}}, "[wait4]", "");
	assert_waiting((struct snapshot_call){.nr = -1}, "[page fault]", "");
	assert_waiting((struct snapshot_call){.nr = 99999}, "[system call 99999]", "");
	assert_waiting((struct snapshot_call){SYS_futex, {1}, .task_state = 'T'},
		"[stopped]", "");
}

/* The number of a restarted call says nothing, its arguments less. */
static void test_a_restarted_call_is_known_by_its_kernel_function(void **state)
{
	(void)state;
	struct snapshot_call call = {SYS_restart_syscall, {0x7f12a0}};
	assert_waiting(call, "[restart_syscall]", "");
	strcpy(call.wchan, "hrtimer_nanosleep");
	assert_waiting(call, "[nanosleep]", "");
	strcpy(call.wchan, "futex_wait_queue");
	assert_waiting(call, "[futex]", "");
	strcpy(call.wchan, "do_sys_poll");
	assert_waiting(call, "[poll]", "");
}

/* A descriptor of this process, as a thread would show it that waits in CALL for it. */
static void assert_descriptor(int nr, int fd, const char *name)
{
	struct waiting waiting;
	int self = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char link[64] = "", path[64], object[WAITING_MAX];
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(readlink(path, link, sizeof(link) - 1) > 0);
	snprintf(object, sizeof(object), "fd %d -> %s", fd, link);
	waiting_of(&(struct snapshot_call){nr, {(uint64_t)fd}}, self, &waiting);
	assert_string_equal(waiting.name, name);
	assert_string_equal(waiting.object, object);
	close(self);
	close(fd);
}

static void test_a_descriptor_says_its_kind_and_where_it_leads(void **state)
{
	(void)state;
	int pipes[2];
	assert_int_equal(pipe(pipes), 0);
	close(pipes[1]);
	assert_descriptor(SYS_read, pipes[0], "[read pipe]");
	assert_descriptor(
		SYS_recvfrom, socket(AF_UNIX, SOCK_STREAM, 0), "[recvfrom socket]");
	assert_descriptor(SYS_read, eventfd(0, 0), "[read eventfd]");
	assert_descriptor(SYS_read, timerfd_create(CLOCK_MONOTONIC, 0), "[read timerfd]");
	assert_descriptor(SYS_read, inotify_init1(0), "[read inotify]");
	assert_descriptor(SYS_read, memfd_create("x", 0), "[read memfd]");
	assert_descriptor(SYS_read, open("/dev/null", O_RDONLY), "[read device]");
	assert_descriptor(SYS_read, open("/dev/ptmx", O_RDWR | O_NOCTTY),
		"[read device]"); /* the side of who has made the terminal */
	assert_descriptor(SYS_fsync, open("/proc/self/stat", O_RDONLY), "[fsync file]");
}

/* A name that would move the cursor of a terminal comes out harmless. */
static void test_where_a_descriptor_leads_is_cleaned(void **state)
{
	(void)state;
	struct waiting waiting;
	int self = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[] = "/tmp/unit-wall-\033[2J-XXXXXX";
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	unlink(name);
	waiting_of(&(struct snapshot_call){SYS_fsync, {(uint64_t)fd}}, self, &waiting);
	assert_string_equal(waiting.name, "[fsync file]");
	assert_null(strchr(waiting.object, '\033'));
	assert_non_null(strstr(waiting.object, "/tmp/unit-wall-\\x1b[2J-"));
	close(fd);
	close(self);
}

static void test_a_name_gives_its_call_back(void **state)
{
	(void)state;
	char call[WAITING_MAX];
	assert_true(waiting_syscall("[read socket]", call));
	assert_string_equal(call, "read");
	assert_true(waiting_syscall("[nanosleep]", call));
	assert_string_equal(call, "nanosleep");
	assert_false(waiting_syscall("[page fault]", call));
	assert_false(waiting_syscall("[stopped]", call));
	assert_false(waiting_syscall(WAITING_FOR_CPU, call));
	assert_false(waiting_syscall("[truncated stack]", call));
	assert_false(waiting_syscall("main", call));
}

/* Threads that wait for two locks have one function, and two locations. */
static void test_objects_are_locations_of_one_function(void **state)
{
	(void)state;
	struct profile *profile = profile_create();
	uint32_t ids[] = {
		profile_intern_detailed(profile, "[futex]", "0x10"),
		profile_intern_detailed(profile, "[futex]", "0x20"),
		profile_intern_synthetic(profile, "[futex]"),
	};
	assert_int_equal(profile_intern_detailed(profile, "[futex]", "0x10"), ids[0]);
	for (size_t i = 1; i < 3; i++) {
		assert_int_not_equal(ids[i], ids[0]);
		assert_int_equal(profile_location(profile, ids[i])->lines[0].function,
			profile_location(profile, ids[0])->lines[0].function);
	}
	assert_string_equal(profile_location(profile, ids[1])->detail, "0x20");
	assert_string_equal(profile_location(profile, ids[2])->detail, "");

	/* Those who ask for addresses see them. */
	struct naming *naming = naming_create(profile);
	struct naming_rules rules = {
		.style = DEMANGLE_FULL, .granularity = NAMING_ADDRESS, .edits = ""};
	struct naming_tables names = naming_tables(naming, &rules);
	static const char *const wanted[] = {"[futex] 0x10", "[futex] 0x20", "[futex]"};
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(
			profile_function(
				profile, naming_location(profile, names.counted, ids[i])
						 ->lines[0]
						 .function)
				->name,
			wanted[i]);
	naming_unref(naming);
	profile_unref(profile);
}

/* --- charging ---- */

static void add(struct history *history, enum thread_state state, const char *leaf,
	uint64_t time_ns, uint64_t wall_ns)
{
	uint32_t locations[3];
	size_t length = 0;
	if (state == THREAD_BLOCKED)
		locations[length++] =
			profile_intern_synthetic(history->profile, "[futex]");
	locations[length++] = profile_intern_synthetic(history->profile, leaf);
	struct sample sample = {
		.time_ns = time_ns, .wall_ns = wall_ns, .count = 1, .state = state};
	history_add(history, 7, locations, length, UNWIND_ROOT, &sample);
}

static const char *leaf_of(const struct history *history, const struct sample *sample)
{
	const struct stack_node *node = stacktab_node(history->stacktab, sample->stack);
	const struct location *location =
		profile_location(history->profile, node->location);
	return profile_function(history->profile, location->lines[0].function)->name;
}

static void assert_sample(const struct history *history, size_t index,
	enum thread_state state, const char *leaf, uint64_t wall_ns)
{
	assert_true(index < history->samples.len);
	const struct sample *sample = sample_log_at(&history->samples, index);
	assert_int_equal(sample->state, state);
	assert_int_equal(sample->wall_ns, wall_ns);
	assert_string_equal(leaf_of(history, sample), leaf);
}

static void test_time_goes_to_where_the_thread_was_left(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	history_name_thread(&history, 7, "seven");
	/* Nothing is known of it yet. */
	history_charge_blocked(&history, 7, 10, 3, 1);
	history_charge_runq(&history, 7, 11, 4);
	history_charge_running(&history, 7, 12, 5); /* it is not known where */
	history_charge_runq(&history, 7, 12, 0);    /* nothing to be charged */
	history_charge_blocked(&history, 7, 12, 0, 0);
	assert_int_equal(history.samples.len, 2);
	assert_sample(&history, 0, THREAD_BLOCKED, WAITING_UNSEEN, 3);
	assert_sample(&history, 1, THREAD_RUNNABLE, WAITING_FOR_CPU, 4);

	add(&history, THREAD_RUNNING, "work", 20, 5);
	add(&history, THREAD_BLOCKED, "wait", 30, 6);
	history_charge_blocked(&history, 7, 40, 7, 3);
	history_charge_runq(&history, 7, 50, 8); /* woken up, in the same place */
	add(&history, THREAD_RUNNING, "work", 60, 9);
	history_charge_runq(&history, 7, 70, 10);	/* preempted */
	history_charge_blocked(&history, 7, 80, 11, 0); /* before that, where it slept */
	history_charge_running(&history, 7, 90, 12);
	assert_int_equal(history.samples.len, 10);
	assert_sample(&history, 2, THREAD_RUNNING, "work", 5);
	assert_sample(&history, 3, THREAD_BLOCKED, "[futex]", 6);
	assert_sample(&history, 4, THREAD_BLOCKED, "[futex]", 7);
	assert_int_equal(sample_log_at(&history.samples, 4)->count, 3);
	assert_int_equal(sample_log_at(&history.samples, 4)->stack,
		sample_log_at(&history.samples, 3)->stack);
	assert_sample(&history, 5, THREAD_RUNNABLE, WAITING_FOR_CPU, 8);
	assert_sample(&history, 6, THREAD_RUNNING, "work", 9);
	assert_sample(&history, 7, THREAD_RUNNABLE, WAITING_FOR_CPU, 10);
	assert_sample(&history, 8, THREAD_BLOCKED, "[futex]", 11);
	assert_sample(&history, 9, THREAD_RUNNING, "work", 12);
	/* Woken up it stands in wait, not in the futex; preempted, in work. */
	uint32_t woken = sample_log_at(&history.samples, 5)->stack;
	uint32_t preempted = sample_log_at(&history.samples, 7)->stack;
	assert_int_equal(stacktab_node(history.stacktab, woken)->parent,
		stacktab_node(history.stacktab, sample_log_at(&history.samples, 3)->stack)
			->parent);
	assert_int_equal(stacktab_node(history.stacktab, preempted)->parent,
		sample_log_at(&history.samples, 6)->stack);
	history_finish(&history);
}

/* The lock passes to another thread while this one sleeps on: the stack stays, its leaf is
   another one. */
static void test_a_lock_in_other_hands(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	history_name_thread(&history, 7, "sleeper");
	add(&history, THREAD_BLOCKED, "wait", 10, 1);
	history_charge_blocked(&history, 7, 20, 2, 1);
	history_change_wait(&history, 7,
		profile_intern_detailed(history.profile, "[futex held by b]", "0x10"));
	history_charge_blocked(&history, 7, 30, 3, 1);
	assert_sample(&history, 1, THREAD_BLOCKED, "[futex]", 2);
	assert_sample(&history, 2, THREAD_BLOCKED, "[futex held by b]", 3);
	const struct stacktab *stacktab = history.stacktab;
	assert_int_equal(
		stacktab_node(stacktab, sample_log_at(&history.samples, 1)->stack)
			->parent,
		stacktab_node(stacktab, sample_log_at(&history.samples, 2)->stack)
			->parent);
	history_finish(&history);
}

/* Forgetting samples starts a new stack table, which must have the stacks of sleeping
   threads. */
static void test_sleepers_outlive_their_samples(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	add(&history, THREAD_RUNNING, "work", 10, 1);
	add(&history, THREAD_BLOCKED, "wait", 20, 1);
	retention_clear(&history);
	assert_int_equal(history.samples.len, 0);
	history_charge_blocked(&history, 7, 30, 4, 1);
	assert_sample(&history, 0, THREAD_BLOCKED, "[futex]", 4);
	history_finish(&history);
}

/* --- reports ---- */

static struct report *report_of(const struct history *history, bool wall)
{
	struct report_input input = {
		.profile = history->profile,
		.stacktab = history->stacktab,
		.samples = &history->samples,
		.now_ns = 1000,
		.now_wall_ns = 1000,
	};
	struct report_request request = {.wall = wall};
	return report_build(&input, &request);
}

static void test_only_a_wall_report_counts_waiting(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	add(&history, THREAD_RUNNING, "work", 10, 100);
	add(&history, THREAD_BLOCKED, "wait", 20, 200);
	add(&history, THREAD_BLOCKED, "work", 30, 400);

	struct report *report = report_of(&history, true);
	assert_int_equal(report->total.wall_ns, 700);
	assert_int_equal(report->total.samples, 3);
	assert_int_equal(report->n_stacks, 3);
	report_destroy(report);

	report = report_of(&history, false);
	assert_int_equal(report->total.wall_ns, 0);
	assert_int_equal(report->total.samples, 1);
	assert_int_equal(report->n_stacks, 1);
	report_destroy(report);
	history_finish(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wait_has_a_call_and_an_object),
		cmocka_unit_test(test_a_restarted_call_is_known_by_its_kernel_function),
		cmocka_unit_test(test_a_descriptor_says_its_kind_and_where_it_leads),
		cmocka_unit_test(test_where_a_descriptor_leads_is_cleaned),
		cmocka_unit_test(test_a_name_gives_its_call_back),
		cmocka_unit_test(test_objects_are_locations_of_one_function),
		cmocka_unit_test(test_time_goes_to_where_the_thread_was_left),
		cmocka_unit_test(test_a_lock_in_other_hands),
		cmocka_unit_test(test_sleepers_outlive_their_samples),
		cmocka_unit_test(test_only_a_wall_report_counts_waiting),
	};
	return unit_run(tests);
}
