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
#else
	return syscall(number, first, second, third);
#endif
}

#endif
