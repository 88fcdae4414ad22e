/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-calls: what the program and its library have in common. */
#ifndef CPROFTOP_TESTS_STACK_CALLS_H
#define CPROFTOP_TESTS_STACK_CALLS_H

/* Call BACK(LEFT - 1) from another file. */
void lib_step(int left, void (*back)(int));

#endif
