/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-perl: the memory of a process that runs Perl, made up, as each version that is known
 * would have it: a sample of it, and how it is some time later.
 *
 * The program calls Out::outer, in which a DESTROY, called by C, calls main::inner, which is in an
 * eval {}. The functions' contexts are made_perl_context; all else has constant places.
 */
#ifndef CPROFTOP_TESTS_MADE_PERL_H
#define CPROFTOP_TESTS_MADE_PERL_H

#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/perl/perl-code.h"
#include "src/read/runtimes/perl/perl-layout.h"
#include "src/read/runtimes/perl/perl-stack.h"

#include <stddef.h>
#include <stdint.h>

#define MADE_MEMORY UINT64_C(0x7f0000000000)

enum {
	MADE_BLOCKS = 12,
	MADE_BYTES = MADE_BLOCKS * RECIPE_BLOCK,
	/* from MADE_MEMORY on: */
	MADE_THREAD = 0,	   /* what the thread pointer points to */
	MADE_INTERPRETER = 0x1000, /* and its JMPENV, START_JUMP */
	MADE_START_JUMP = 0x1ff0,
	MADE_PROGRAM_JUMP =
		0x2800, /* of the program and of C's call, on the stack of C */
	MADE_CALL_JUMP = 0x2400,
	MADE_MAIN_STACK = 0x3000,    /* PERL_SI */
	MADE_DESTROY_STACK = 0x3100, /* the innermost one */
	MADE_MAIN_CONTEXTS = 0x4000,
	MADE_DESTROY_CONTEXTS = 0x5000,
	MADE_STATEMENTS = 0x6000, /* 0x100 for each: its COP, and the root of its tree */
	MADE_OP = 0x6f00,
	MADE_FUNCTIONS = 0x7000, /* 0x400 for each: CV, body, GV, body, GP, name */
	MADE_PACKAGES = 0x8000,	 /* 0x400 for each: hash, body, array, name */
	MADE_FILE = 0x9000,
	MADE_NUMBER = 100, /* PL_cop_seqmax */
};

enum made_function {
	MADE_INNER,
	MADE_DESTROY,
	MADE_OUTER,
	MADE_PROGRAM,
	MADE_FRAMES,
};

struct made_perl {
	const struct perl_layout *layout;
	int32_t place;
	struct target_memory memory;	 /* of a process that runs on: BYTES */
	unsigned char bytes[MADE_BYTES]; /* may be changed after made_perl_sample */
	struct snapshot *snapshot;
};

void made_perl_init(struct made_perl *made, unsigned version);
void made_perl_finish(struct made_perl *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_perl_sample(struct made_perl *made);

void made_perl_put(struct made_perl *made, size_t at, uint64_t word);
void made_perl_put4(struct made_perl *made, size_t at, uint32_t number);

/* Where the statement is that FUNCTION runs, its root, its CV, the body of that, and its context. */
size_t made_perl_statement(enum made_function function);
size_t made_perl_root(enum made_function function);
size_t made_perl_cv(enum made_function function);
size_t made_perl_body(enum made_function function);
size_t made_perl_context(enum made_function function);

/* The op that runs is one of type OP. */
void made_perl_run(struct made_perl *made, enum perl_op op);

#endif
