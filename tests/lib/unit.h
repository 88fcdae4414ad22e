/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit: what every cmocka test file includes, in the order cmocka needs it.
 *
 * main is `return unit_run(tests);`: the results come out as TAP.
 */
#ifndef CPROFTOP_TESTS_UNIT_H
#define CPROFTOP_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define unit_run(tests)                            \
	(cmocka_set_message_output(CM_OUTPUT_TAP), \
		cmocka_run_group_tests(tests, NULL, NULL))

#endif
