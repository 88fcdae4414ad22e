/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A short program for tests/tools/oracle, which steps through it: all kinds of calls and
   frames, and signals. It needs only the C library and ends by itself. The arguments
   choose parts: "calls", "frames", "library", "jumps", "signals", "threads"; none:
   all. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* REG_RIP */
#endif
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static volatile unsigned sink;

/* --- calls: recursion, tail calls, pointers, many arguments ------------------------- */

KEEP static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEEP static unsigned tail_last(unsigned n)
{
	return sink + n;
}

KEEP static unsigned tail_first(unsigned n)
{
	sink += n;
	return n & 1 ? tail_last(n + 1) : fib(n & 3);
}

KEEP static unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
	unsigned f, unsigned g, unsigned h, unsigned i)
{
	return a + b * c + d * e + f + g * h + tail_first(i);
}

KEEP static unsigned variadic(unsigned n, ...)
{
	va_list list;
	unsigned sum = 0;
	va_start(list, n);
	for (unsigned i = 0; i < n; i++)
		sum += va_arg(list, unsigned);
	va_end(list);
	return sum + tail_first(sum);
}

struct big {
	uint64_t words[12];
};

KEEP static struct big return_big(unsigned n)
{
	struct big big = {{n, fib(3)}};
	return big;
}

KEEP static void calls(void)
{
	unsigned (*volatile pointer)(unsigned) = tail_first;
	sink += fib(5) + many(1, 2, 3, 4, 5, 6, 7, 8, 9) + variadic(3, 1u, 2u, 3u);
	sink += pointer(4) + (unsigned)return_big(2).words[1];
}

/* --- frames: large, of unknown size, aligned ---------------------------------------- */

KEEP static unsigned with_alloca(unsigned n)
{
	char *bytes = __builtin_alloca(n * 8 + 1);
	memset(bytes, (int)n, n);
	return (unsigned)bytes[n / 2] + fib(2);
}

KEEP static unsigned with_vla(unsigned n)
{
	volatile unsigned array[n + 1];
	for (unsigned i = 0; i <= n; i++)
		array[i] = i + tail_last(i);
	return array[n];
}

KEEP static unsigned aligned(unsigned n)
{
	_Alignas(64) volatile unsigned char bytes[128];
	bytes[n % 128] = (unsigned char)n;
	return bytes[n % 128] + fib(2);
}

KEEP static unsigned aligned_and_alloca(unsigned n)
{
	_Alignas(64) volatile unsigned char bytes[64];
	char *more = __builtin_alloca(n + 16);
	more[n] = (char)n;
	bytes[n % 64] = (unsigned char)more[n];
	return bytes[n % 64] + fib(2);
}

KEEP static unsigned large(unsigned n)
{
	volatile char page[9000];
	page[n] = (char)n;
	return (unsigned)page[n] + fib(2);
}

KEEP static unsigned shrink_wrapped(unsigned n)
{
	if (n == 0)
		return sink;
	unsigned a = fib(1), b = fib(n & 3), c = fib(a), d = fib(b & 1);
	for (unsigned i = 0; i < n; i++)
		a += tail_last(b + c) * d;
	return a;
}

KEEP static unsigned chosen(unsigned n)
{
	switch (n) {
	case 0:
		return fib(1);
	case 1:
		return tail_first(2);
	case 2:
		return with_alloca(3);
	case 3:
		return sink;
	case 4:
		return aligned(1);
	default:
		return n;
	}
}

KEEP static void frames(void)
{
	sink += with_alloca(20) + with_vla(3) + aligned(7) + aligned_and_alloca(40);
	sink += large(100) + shrink_wrapped(0) + shrink_wrapped(3);
	for (unsigned i = 0; i < 6; i++)
		sink += chosen(i);
}

/* --- library: through the PLT, and callbacks from there ----------------------------- */

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	sink += fib(1);
	return (x > y) - (x < y);
}

KEEP static void library(void)
{
	unsigned numbers[9] = {5, 2, 7, 1, 9, 3, 8, 4, 6};
	char text[128];
	qsort(numbers, 9, sizeof(*numbers), compare);
	snprintf(text, sizeof(text), "%u %s %.3f %p", numbers[0], "text", 1.5, (void *)0);
	sink += (unsigned)strlen(text) + (unsigned)atoi("42");
	char *copy = strdup(text);
	if (copy)
		sink += (unsigned)(strchr(copy, 't') - copy);
	free(copy);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	sink += (unsigned)now.tv_sec + (unsigned)(sin((double)sink) * 10);
	printf("%s\n", text);
	fflush(stdout);
}

/* --- jumps: out of several functions at once ---------------------------------------- */

static jmp_buf back;

KEEP static void jump(unsigned n)
{
	if (n == 0)
		longjmp(back, 1);
	jump(n - 1);
	sink++;
}

KEEP static void jumps(void)
{
	if (setjmp(back) == 0)
		jump(4);
	sink += fib(3);
}

/* --- signals: on this stack and on another, in a function and at its start ---------- */

KEEP static void handle(int number)
{
	sink += fib(3) + (unsigned)number;
}

#ifdef __aarch64__
enum {
	FAULT_BYTES = 4,
};
#define FAULT	    "	udf #0\n"
#define LARGE_FRAME "	sub sp, sp, #112\n	.cfi_adjust_cfa_offset 112\n"
#define PC(of)	    ((of)->uc_mcontext.pc)
#else
enum {
	FAULT_BYTES = 2,
};
#define FAULT	    "	ud2\n"
#define LARGE_FRAME "	sub $120, %rsp\n	.cfi_adjust_cfa_offset 120\n"
#define PC(of)	    ((of)->uc_mcontext.gregs[REG_RIP])
#endif

static void handle_fault(int number, siginfo_t *info, void *context)
{
	(void)info;
	handle(number);
	PC((ucontext_t *)context) += FAULT_BYTES;
}

/* Its very first instruction faults, and the byte before it is another function's. */
void faulting(void);
__asm__(".text\n"
	".type before_faulting, %function\n"
	"before_faulting:\n"
	"	.cfi_startproc\n" LARGE_FRAME FAULT "	.cfi_endproc\n"
	".size before_faulting, . - before_faulting\n"
	".type faulting, %function\n"
	"faulting:\n"
	"	.cfi_startproc\n" FAULT "	ret\n"
	"	.cfi_endproc\n"
	".size faulting, . - faulting\n");

KEEP static void interrupted(int number)
{
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(number);
	sigprocmask(SIG_SETMASK, &old, NULL); /* here it comes */
	sink += fib(2);
}

KEEP static void signals(void)
{
	static char other_stack[1 << 16];
	stack_t other = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction action = {.sa_handler = handle};
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	interrupted(SIGUSR1);
	struct sigaction fault = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &fault, NULL);
	faulting();
	sigaltstack(&other, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	interrupted(SIGUSR2);
	fault.sa_flags |= SA_ONSTACK;
	sigaction(SIGILL, &fault, NULL);
	faulting();
}

/* --- threads ------------------------------------------------------------------------ */

KEEP static void *thread(void *argument)
{
	sink += fib(3) + *(unsigned *)argument;
	return NULL;
}

KEEP static void threads(void)
{
	unsigned argument = 3;
	pthread_t id;
	if (pthread_create(&id, NULL, thread, &argument) == 0)
		pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	static const struct part {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{"calls", calls},
		{"frames", frames},
		{"library", library},
		{"jumps", jumps},
		{"signals", signals},
		{"threads", threads},
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int wanted = argc < 2;
		for (int n = 1; n < argc; n++)
			wanted |= strcmp(argv[n], parts[i].name) == 0;
		if (wanted)
			parts[i].run();
	}
	return 0;
}
