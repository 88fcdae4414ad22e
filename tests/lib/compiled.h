/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compiled: small programs and libraries that a test compiles while it runs, in a
 * temporary folder.
 */
#ifndef CPROFTOP_TESTS_COMPILED_H
#define CPROFTOP_TESTS_COMPILED_H

#include "tests/lib/unit.h"

#include "src/read/elf/elf-image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct compiled {
	char dir[64]; /* absolute, so that paths in it compare equal */
};

static inline struct compiled compiled_begin(void)
{
	struct compiled compiled;
	snprintf(compiled.dir, sizeof(compiled.dir), "/tmp/cproftop-compiled-XXXXXX");
	assert_non_null(mkdtemp(compiled.dir));
	return compiled;
}

/* Run a shell command in the folder; true if it succeeds. $CC is the compiler. */
__attribute__((format(printf, 2, 3))) static inline bool compiled_run(
	const struct compiled *compiled, const char *format, ...)
{
	char command[4096], whole[4400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole), "cd '%s' && CC=${CC:-cc} && { %s ; } >log 2>&1",
		compiled->dir, command);
	return system(whole) == 0;
}

static inline void compiled_write(
	const struct compiled *compiled, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", compiled->dir, name);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static inline int compiled_open(const struct compiled *compiled, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", compiled->dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static inline struct elf_image *compiled_image(
	const struct compiled *compiled, const char *name)
{
	struct error err = {.text = ""};
	struct elf_image *image = elf_image_open(compiled_open(compiled, name), &err);
	if (!image)
		fail_msg("%s: %s", name, err.text);
	return image;
}

static inline void compiled_end(const struct compiled *compiled)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf '%s'", compiled->dir);
	assert_int_equal(system(command), 0);
}

#endif
