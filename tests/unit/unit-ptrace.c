/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracing layer: what can be decided by table, and the words for what cannot be
   traced. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/event.h"
#include "ptrace/explain.h"
#include "ptrace/launch.h"
#include "ptrace/threads/schedule.h"
#include "src/base/clock.h"
#include "src/base/small-file.h"
#include "src/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_wait_statuses_are_decoded(void **state)
{
	(void)state;
	const struct {
		int code, status;
		enum tracee_event event;
		int signal;
	} table[] = {
		{CLD_TRAPPED, PTRACE_EVENT_STOP << 8 | SIGTRAP, TRACEE_STOPPED, 0},
		{CLD_STOPPED, PTRACE_EVENT_STOP << 8 | SIGTRAP, TRACEE_STOPPED, 0},
		{CLD_TRAPPED, PTRACE_EVENT_STOP << 8 | SIGSTOP, TRACEE_GROUP, SIGSTOP},
		{CLD_STOPPED, PTRACE_EVENT_STOP << 8 | SIGTSTP, TRACEE_GROUP, SIGTSTP},
		{CLD_STOPPED, PTRACE_EVENT_STOP << 8 | SIGTTOU, TRACEE_GROUP, SIGTTOU},
		{CLD_TRAPPED, SIGUSR1, TRACEE_SIGNAL, SIGUSR1},
		{CLD_TRAPPED, SIGTRAP, TRACEE_SIGNAL, SIGTRAP}, /* the target's own */
		{CLD_TRAPPED, SIGSTOP, TRACEE_SIGNAL,
			SIGSTOP}, /* not yet stopped by it */
		{CLD_TRAPPED, SIGRTMIN, TRACEE_SIGNAL, SIGRTMIN},
		{CLD_EXITED, 0, TRACEE_GONE, 0},
		{CLD_KILLED, SIGKILL, TRACEE_GONE, 0},
		{CLD_DUMPED, SIGSEGV, TRACEE_GONE, 0},
		{CLD_CONTINUED, SIGCONT, TRACEE_NONE, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		siginfo_t info = {0};
		info.si_pid = 1;
		info.si_code = table[i].code;
		info.si_status = table[i].status;
		struct tracee_status status = tracee_decode(&info);
		assert_int_equal(status.event, table[i].event);
		assert_int_equal(status.signal, table[i].signal);
	}
	siginfo_t nothing = {0};
	assert_int_equal(tracee_decode(&nothing).event, TRACEE_NONE);
}

static void test_stat_survives_any_name(void **state)
{
	(void)state;
	static const char rest[] =
		" R 17 2 3 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 987654 4096 100 "
		"18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 7 50 1 0 0 0";
	const char *names[] = {
		"a", "a b", ")", ") S 1 2", "\n) R 1", "", "fifteen bytes!!"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[512];
		int length = snprintf(text, sizeof(text), "42 (%s)%s", names[i], rest);
		struct task_stat stat;
		assert_true(task_parse_stat(text, (size_t)length, &stat));
		assert_string_equal(stat.name, names[i]);
		assert_int_equal(stat.state, 'R');
		assert_int_equal(stat.parent, 17);
		assert_int_equal(stat.flags, 4194304);
		assert_int_equal(stat.start_ticks, 987654);
		assert_int_equal(stat.cpu, 7);
		assert_int_equal(stat.rt_priority, 50);
	}
	struct task_stat stat;
	assert_false(task_parse_stat("", 0, &stat));
	assert_false(task_parse_stat("42 (a", 5, &stat));
	assert_false(task_parse_stat("42 (a) R", 8, &stat));
	struct task_account account;
	assert_true(task_parse_account("123456789012 5 6\n", 17, &account));
	assert_int_equal(account.cpu_ns, 123456789012);
	assert_int_equal(account.delay_ns, 5);
	assert_int_equal(account.slices, 6);
	assert_false(task_parse_account("", 0, &account));
	assert_false(task_parse_account("1 2 ", 4, &account));
	assert_int_equal(task_parse_exec_start("cat (1, #threads: 1)\n---\n"
					       "se.exec_start     :    3982659.434411\n"),
		3982659434411);
	assert_int_equal(task_parse_exec_start("nothing of the kind"), 0);
}

static void test_a_system_call_is_parsed(void **state)
{
	(void)state;
	uint64_t sp = 0, pc = 0;
	struct snapshot_call call = {0};
	assert_true(task_parse_syscall(
		"202 0x7f 0x80 0x0 0x0 0x0 0xffffffff 0x7ffd12 0x7f34\n", &call, &sp,
		&pc));
	assert_int_equal(call.nr, 202);
	assert_int_equal(call.args[0], 0x7f);
	assert_int_equal(call.args[5], 0xffffffff);
	assert_int_equal(sp, 0x7ffd12);
	assert_int_equal(pc, 0x7f34);
	assert_true(task_parse_syscall("-1 0x1000 0x2000\n", &call, &sp, &pc));
	assert_int_equal(call.nr, -1);
	assert_int_equal(call.args[0], 0);
	assert_int_equal(sp, 0x1000);
	assert_int_equal(pc, 0x2000);
	assert_false(task_parse_syscall("running\n", &call, &sp, &pc));
	assert_false(task_parse_syscall("202 0x7f 0x80\n", &call, &sp, &pc));
	assert_false(task_parse_syscall("", &call, &sp, &pc));
}

/* One instant in every period, anywhere in it, and no drift. */
static void test_ticks_are_stratified(void **state)
{
	(void)state;
	struct schedule schedule;
	const uint64_t start = 5000, period = NS_PER_SEC / 1000;
	uint64_t tenths[10] = {0};
	schedule_start(&schedule, NS_PER_SEC / 1000, start, 42);
	for (uint64_t i = 0; i < 10000; i++) {
		assert_in_range(schedule.next_ns, start + i * period,
			start + (i + 1) * period - 1);
		tenths[(schedule.next_ns - start - i * period) * 10 / period]++;
		assert_int_equal(schedule_advance(&schedule, schedule.next_ns + 10), 0);
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 850, 1150); /* 5 standard deviations */
}

/* A thread shares its CPU with another one: either runs for 2.8 periods, but a thread that
   is looked at loses the CPU 30 us later, when the timer's interrupt has come. Until then
   another look finds nothing. Returns its looks in percent of its CPU time in periods. */
static double looks_at_a_shared_cpu(
	uint64_t (*advance)(struct schedule *schedule, uint64_t now_ns))
{
	struct schedule schedule;
	const uint64_t period = NS_PER_SEC / 1000, slice = period * 28 / 10;
	const uint64_t late = 30 * NS_PER_US;
	uint64_t now = 0, ran = 0, looks = 0;
	schedule_start(&schedule, NS_PER_SEC / 1000, now, 42);
	while (looks < 20000) {
		uint64_t end = now + slice;
		bool looked = schedule.next_ns < end;
		end = looked ? schedule.next_ns + late : end;
		ran += end - now;
		looks += looked;
		now = end + slice; /* the other one runs */
		while (schedule.next_ns < now)
			advance(&schedule, schedule.next_ns);
	}
	return 100 * (double)looks / ((double)ran / (double)period);
}

static void test_memoryless_ticks_meet_a_thread_as_often_as_it_runs(void **state)
{
	(void)state;
	double percent = looks_at_a_shared_cpu(schedule_advance_memoryless);
	assert_true(percent > 97 && percent < 104); /* 4 to 5 standard deviations */
	assert_true(looks_at_a_shared_cpu(schedule_advance) > 130);
}

static void test_memoryless_ticks_keep_their_rate(void **state)
{
	(void)state;
	struct schedule schedule;
	const uint64_t period = NS_PER_SEC / 1000;
	uint64_t sooner = 0, much_sooner = 0;
	schedule_start(&schedule, NS_PER_SEC / 1000, 0, 7);
	for (uint64_t i = 0; i < 40000; i++) {
		uint64_t last = schedule.next_ns;
		assert_int_equal(schedule_advance_memoryless(&schedule, last), 0);
		sooner += schedule.next_ns - last < period;
		much_sooner += schedule.next_ns - last < 40 * NS_PER_US;
	}
	assert_in_range(schedule.next_ns / period, 39000, 41000);
	assert_in_range(sooner, 24800, 25800); /* 1 - 1/e of them */
	assert_int_equal(much_sooner, 0);
	/* An instant that was done 50 periods late has missed about 50. */
	uint64_t late = schedule.next_ns + period * 50;
	assert_in_range(schedule_advance_memoryless(&schedule, late), 15, 90);
	assert_true(schedule.next_ns + period / 4 >= late);
}

static void test_missed_periods_are_counted(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_start(&schedule, NS_PER_SEC / 100, 0, 1);
	const uint64_t period = NS_PER_SEC / 100;
	/* Done 3.5 periods late: those in between are lost, the next is in the future. */
	assert_int_equal(schedule_advance(&schedule, period * 9 / 2), 3);
	assert_in_range(schedule.next_ns, period * 4, period * 5 - 1);
	assert_int_equal(schedule_advance(&schedule, schedule.next_ns), 0);
	assert_in_range(schedule.next_ns, period * 5, period * 6 - 1);
}

/* A missed instant is drawn again, uniformly, in the rest of its period. */
static void test_a_tick_is_drawn_again(void **state)
{
	(void)state;
	struct schedule schedule;
	uint64_t tenths[10] = {0};
	schedule_start(&schedule, 10000, 50000, 3);
	assert_in_range(schedule.next_ns, 50000, 59999);
	for (int i = 0; i < 10000; i++) {
		schedule.next_ns = schedule_draw(&schedule.random, 57000, 60000);
		assert_in_range(schedule.next_ns, 57000, 59999);
		tenths[(schedule.next_ns - 57000) * 10 / 3000]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 850, 1150); /* 5 standard deviations */
	/* The periods go on as if nothing had been. */
	assert_int_equal(schedule_advance(&schedule, 59999), 0);
	assert_in_range(schedule.next_ns, 60000, 69999);
	/* And a new length counts from the next one on. */
	schedule_set_period(&schedule, 1000);
	assert_int_equal(schedule_advance(&schedule, 69999), 0);
	assert_in_range(schedule.next_ns, 70000, 70999);
	assert_int_equal(schedule.period_start_ns, 70000);
}

static void test_hopeless_targets_are_explained(void **state)
{
	(void)state;
	struct error err;
	assert_true(explain_hopeless(4194304, &err));
	assert_string_equal(err.text, "there is no process with PID 4194304");
	assert_true(explain_hopeless(getpid(), &err));
	assert_non_null(strstr(err.text, "cproftop itself"));
	if (getppid() != 1) { /* PID 1 is everybody's, and may be looked at */
		assert_true(explain_hopeless(getppid(), &err));
		assert_non_null(strstr(err.text, "ancestor"));
	}
	if (process_comm_is(2, "kthreadd")) { /* not in a namespace of PIDs */
		assert_true(explain_hopeless(2, &err));
		assert_non_null(strstr(err.text, "kernel thread"));
	}
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	assert_true(explain_hopeless(child, &err));
	assert_non_null(strstr(err.text, "is a zombie"));
	waitpid(child, NULL, 0);
}

static void put_word(struct arch_regset *regset, size_t index, int32_t value)
{
	memcpy(regset->bytes + 4 * index, &value, sizeof(value));
}

/* A task of 32 bits is no task to unwind, but its system calls are restarted too. */
static void test_32_bit_calls_are_restarted(void **state)
{
	(void)state;
	enum {
		EAX = 6,
		ORIG_EAX = 11
	};
	struct arch_regset regset = {.size = 17 * 4};
	int32_t eax;
	put_word(&regset, EAX, -EINTR);
	put_word(&regset, ORIG_EAX, -1);
	assert_false(arch_restart_interrupted_syscall(&regset));
	put_word(&regset, ORIG_EAX, 256);
	assert_true(arch_restart_interrupted_syscall(&regset));
	memcpy(&eax, regset.bytes + sizeof(eax) * EAX, sizeof(eax));
	assert_int_equal(eax, -514); /* ERESTARTNOHAND */
	assert_false(arch_restart_interrupted_syscall(&regset));
	assert_int_equal(arch_regset_sp(&regset), 0);
}

/* Before its exec a launched command is a copy of us, but goes by its own name. */
static void test_a_launched_command_has_its_name_at_once(void **state)
{
	char sleep[] = "/bin/sleep", seconds[] = "100",
	     *command[] = {sleep, seconds, NULL};
	char name[16] = "", path[32];
	struct launch launch;
	struct error err;
	(void)state;
	assert_true(launch_prepare(&launch, command, -1, false, &err));
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)launch.pid);
	/* It is forked, and may not have run yet. */
	for (int i = 0; i < 10000 && strcmp(name, "sleep\n") != 0; i++) {
		usleep(1000);
		assert_true(small_file_read(AT_FDCWD, path, name, sizeof(name)) > 0);
	}
	assert_string_equal(name, "sleep\n");
	launch_cancel(&launch);
	assert_int_equal(waitpid(launch.pid, NULL, 0), launch.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_statuses_are_decoded),
		cmocka_unit_test(test_stat_survives_any_name),
		cmocka_unit_test(test_a_system_call_is_parsed),
		cmocka_unit_test(test_ticks_are_stratified),
		cmocka_unit_test(test_memoryless_ticks_meet_a_thread_as_often_as_it_runs),
		cmocka_unit_test(test_memoryless_ticks_keep_their_rate),
		cmocka_unit_test(test_missed_periods_are_counted),
		cmocka_unit_test(test_a_tick_is_drawn_again),
		cmocka_unit_test(test_hopeless_targets_are_explained),
		cmocka_unit_test(test_32_bit_calls_are_restarted),
		cmocka_unit_test(test_a_launched_command_has_its_name_at_once),
	};
	return unit_run(tests);
}
