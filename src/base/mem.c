/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A mutable global that docs/HACKING.md allows: it restores the terminal when memory is
   gone. */
static void (*_Atomic last_words)(void);

void mem_set_last_words(void (*restore_terminal)(void))
{
	last_words = restore_terminal;
}

void mem_end(const char *message)
{
	void (*restore)(void) = last_words;
	if (restore)
		restore();
	ssize_t ignored = write(STDERR_FILENO, message, strlen(message));
	(void)ignored;
	_exit(EXIT_FAILURE);
}

static void *checked(void *ptr)
{
	if (!ptr)
		mem_end("cproftop: out of memory; the target runs on\n");
	return ptr;
}

void *mem_alloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *mem_zalloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mem_resize(void *ptr, size_t count, size_t item_size)
{
	return checked(reallocarray(ptr, count ? count : 1, item_size));
}

char *mem_strdup(const char *text)
{
	return checked(strdup(text));
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = NULL;
	int length = vasprintf(&text, format, args);
	va_end(args);
	return checked(length < 0 ? NULL : text);
}
