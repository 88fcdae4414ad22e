/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw-call: a system call without a function around it, so that the time it takes, in the
 * kernel too, belongs to the function that makes it.
 */
#ifndef CPROFTOP_TESTS_RAW_CALL_H
#define CPROFTOP_TESTS_RAW_CALL_H

#include <sys/syscall.h>
#include <unistd.h>

static inline __attribute__((always_inline)) long raw_call(
	long number, long first, long second, long third)
{
#ifdef __x86_64__
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = first;
	register long x1 __asm__("x1") = second, x2 __asm__("x2") = third;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	return syscall(number, first, second, third);
#endif
}

#endif
