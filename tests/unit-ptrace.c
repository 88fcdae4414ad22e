/* The tracing layer: what can be decided by table, and the sampler on a real child. */

#include "tests/unit.h"

#include "ptrace/event.h"
#include "ptrace/explain.h"
#include "ptrace/glance.h"
#include "ptrace/sampler.h"
#include "ptrace/schedule.h"
#include "ptrace/storm.h"
#include "src/clock.h"
#include "src/task.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
		"18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 7 0 0 0 0 0";
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

/* One tick in every period, anywhere in it, and no drift. */
static void test_ticks_are_stratified(void **state)
{
	(void)state;
	struct schedule schedule;
	const uint64_t start = 5000, period = NS_PER_SEC / 1000;
	uint64_t tenths[10] = {0};
	schedule_init(&schedule, 1000, start, 42);
	for (uint64_t i = 0; i < 10000; i++) {
		assert_in_range(schedule.next_ns, start + i * period,
			start + (i + 1) * period - 1);
		tenths[(schedule.next_ns - start - i * period) * 10 / period]++;
		assert_int_equal(schedule_advance(&schedule, schedule.next_ns + 10), 0);
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 850, 1150); /* 5 standard deviations */
}

static void test_missed_periods_are_counted(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule, 100, 0, 1);
	const uint64_t period = NS_PER_SEC / 100;
	/* Done 3.5 periods late: those in between are lost, the next is in the future. */
	assert_int_equal(schedule_advance(&schedule, period * 9 / 2), 3);
	assert_in_range(schedule.next_ns, period * 4, period * 5 - 1);
	assert_int_equal(schedule_advance(&schedule, schedule.next_ns), 0);
	assert_in_range(schedule.next_ns, period * 5, period * 6 - 1);
}

static void test_hopeless_targets_are_explained(void **state)
{
	(void)state;
	struct error err;
	assert_true(explain_hopeless(4194304, &err));
	assert_string_equal(err.text, "there is no process with PID 4194304");
	assert_true(explain_hopeless(getpid(), &err));
	assert_non_null(strstr(err.text, "cproftop itself"));
	assert_true(explain_hopeless(getppid(), &err));
	assert_non_null(strstr(err.text, "ancestor"));
	assert_true(explain_hopeless(2, &err));
	assert_non_null(strstr(err.text, "kernel thread"));
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	assert_true(explain_hopeless(child, &err));
	assert_non_null(strstr(err.text, "is a zombie"));
	waitpid(child, NULL, 0);
}

/* A child that spins and counts what it sees happen to it. */
struct witness {
	volatile uint64_t turns;
	volatile int signals, last_value;
};

static struct witness *witness;

static void count_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_value.sival_int == witness->last_value + 1)
		witness->last_value++;
	witness->signals++;
}

static pid_t start_witness(void)
{
	witness = mmap(NULL, sizeof(*witness), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(witness != MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		struct sigaction action = {
			.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO};
		sigaction(SIGRTMIN, &action, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			witness->turns++;
	}
	while (!witness->turns)
		usleep(100);
	return child;
}

static void end_witness(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	munmap(witness, sizeof(*witness));
}

static char state_of(pid_t pid)
{
	char path[64], text[1024];
	struct task_stat stat = {0};
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = '\0';
	task_parse_stat(text, length, &stat);
	return stat.state;
}

static void nobody(void *context)
{
	(void)context;
}

struct live {
	struct target target;
	struct ring *ring;
	struct meter meter;
	struct sampler *sampler;
	size_t samples;
	uint64_t cpu_ns;
	bool ended;
};

/* Sample the target that was opened. */
static void live_begin(struct live *live, unsigned hz)
{
	struct error err = {""};
	live->ring = ring_create(64, 4096);
	struct sampler_options options = {
		.frequency_hz = hz, .seed = 1, .restart_syscalls = true, .wake = nobody};
	live->sampler =
		sampler_start(&live->target, live->ring, &live->meter, &options, &err);
	if (!live->sampler)
		fail_msg("%s", err.text);
}

static void live_start(struct live *live, pid_t pid, unsigned hz)
{
	struct error err = {""};
	*live = (struct live){0};
	if (!target_open(&live->target, pid, &err))
		fail_msg("%s", err.text);
	live_begin(live, hz);
}

static void live_drain(struct live *live)
{
	const struct snapshot *record;
	while (live->ring && (record = ring_peek(live->ring))) {
		if (record->kind == SNAPSHOT_SAMPLE) {
			struct arch_registers registers;
			assert_true(snapshot_registers(record, &registers));
			assert_true(snapshot_stack_at(
					    record, arch_get_sp(&registers), 8) != NULL);
			live->samples++;
			live->cpu_ns += record->cpu_ns;
		}
		live->ended |= record->kind == SNAPSHOT_END;
		ring_release(live->ring);
	}
}

static void live_wait_for(struct live *live, size_t samples)
{
	for (int i = 0; i < 10000 && live->samples < samples; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_true(live->samples >= samples);
}

static void live_stop(struct live *live)
{
	sampler_stop(live->sampler);
	for (int i = 0; i < 10000 && !live->ended; i++) {
		live_drain(live);
		usleep(1000);
	}
	sampler_destroy(live->sampler);
	live_drain(live);
	assert_true(live->ended);
	ring_destroy(live->ring);
	target_close(&live->target);
}

static void assert_progress(void)
{
	uint64_t turns = witness->turns;
	for (int i = 0; i < 10000 && witness->turns == turns; i++)
		usleep(1000);
	assert_true(witness->turns > turns);
}

static void test_samples_weigh_what_the_kernel_charged(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 300);
	live_stop(&live);
	uint64_t kernel_ns = meter_get(&live.meter.cpu_kernel_ns);
	assert_int_equal(live.cpu_ns, meter_get(&live.meter.cpu_sampled_ns));
	/* What is not covered is the time since the last sample: some periods. */
	assert_true(live.cpu_ns <= kernel_ns);
	assert_true(kernel_ns - live.cpu_ns <= kernel_ns / 10);
	assert_int_equal(live.samples, meter_get(&live.meter.samples));
	assert_true(meter_get(&live.meter.stops) >= live.samples);
	assert_progress();
	end_witness(child);
}

static void test_signals_arrive_once_and_in_order(void **state)
{
	(void)state;
	enum {
		SIGNALS = 2000
	};
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 2000);
	for (int i = 1; i <= SIGNALS; i++) {
		union sigval value = {.sival_int = i};
		while (sigqueue(child, SIGRTMIN, value) != 0)
			usleep(100);
		if (i % 50 == 0)
			live_drain(&live);
	}
	for (int i = 0; i < 10000 && witness->signals < SIGNALS; i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(witness->signals, SIGNALS);
	assert_int_equal(witness->last_value, SIGNALS);
	live_stop(&live);
	end_witness(child);
}

static void await_state(struct live *live, pid_t child, char wanted)
{
	for (int i = 0; i < 10000 && state_of(child) != wanted; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(state_of(child), wanted);
}

/* In PTRACE_LISTEN it shows as traced; but so it does in the stop of a sample. */
static void await_group_stop(struct live *live, pid_t child)
{
	for (int i = 0; i < 10000 && !meter_get(&live->meter.target_stopped); i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live->meter.target_stopped), 1);
	await_state(live, child, 't');
}

static void test_group_stops_are_honoured(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 20);
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	uint64_t turns = witness->turns;
	usleep(50000);
	live_drain(&live);
	assert_int_equal(witness->turns, turns);
	assert_int_equal(meter_get(&live.meter.target_stopped), 1);
	kill(child, SIGCONT);
	size_t before = live.samples;
	live_wait_for(&live, before + 20);
	assert_int_equal(meter_get(&live.meter.target_stopped), 0);
	/* And one that is stopped when we leave stays stopped. */
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	live_stop(&live);
	await_state(&live, child, 'T');
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

static void test_a_stopped_target_stays_stopped(void **state)
{
	(void)state;
	pid_t child = start_witness();
	kill(child, SIGSTOP);
	struct live live = {0};
	await_state(&live, child, 'T');
	uint64_t turns = witness->turns;
	live_start(&live, child, 1000);
	usleep(50000);
	live_stop(&live);
	assert_int_equal(witness->turns, turns);
	await_state(&live, child, 'T');
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

static void test_the_end_of_the_target_ends_sampling(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 10);
	kill(child, SIGKILL);
	for (int i = 0; i < 10000 && !live.ended; i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_true(live.ended);
	assert_int_equal(meter_get(&live.meter.target_exited), 1);
	live_stop(&live);
	munmap(witness, sizeof(*witness));
}

static void test_a_pause_charges_nothing(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 500);
	live_wait_for(&live, 20);
	sampler_set_frequency(live.sampler, 0);
	usleep(20000);
	live_drain(&live);
	size_t paused_at = live.samples;
	usleep(200000);
	live_drain(&live);
	assert_in_range(live.samples, paused_at, paused_at + 1);
	uint64_t before_ns = live.cpu_ns;
	sampler_set_frequency(live.sampler, 500);
	live_wait_for(&live, paused_at + 3);
	assert_true(live.cpu_ns - before_ns < 150 * NS_PER_MS);
	live_stop(&live);
	end_witness(child);
}

static long tracer_of(pid_t pid)
{
	char path[64], line[256];
	long tracer = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %ld", &tracer) == 1)
			break;
	fclose(file);
	return tracer;
}

/* While it is held nobody traces the target, so it runs on though we be stopped; and what
   it uses meanwhile is no sample's. */
static void test_a_held_sampler_lets_go(void **state)
{
	(void)state;
	pid_t child = start_witness();
	uint64_t held_ns = 0;
	struct live live;
	live_start(&live, child, 500);
	for (int i = 0; i < 3; i++) {
		live_wait_for(&live, live.samples + 10);
		assert_true(tracer_of(child) > 0);
		sampler_hold(live.sampler, true);
		uint64_t began_ns = clock_read_ns(live.target.cpu_clock);
		assert_int_equal(tracer_of(child), 0);
		live_drain(&live);
		size_t held_at = live.samples;
		assert_progress();
		usleep(100000);
		live_drain(&live);
		assert_int_equal(live.samples, held_at);
		assert_false(live.ended);
		held_ns += clock_read_ns(live.target.cpu_clock) - began_ns;
		sampler_hold(live.sampler, false);
		live_wait_for(&live, held_at + 3);
	}
	assert_true(live.cpu_ns + held_ns <= clock_read_ns(live.target.cpu_clock));

	/* A target that ends while it is held is found to have ended. */
	sampler_hold(live.sampler, true);
	end_witness(child);
	sampler_hold(live.sampler, false);
	live_stop(&live);
	assert_int_equal(meter_get(&live.meter.target_exited), 1);
}

static void test_storms_are_recognised(void **state)
{
	(void)state;
	struct storm storm = {0};
	uint64_t now_ns = NS_PER_SEC;
	for (int i = 0; i < 1000; i++) /* 900 a second for a second */
		storm_count(&storm, SIGALRM, now_ns += NS_PER_SEC / 900);
	assert_false(storm_rages(&storm, now_ns));
	for (int i = 0; i < 220; i++) /* 1100 a second for two windows */
		storm_count(&storm, SIGALRM, now_ns += NS_PER_SEC / 1100);
	assert_true(storm_rages(&storm, now_ns));
	assert_false(storm_rages(&storm, now_ns + STORM_CALM_MS * NS_PER_MS));

	struct storm calm = {0};
	storm_count(&calm, SIGCHLD, now_ns);
	assert_true(storm_rages(&calm, now_ns));
}

/* In a storm the thread is let go, and yet sampled. */
static void test_storms_pass_untraced(void **state)
{
	(void)state;
	enum {
		SIGNALS = 20000
	};
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 500);
	uint64_t began_ns = clock_monotonic_ns();
	for (int i = 1; i <= SIGNALS; i++) {
		union sigval value = {.sival_int = i};
		while (sigqueue(child, SIGRTMIN, value) != 0)
			usleep(100);
		if (i % 50 == 0)
			live_drain(&live);
	}
	for (int i = 0; i < 10000 && witness->signals < SIGNALS; i++) {
		live_drain(&live);
		usleep(1000);
	}
	uint64_t took_ns = clock_monotonic_ns() - began_ns;
	assert_int_equal(witness->signals, SIGNALS);
	assert_int_equal(witness->last_value, SIGNALS);
	/* Sent as fast as they are taken: it is a storm, unless this machine is so busy
	   that they were no two thousand a second. Then most have not come by us. */
	if (took_ns < SIGNALS / 2000 * NS_PER_SEC)
		assert_true(meter_get(&live.meter.signals) < SIGNALS / 2);
	live_wait_for(&live, live.samples + 20);
	live_stop(&live);
	assert_progress();
	end_witness(child);
}

/* Nobody would hear this one; after the first the thread is let go, and yet sampled. */
static void test_unheard_signals_pass_untraced(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 100);
	live_wait_for(&live, 5);
	for (int i = 0; i < 10000 && tracer_of(child) != 0; i++) {
		kill(child, SIGURG);
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(tracer_of(child), 0);
	assert_true(meter_get(&live.meter.signals) > 0);
	live_wait_for(&live, live.samples + 5);
	live_stop(&live);
	assert_progress();
	end_witness(child);
}

/* The target's task directory names a thread that is not there any more, and its number
   has gone to another process: that one is not sampled, and let go. */
static void test_strangers_are_let_go(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct witness *of_child = witness;
	pid_t stranger = start_witness();
	struct live live;
	struct error err = {""};
	char folder[] = "/tmp/unit-ptrace.XXXXXX", link_to[64], link_at[96], gone[96];
	assert_non_null(mkdtemp(folder));
	snprintf(link_to, sizeof(link_to), "/proc/%d/task/%d", child, child);
	snprintf(link_at, sizeof(link_at), "%s/%d", folder, child);
	snprintf(gone, sizeof(gone), "%s/%d", folder, stranger);
	assert_int_equal(symlink(link_to, link_at), 0);
	assert_int_equal(symlink("/gone", gone), 0);

	live = (struct live){0};
	assert_true(target_open(&live.target, child, &err));
	close(live.target.task_dir_fd);
	live.target.task_dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
	live_begin(&live, 500);
	unlink(gone); /* or it would be seized again at the next listing */
	live_wait_for(&live, 20);
	assert_true(tracer_of(stranger) > 0); /* too late to be helped */
	assert_int_equal(meter_get(&live.meter.threads_now), 1);
	assert_progress();
	kill(stranger, SIGRTMIN);
	for (int i = 0; i < 10000 && tracer_of(stranger) != 0; i++)
		usleep(1000);
	assert_int_equal(tracer_of(stranger), 0);
	for (int i = 0; i < 10000 && !witness->signals; i++)
		usleep(1000);
	assert_int_equal(witness->signals, 1);
	live_stop(&live);
	assert_progress();
	end_witness(stranger);
	witness = of_child;
	end_witness(child);
	unlink(link_at);
	rmdir(folder);
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

int main(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_statuses_are_decoded),
		cmocka_unit_test(test_stat_survives_any_name),
		cmocka_unit_test(test_a_system_call_is_parsed),
		cmocka_unit_test(test_ticks_are_stratified),
		cmocka_unit_test(test_missed_periods_are_counted),
		cmocka_unit_test(test_hopeless_targets_are_explained),
		cmocka_unit_test(test_samples_weigh_what_the_kernel_charged),
		cmocka_unit_test(test_signals_arrive_once_and_in_order),
		cmocka_unit_test(test_group_stops_are_honoured),
		cmocka_unit_test(test_a_stopped_target_stays_stopped),
		cmocka_unit_test(test_the_end_of_the_target_ends_sampling),
		cmocka_unit_test(test_a_pause_charges_nothing),
		cmocka_unit_test(test_a_held_sampler_lets_go),
		cmocka_unit_test(test_storms_are_recognised),
		cmocka_unit_test(test_storms_pass_untraced),
		cmocka_unit_test(test_unheard_signals_pass_untraced),
		cmocka_unit_test(test_strangers_are_let_go),
		cmocka_unit_test(test_32_bit_calls_are_restarted),
	};
	return unit_run(tests);
}
