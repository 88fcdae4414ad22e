/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-php: the memory of a process that runs PHP, made up, as each version that is known would
 * have it: a sample of it, and how it is some time later.
 *
 * The program calls usort, a function of the interpreter, which calls compare, and that calls inner.
 * Function I, the outermost first, begins at line 10 * (I + 1) of /srv/file.php and is at its third
 * instruction, two lines below.
 */
#ifndef CPROFTOP_TESTS_MADE_PHP_H
#define CPROFTOP_TESTS_MADE_PHP_H

#include "src/facts/snapshot.h"
#include "src/read/runtimes/php/php-functions.h"
#include "src/read/runtimes/php/php-layout.h"
#include "src/read/runtimes/php/php-stack.h"

#include <stddef.h>
#include <stdint.h>

#define PHP_MEMORY UINT64_C(0x7f0000000000)

enum {
	MADE_BLOCKS = 8,
	MADE_BYTES = MADE_BLOCKS * RECIPE_BLOCK,
	/* from PHP_MEMORY on: */
	MADE_GLOBALS = 0,
	MADE_STACK = 0x1000,	 /* 0x100 for each frame, the outermost first */
	MADE_FUNCTIONS = 0x2000, /* 0x100 */
	MADE_OPS = 0x3000,	 /* 0x200 */
	MADE_NAMES = 0x5000,	 /* 0x80 */
	MADE_FILE_NAME = 0x6000,
	MADE_FRAMES = 4,
};

struct made_php {
	const struct php_layout *layout;
	unsigned char bytes[MADE_BYTES]; /* may be changed after made_php_sample */
	size_t shared_from; /* what BYTES has from there on is shared by processes */
	struct snapshot *snapshot;
	struct php_functions *functions; /* of a process that runs on: BYTES */
};

/* API: of a version that is known. */
void made_php_init(struct made_php *made, uint32_t api);
void made_php_finish(struct made_php *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_php_sample(struct made_php *made);

void made_php_put(struct made_php *made, size_t at, uint64_t word);

/* Where frame and function I are. */
size_t made_php_frame(unsigned i);
size_t made_php_function(unsigned i);

/* What the sample has. */
void made_php_stack(const struct made_php *made, struct script_stack *out);

#endif
