/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem: allocate memory, or end the program.
 *
 * No caller checks for NULL: when memory runs out, the "last words" function restores the
 * terminal and the program exits. The target runs on, because the kernel detaches it when
 * its tracer dies. Any thread, but never while a thread of the target is stopped
 * (docs/ARCHITECTURE.md, Laws).
 */
#ifndef CPROFTOP_MEM_H
#define CPROFTOP_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);
void *mem_zalloc(size_t size); /* zeroed */
void *mem_resize(void *ptr, size_t count, size_t item_size);
char *mem_strdup(const char *text);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* RESTORE_TERMINAL is called once when an allocation fails, on the thread that failed,
   before the message is printed and the program exits with status 1. It must not
   allocate. Set by the terminal back end; NULL removes it. */
void mem_set_last_words(void (*restore_terminal)(void));

/* The same with a message of its own, a line. */
_Noreturn void mem_end(const char *message);

#endif
