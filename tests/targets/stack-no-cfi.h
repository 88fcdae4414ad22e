/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-no-cfi: the two halves of that program. */
#ifndef CPROFTOP_TESTS_STACK_NO_CFI_H
#define CPROFTOP_TESTS_STACK_NO_CFI_H

/* Call BACK(LEFT - 1) from a function that has a frame pointer and nothing else. */
void plain_step(int left, void (*back)(int));

/* Be busy in such functions. */
void plain_spin(void);

#endif
