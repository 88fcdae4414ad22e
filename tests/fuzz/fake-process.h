/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake-process: a folder that is given out as /proc/PID of a process.
 *
 * Its memory is that of the fuzzing program: what is to be read at an address is mapped
 * there. Its root is the system's. All else is written by who uses it. One at a time; it is
 * removed when the program ends.
 */
#ifndef CPROFTOP_TESTS_FUZZ_FAKE_PROCESS_H
#define CPROFTOP_TESTS_FUZZ_FAKE_PROCESS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Made with the first call. The descriptor of the folder, which stays open. */
int fake_process_folder(void);

/* A descriptor of it for who closes it. */
int fake_process_open(void);

/* Write the file NAME, or replace it. */
void fake_process_write(const char *name, const void *bytes, size_t length);

/* Make NAME a link to TO, in place of what was there. */
void fake_process_link(const char *name, const char *to);
void fake_process_remove(const char *name);

/* A page or more of memory at ADDRESS, in this program. */
void *fake_process_map(uint64_t address, size_t length);

#endif
