/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps [HZ [SECONDS]]: where the microseconds of a stop go, and what each step adds.
 *
 * A child looks at the clock all the time, with 16 KiB of stack that it writes to, and
 * notes whenever it stood still. It is stopped HZ times a second in one of several ways,
 * drawn by lot for each stop, so that what else the machine does hits all alike: the
 * least that ptrace allows; the same with a pause before the resume, which shows the
 * cliff (docs/lab/PERFORMANCE.md); and with more and more of what cproftop does. Medians, in
 * microseconds; the machine must be quiet. Stops for which we had to sleep, for the child
 * was not on another processor, are left out.
 */
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SPIN_NS = 80 * 1000,
	GAP_NS = 5 * 1000,
	GAPS = 1024,
	STACK_BYTES = 16 << 10,
	SLOTS = 256,
	SLOT_BYTES = 66 << 10,
	SAMPLES_MAX = 20000,
};

enum step {
	BEFORE,
	INTERRUPT,
	WAIT,
	REGISTERS,
	COPY,
	RESUME,
	STOP, /* all but the first together */
	STOOD_STILL,
	OUR_CPU,
	STEPS
};

static const char *const step_names[STEPS] = {"before", "interrupt", "wait", "regs",
	"copy", "resume", "stop", "still", "our CPU"};

struct way {
	const char *name;
	unsigned pause_ns;
	bool like_us; /* dead-man, schedstat before and after, a look that consumes
			 nothing */
	size_t copy_bytes;
	bool rehearsed, copy_first;
};

static const struct way ways[] = {
	{"floor", 0, false, 0, false, false},
	{"  and a pause of 2", 2000, false, 0, false, false},
	{"  of 5", 5000, false, 0, false, false},
	{"  of 8", 8000, false, 0, false, false},
	{"  of 12", 12000, false, 0, false, false},
	{"+ dead-man, accounts", 0, true, 0, false, false},
	{"+ copy, <= 64 KiB", 0, true, 64 << 10, false, false},
	{"+ copy, 4.7 KiB", 0, true, 4800, false, false},
	{"  rehearsed", 0, true, 4800, true, false},
	{"  before regs", 0, true, 4800, false, true},
	{"  both", 0, true, 4800, true, true},
	{"  both, 15 KiB", 0, true, 15 << 10, true, true},
};

enum {
	WAYS = sizeof(ways) / sizeof(ways[0])
};

struct gap {
	uint64_t start_ns, end_ns;
};

/* What the child tells. */
struct told {
	_Atomic uint64_t count;
	struct gap gaps[GAPS];
};

static struct {
	struct told *told;
	pid_t child;
	int schedstat_fd, mem_fd;
	timer_t timer;
	unsigned char *ring;
	uint64_t sp, random, taken;
	float *samples[WAYS][STEPS];
	size_t count[WAYS];
} at;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void run_child(struct told *told)
{
	volatile unsigned char stack[STACK_BYTES];
	(void)stack; /* what counts is that it is written to */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	uint64_t last_ns = now_ns();
	for (size_t i = 0;; i = (i + 64) % STACK_BYTES) {
		stack[i] = (unsigned char)i;
		uint64_t ns = now_ns();
		if (ns - last_ns > GAP_NS) {
			uint64_t count = atomic_load(&told->count);
			told->gaps[count % GAPS] = (struct gap){last_ns, ns};
			atomic_store(&told->count, count + 1);
			ns = now_ns();
		}
		last_ns = ns;
	}
}

/* The longest that the child stood still between the two. */
static uint64_t stood_still_ns(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t longest_ns = 0, count = atomic_load(&at.told->count);
	for (uint64_t i = count > 64 ? count - 64 : 0; i < count; i++) {
		struct gap gap = at.told->gaps[i % GAPS];
		if (gap.end_ns > from_ns && gap.start_ns < to_ns &&
			gap.end_ns - gap.start_ns > longest_ns)
			longest_ns = gap.end_ns - gap.start_ns;
	}
	return longest_ns;
}

static void read_from(int fd, void *out, size_t bytes, uint64_t offset)
{
	ssize_t ignored = pread(fd, out, bytes, (off_t)offset);
	(void)ignored;
}

static void read_account(void)
{
	char text[128];
	read_from(at.schedstat_fd, text, sizeof(text), 0);
}

static void set_timer(time_t seconds)
{
	struct itimerspec when = {.it_value = {seconds, 0}};
	timer_settime(at.timer, 0, &when, NULL);
}

static bool has_stopped(const struct way *way)
{
	siginfo_t info = {0};
	int status, flags = WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL;
	if (!way->like_us)
		return waitpid(at.child, &status, __WALL | WNOHANG) == at.child;
	return waitid(P_PID, (id_t)at.child, &info, flags) == 0 && info.si_pid != 0;
}

/* False if we had to sleep for it. */
static bool await_stop(const struct way *way)
{
	uint64_t began_ns = now_ns();
	while (!has_stopped(way))
		if (now_ns() - began_ns > SPIN_NS) {
			siginfo_t info;
			waitid(P_PID, (id_t)at.child, &info, WSTOPPED | WNOWAIT | __WALL);
			return false;
		}
	return true;
}

static void stop_once(const struct way *way, uint64_t times_ns[RESUME + 1], bool *spun)
{
	struct user_regs_struct registers;
	struct iovec part = {&registers, sizeof(registers)};
	unsigned char *slot = at.ring + at.taken++ % SLOTS * SLOT_BYTES;
	if (way->like_us)
		read_account();
	if (way->rehearsed)
		read_from(at.mem_fd, slot, way->copy_bytes, at.sp);
	if (way->like_us)
		set_timer(1);
	times_ns[BEFORE] = now_ns();
	ptrace(PTRACE_INTERRUPT, at.child, NULL, NULL);
	times_ns[INTERRUPT] = now_ns();
	*spun = await_stop(way);
	times_ns[WAIT] = now_ns();
	if (way->copy_first)
		read_from(at.mem_fd, slot, way->copy_bytes, at.sp);
	ptrace(PTRACE_GETREGSET, at.child, NT_PRSTATUS, &part);
	times_ns[REGISTERS] = now_ns();
	at.sp = registers.rsp;
	if (!way->copy_first && way->copy_bytes)
		read_from(at.mem_fd, slot, way->copy_bytes, at.sp);
	for (uint64_t began_ns = now_ns(); now_ns() - began_ns < way->pause_ns;)
		;
	times_ns[COPY] = now_ns();
	ptrace(PTRACE_CONT, at.child, NULL, NULL);
	times_ns[RESUME] = now_ns();
	if (way->like_us) {
		set_timer(0);
		read_account();
	}
}

static uint64_t next_random(void)
{
	at.random ^= at.random << 13;
	at.random ^= at.random >> 7;
	at.random ^= at.random << 17;
	return at.random;
}

static void sample(uint64_t woke_ns, uint64_t period_ns)
{
	size_t w = (next_random() >> 16) % WAYS;
	uint64_t times_ns[RESUME + 1], cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool spun;
	stop_once(&ways[w], times_ns, &spun);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	struct timespec settle = {.tv_nsec = (long)(period_ns / 4)};
	nanosleep(&settle, NULL);
	uint64_t still_ns = stood_still_ns(times_ns[BEFORE], times_ns[RESUME]);
	if (!spun || still_ns == 0 || at.count[w] == SAMPLES_MAX)
		return;
	size_t n = at.count[w]++;
	at.samples[w][BEFORE][n] = (float)(times_ns[BEFORE] - woke_ns);
	for (int step = INTERRUPT; step <= RESUME; step++)
		at.samples[w][step][n] = (float)(times_ns[step] - times_ns[step - 1]);
	at.samples[w][STOP][n] = (float)(times_ns[RESUME] - times_ns[BEFORE]);
	at.samples[w][STOOD_STILL][n] = (float)still_ns;
	at.samples[w][OUR_CPU][n] = (float)cpu_ns;
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static void print_table(void)
{
	printf("%-22s %6s", "", "stops");
	for (int step = 0; step < STEPS; step++)
		printf(" %9s", step_names[step]);
	puts("");
	for (size_t w = 0; w < WAYS; w++) {
		size_t n = at.count[w];
		printf("%-22s %6zu", ways[w].name, n);
		for (int step = 0; n > 0 && step < STEPS; step++) {
			qsort(at.samples[w][step], n, sizeof(float), compare);
			printf(" %9.1f", (double)at.samples[w][step][n / 2] / 1e3);
		}
		puts("");
	}
}

static int open_file(const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)at.child, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void *shared(size_t bytes, int flags)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static void set_up(void)
{
	at.random = 88172645463325252u;
	at.told = shared(sizeof(*at.told), MAP_SHARED);
	at.child = fork();
	if (at.child == 0)
		run_child(at.told);
	at.ring = shared((size_t)SLOTS * SLOT_BYTES, MAP_PRIVATE);
	for (size_t i = 0; i < SLOTS; i++)
		memset(at.ring + i * SLOT_BYTES, 0, STACK_BYTES);
	for (size_t w = 0; w < WAYS; w++)
		for (int step = 0; step < STEPS; step++)
			at.samples[w][step] =
				shared(SAMPLES_MAX * sizeof(float), MAP_PRIVATE);
	at.schedstat_fd = open_file("schedstat");
	at.mem_fd = open_file("mem");
	timer_create(CLOCK_MONOTONIC, NULL, &at.timer);
	prctl(PR_SET_TIMERSLACK, 1UL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (ptrace(PTRACE_SEIZE, at.child, NULL, NULL) != 0) {
		perror("PTRACE_SEIZE");
		kill(at.child, SIGKILL);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned hz = argc > 1 ? (unsigned)atoi(argv[1]) : 500;
	double seconds = argc > 2 ? atof(argv[2]) : 10;
	uint64_t period_ns = 1000000000u / (hz ? hz : 1);
	set_up();
	uint64_t next_ns = now_ns(), end_ns = next_ns + (uint64_t)(seconds * 1e9);
	while (next_ns < end_ns) {
		uint64_t instant_ns = next_ns + next_random() % (period_ns / 2);
		struct timespec t = {(time_t)(instant_ns / 1000000000u),
			(long)(instant_ns % 1000000000u)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		sample(now_ns(), period_ns);
		next_ns += period_ns;
	}
	kill(at.child, SIGKILL);
	print_table();
	return 0;
}
