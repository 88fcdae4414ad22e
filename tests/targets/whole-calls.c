/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-calls [SECONDS [CASE...]]: counts system calls that come back short, fail, or
 * leave something wrong behind, where they should not.
 *
 * Truth: none, undisturbed. One thread makes the calls of whole-calls.h in turn, or those
 * that are named; the processes that it talks with end with it. No signal is handled but
 * the SIGTERM that ends it. The cases called "ordinary-..." are calls that are short by
 * nature; a tracer that asked for the rest of them would make them wait for ever. If the
 * first case is "unheard", another process keeps sending signals that this one ignores.
 * If it is "heard", this process has a handler for them; then calls may be short or fail,
 * but must never be wrong.
 *
 *	whole NAME SHORT FAILED WRONG of CALLS	"whole NAME n/a": not here, or no right
 *
 * and "truth short N", "truth failed N", "truth wrong N", "truth cases KINDS" over all.
 */
#include "whole-calls.h"

#include "work.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	CASES_MAX = 64,
};

struct tally {
	const struct whole_case *what;
	bool here;
	unsigned long outcomes[WHOLE_OUTCOMES], calls;
};

static struct tally tallies[CASES_MAX];
static size_t tallies_len;

bool call_changed_registers;

#ifdef __aarch64__
/* Of x0 to x27, from which the call's registers are filled, and into which they go after it. */
struct registers {
	long before[28], after[28];
};

#define PAIR(how, n, m, at) how " x" #n ", x" #m ", [x28, #" at " + " #n " * 8]\n\t"
#define ALL(how, at)          \
	PAIR(how, 0, 1, at)   \
	PAIR(how, 2, 3, at)   \
	PAIR(how, 4, 5, at)   \
	PAIR(how, 6, 7, at)   \
	PAIR(how, 8, 9, at)   \
	PAIR(how, 10, 11, at) \
	PAIR(how, 12, 13, at) \
	PAIR(how, 14, 15, at) \
	PAIR(how, 16, 17, at) \
	PAIR(how, 18, 19, at) \
	PAIR(how, 20, 21, at) \
	PAIR(how, 22, 23, at) PAIR(how, 24, 25, at) PAIR(how, 26, 27, at)

VISIBLE long call(long number, long a, long b, long c, long d, long e, long f)
{
	struct registers all = {.before = {a, b, c, d, e, f, [8] = number}};
	register struct registers *address __asm__("x28") = &all;
	for (int i = 6; i < 28; i++)
		if (i != 8)
			all.before[i] = 0x01010101L * i;
	__asm__ volatile(ALL("ldp", "0") "svc #0\n\t" ALL("stp", "224")
			 : "+r"(address)
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
			 "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
			 "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27",
			 "memory", "cc");
	size_t rest = sizeof(all.before) - sizeof(*all.before);
	if (address != &all || memcmp(all.before + 1, all.after + 1, rest) != 0)
		call_changed_registers = true;
	return all.after[0];
}
#elif defined(__riscv)
VISIBLE long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	register long a6 __asm__("a6") = 0x16161616;
	register long a7 __asm__("a7") = number;
	register long t0 __asm__("t0") = 0x10101010;
	register long t6 __asm__("t6") = 0x1f1f1f1f;
	register long s2 __asm__("s2") = 0x12121212;
	register long s11 __asm__("s11") = 0x1b1b1b1b;
	__asm__ volatile("ecall"
			 : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5),
			 "+r"(a6), "+r"(a7), "+r"(t0), "+r"(t6), "+r"(s2), "+r"(s11)
			 :
			 : "memory");
	if (a1 != b || a2 != c || a3 != d || a4 != e || a5 != f || a6 != 0x16161616 ||
		a7 != number || t0 != 0x10101010 || t6 != 0x1f1f1f1f ||
		s2 != 0x12121212 || s11 != 0x1b1b1b1b)
		call_changed_registers = true;
	return a0;
}
#else
/* Not inlined: its registers are its own. */
VISIBLE long call(long number, long a, long b, long c, long d, long e, long f)
{
	long result = number, rdi = a, rsi = b, rdx = c, rcx, after, rbx = 0x1b1b1b1b;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	register long r11 __asm__("r11");
	register long r12 __asm__("r12") = 0x12121212;
	register long r13 __asm__("r13") = 0x13131313;
	register long r14 __asm__("r14") = 0x14141414;
	register long r15 __asm__("r15") = 0x15151515;
	__asm__ volatile("syscall\n1:\tlea 1b(%%rip), %0"
			 : "=&r"(after), "+a"(result), "+D"(rdi), "+S"(rsi), "+d"(rdx),
			 "=c"(rcx), "+b"(rbx), "+r"(r10), "+r"(r8), "+r"(r9), "=r"(r11),
			 "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15)
			 :
			 : "memory", "cc");
	/* The processor puts where to return to into rcx, and the flags into r11. */
	if (rdi != a || rsi != b || rdx != c || r10 != d || r8 != e || r9 != f ||
		rcx != after || (r11 & 2) == 0 || rbx != 0x1b1b1b1b ||
		r12 != 0x12121212 || r13 != 0x13131313 || r14 != 0x14141414 ||
		r15 != 0x15151515)
		call_changed_registers = true;
	return result;
}
#endif

enum whole_outcome whole_judge(long result, long asked, bool good)
{
	bool changed = call_changed_registers;
	call_changed_registers = false;
	if (result < 0)
		return WHOLE_FAILED;
	if (!good || changed || result > asked)
		return WHOLE_WRONG;
	return result < asked ? WHOLE_SHORT : WHOLE;
}

void whole_cut_up(struct iovec pieces[PIECES], void *from, size_t length)
{
	char *at = from, *end = at + length;
	for (size_t i = 0; i < PIECES; i++) {
		size_t some = i == 2 ? 0 : length * (i + 1) / 64 + i;
		pieces[i].iov_base = at;
		pieces[i].iov_len = i == PIECES - 1 ? (size_t)(end - at) : some;
		at += pieces[i].iov_len;
	}
}

/* --- the stream ------------------------------------------------------------------ */

static uint64_t word_at(uint64_t index)
{
	return (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

void stream_fill(void *out, uint64_t position, size_t length)
{
	unsigned char *to = out;
	while (length > 0) {
		uint64_t word = word_at(position / 8);
		size_t skip = position % 8, some = 8 - skip < length ? 8 - skip : length;
		memcpy(to, (unsigned char *)&word + skip, some);
		to += some;
		position += some;
		length -= some;
	}
}

bool stream_is(const void *bytes, uint64_t position, size_t length)
{
	static unsigned char expected[STREAM_MOST];
	stream_fill(expected, position, length);
	return memcmp(bytes, expected, length) == 0;
}

static bool is_wanted(const struct whole_case *what, char **names)
{
	if (!*names)
		return !what->only_by_name;
	for (; *names; names++)
		if (strcmp(what->name, *names) == 0)
			return true;
	return false;
}

static void add(const struct whole_case *cases, size_t count, char **names)
{
	for (size_t i = 0; i < count; i++)
		if (is_wanted(&cases[i], names))
			tallies[tallies_len++] = (struct tally){
				.what = &cases[i], .here = cases[i].prepare()};
}

static void one_round(void)
{
	for (size_t i = 0; i < tallies_len; i++) {
		struct tally *tally = &tallies[i];
		if (!tally->here)
			continue;
		tally->outcomes[tally->what->enter()]++;
		tally->calls++;
	}
}

static void print_all(void)
{
	unsigned long sum[WHOLE_OUTCOMES] = {0}, cases = 0;
	for (size_t i = 0; i < tallies_len; i++) {
		struct tally *tally = &tallies[i];
		if (!tally->here) {
			printf("whole %s n/a\n", tally->what->name);
			continue;
		}
		if (tally->what->wrong)
			tally->outcomes[WHOLE_WRONG] += **tally->what->wrong;
		for (size_t o = 0; o < WHOLE_OUTCOMES; o++)
			sum[o] += tally->outcomes[o];
		cases += tally->calls > 0;
		printf("whole %s %lu %lu %lu of %lu\n", tally->what->name,
			tally->outcomes[WHOLE_SHORT], tally->outcomes[WHOLE_FAILED],
			tally->outcomes[WHOLE_WRONG], tally->calls);
	}
	printf("truth short %lu\ntruth failed %lu\ntruth wrong %lu\ntruth cases %lu\n",
		sum[WHOLE_SHORT], sum[WHOLE_FAILED], sum[WHOLE_WRONG], cases);
}

static void hear(int signal_number)
{
	(void)signal_number;
}

/* Have another process send signals. Nobody listens to the first two unless it is
   arranged, and to the third one nobody does now. */
static void start_signals(bool heard)
{
	static const int numbers[] = {SIGURG, SIGCHLD, SIGUSR1};
	struct sigaction action = {
		.sa_handler = heard ? hear : SIG_IGN, .sa_flags = SA_RESTART};
	pid_t target = getpid();
	for (size_t i = heard ? 0 : 2; i < 3; i++)
		sigaction(numbers[i], &action, NULL);
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; getppid() == target; i++) {
		kill(target, numbers[i % 3]);
		work_sleep_ns(MS);
	}
	_exit(0);
}

/* In the midst of some call of the other thread. */
static void *execute_anew(void *path)
{
	char *arguments[] = {path, (char[]){"0.5"}, NULL};
	work_sleep_ns(700 * MS);
	execv("/proc/self/exe", arguments);
	_exit(1);
}

int main(int argc, char **argv)
{
	char **names = argc > 2 ? argv + 2 : argv + argc;
	bool heard = *names && strcmp(*names, "heard") == 0;
	bool unheard = *names && strcmp(*names, "unheard") == 0;
	bool executes = *names && strcmp(*names, "exec") == 0;
	names += heard || unheard || executes;
	add(whole_memory, whole_memory_count, names);
	add(whole_pages, whole_pages_count, names);
	add(whole_streams, whole_streams_count, names);
	add(whole_rings, whole_rings_count, names);
	add(whole_waits, whole_waits_count, names);
	add(whole_resets, whole_resets_count, names);
	uint64_t end = work_prepare(argc > 1 ? argv[1] : NULL);
	if (heard || unheard)
		start_signals(heard);
	pthread_t executing;
	if (executes && pthread_create(&executing, NULL, execute_anew, argv[0]) != 0)
		return 1;
	work_ready();
	/* Between rounds only: a signal that is handled cuts calls by right. */
	sigset_t term;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	while (work_goes_on(end)) {
		sigprocmask(SIG_BLOCK, &term, NULL);
		one_round();
		sigprocmask(SIG_UNBLOCK, &term, NULL);
	}
	print_all();
	return 0;
}
