/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begins: for a test that begins processes without rights (src/base/worker/own-process.h).
 */
#ifndef CPROFTOP_TESTS_BEGINS_H
#define CPROFTOP_TESTS_BEGINS_H

/* The first thing that main does: it may be such a process. */
void test_begins_processes(int argc, char **argv);

#endif
