/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl-layout: where Perl keeps what, for each version that is known.
 *
 * Offsets in bytes in the structures of its headers (intrpvar.h, cop.h, op.h, cv.h, hv.h, gv.h,
 * opnames.h), built with threads. Those that are the same in all of these versions and on all
 * processors are constants here. Constant; any thread.
 */
#ifndef CPROFTOP_PERL_LAYOUT_H
#define CPROFTOP_PERL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PERL_INTERPRETER_BYTES = 4096, /* more than a PerlInterpreter has */
	PERL_INTERPRETER_OP = 8,       /* PL_op */
	PERL_COMPILING_BYTES = 168,    /* PL_compiling and what follows */
	PERL_COMPILING_NUMBER = 164, /* PL_cop_seqmax: more than that of any statement */

	/* PERL_SI, one for each stack of contexts */
	PERL_SI_BYTES = 56,
	PERL_SI_CONTEXTS = 8,
	PERL_SI_PREVIOUS = 16,
	PERL_SI_NEXT = 24,
	PERL_SI_TOP = 32, /* index of the innermost context */
	PERL_SI_SUB =
		40, /* the same of a sub, a format or an eval; set when it is complete */
	PERL_SI_TYPE = 44,

	/* PERL_CONTEXT */
	PERL_CONTEXT_BYTES = 104,
	PERL_CONTEXT_TYPE = 0,
	PERL_CONTEXT_OLD_OP = 2, /* of an eval: << 7, the type of the op that made it */
	PERL_CONTEXT_COP = 16,	 /* the statement from which it was entered */
	PERL_CONTEXT_RETURN = 48,
	PERL_CONTEXT_CV = 72,	/* of a sub or format */
	PERL_CONTEXT_JUMP = 96, /* of an eval: the JMPENV, on the stack of C */

	/* JMPENV, mostly on the stack of C: where die goes to */
	PERL_JUMP_PREVIOUS = 0,

	/* OP, and COP, which is one: a statement */
	PERL_OP_BYTES = 40,
	PERL_OP_SIBLING = 8, /* or the parent, of the last sibling */
	PERL_OP_OTHER = 48,  /* LOGOP */
	PERL_OP_TYPE = 32,   /* 9 bits */
	PERL_OP_TYPE_BITS = 0x1ff,
	PERL_OP_HAS_SIBLING = 1 << 14,
	PERL_COP_BYTES = 64,
	PERL_COP_LINE = 36,
	PERL_COP_FILE = 48,
	PERL_COP_NUMBER = 60, /* grows while code is compiled */

	/* the head of each value, and the bodies of some */
	PERL_HEAD_BYTES = 24,
	PERL_HEAD_BODY = 0,
	PERL_HEAD_COUNT = 8,
	PERL_HEAD_FLAGS = 12, /* the lowest byte is the type */
	PERL_HEAD_VALUE = 16, /* of a glob its GP, of a hash its array */
	PERL_CV_BYTES = 104,
	PERL_CV_PACKAGE = 32,
	PERL_CV_START = 40,
	PERL_CV_ROOT = 48,
	PERL_CV_NAME = 56, /* a GV, or, with the flag, a HEK */
	PERL_CV_FLAGS = 92,
	PERL_GLOB_BYTES = 48,
	PERL_GLOB_NAME = 32,
	PERL_GLOB_PACKAGE = 40,
	PERL_GP_GLOB = 56,
	PERL_HASH_MAX = 24,
	PERL_HASH_BODY_BYTES = 32,
	PERL_AUX_BYTES = 32,
	PERL_AUX_NAME = 0,
	PERL_AUX_NAMES = 28, /* if it is not 0, that is an array of names */
	PERL_HEK_LENGTH = 4,
	PERL_HEK_KEY = 8,
};

/* The types of ops that are asked for. */
enum perl_op {
	PERL_NULL,
	PERL_SORT,
	PERL_ENTERSUB,
	PERL_LEAVESUB,
	PERL_LEAVESUBLV,
	PERL_NEXTSTATE,
	PERL_DBSTATE,
	PERL_RETURN,
	PERL_LEAVEWRITE,
	PERL_ENTEREVAL,
	PERL_LEAVEEVAL,
	PERL_ENTERTRY,
	PERL_SUBSTCONT,
	PERL_OPS,
};

struct perl_layout {
	unsigned version; /* 36: 5.36 */
	uint16_t cop, si,
		jump;	    /* PerlInterpreter: PL_curcop, PL_curstackinfo, PL_top_env */
	uint16_t compiling; /* the statement that is being compiled */
	bool has_aux_in_body;	  /* of a hash; else it is behind the hash's array */
	uint16_t types[PERL_OPS]; /* opnames.h */
};

/* NULL: that version is not known. */
const struct perl_layout *perl_layout_of(unsigned version);

/* Is TYPE, of an op, that of one of these? */
static inline bool perl_is(
	const struct perl_layout *layout, uint32_t type, enum perl_op op)
{
	return type == layout->types[op];
}

static inline bool perl_is_statement(const struct perl_layout *layout, uint32_t type)
{
	return perl_is(layout, type, PERL_NEXTSTATE) ||
	       perl_is(layout, type, PERL_DBSTATE);
}

#endif
