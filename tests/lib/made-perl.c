/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-perl.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	TSS_KEY = 1,
	TYPE_BLOCK = 2,
	TYPE_LOOP = 8,
	TYPE_SUB = 9,
	TYPE_EVAL = 11,
	EVAL_BLOCK = 0x40,
	GLOB = 9,
	HASH = 12,
	CODE = 13,
	HAS_AUX = 0x02000000,
	OP_LEAVE = 199, /* of the program: no type that is asked for */
	MAIN_DEPTH = 3,
	DESTROY_DEPTH = 4,
};

static const char *const names[] = {"inner", "DESTROY", "outer"};

void made_perl_put(struct made_perl *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

void made_perl_put4(struct made_perl *made, size_t at, uint32_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

static void put_address(struct made_perl *made, size_t at, size_t of)
{
	made_perl_put(made, at, MADE_MEMORY + of);
}

size_t made_perl_statement(enum made_function function)
{
	return MADE_STATEMENTS + function * 0x100u;
}

size_t made_perl_root(enum made_function function)
{
	return made_perl_statement(function) + 0x80;
}

size_t made_perl_cv(enum made_function function)
{
	return MADE_FUNCTIONS + function * 0x400u;
}

size_t made_perl_body(enum made_function function)
{
	return made_perl_cv(function) + 0x40;
}

size_t made_perl_context(enum made_function function)
{
	switch (function) {
	case MADE_INNER:
		return MADE_DESTROY_CONTEXTS + 2 * PERL_CONTEXT_BYTES;
	case MADE_DESTROY:
		return MADE_DESTROY_CONTEXTS + PERL_CONTEXT_BYTES;
	default:
		return MADE_MAIN_CONTEXTS + PERL_CONTEXT_BYTES;
	}
}

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_perl *made = context;
	uint64_t at = address - MADE_MEMORY;
	if (at >= MADE_BYTES)
		return 0;
	length = length < MADE_BYTES - at ? length : MADE_BYTES - at;
	memcpy(out, made->bytes + at, length);
	return length;
}

static void put_name(struct made_perl *made, size_t at, const char *name)
{
	made_perl_put4(made, at + PERL_HEK_LENGTH, (uint32_t)strlen(name));
	memcpy(made->bytes + at + PERL_HEK_KEY, name, strlen(name));
}

static void put_value(struct made_perl *made, size_t at, uint32_t flags, size_t value)
{
	put_address(made, at + PERL_HEAD_BODY, at + 0x40);
	made_perl_put4(made, at + PERL_HEAD_COUNT, 1);
	made_perl_put4(made, at + PERL_HEAD_FLAGS, flags);
	put_address(made, at + PERL_HEAD_VALUE, value);
}

static void put_package(struct made_perl *made, size_t at, const char *name)
{
	size_t aux = made->layout->has_aux_in_body ? at + 0x40 + PERL_HASH_BODY_BYTES
						   : at + 0x100 + 8 * 8;
	put_value(made, at, HASH | HAS_AUX, at + 0x100);
	made_perl_put(made, at + 0x40 + PERL_HASH_MAX, 7);
	put_address(made, aux + PERL_AUX_NAME, at + 0x200);
	put_name(made, at + 0x200, name);
}

/* A CV, the glob that it has its name of, and its tree of ops. */
static void put_function(struct made_perl *made, enum made_function function)
{
	size_t cv = made_perl_cv(function), body = made_perl_body(function);
	size_t glob = cv + 0x100, gp = cv + 0x200, name = cv + 0x300;
	put_value(made, cv, CODE, 0);
	put_address(made, body + PERL_CV_ROOT, made_perl_root(function));
	put_address(made, body + PERL_CV_START, made_perl_statement(function));
	put_address(made, body + PERL_CV_NAME, glob);
	put_value(made, glob, GLOB, gp);
	put_address(made, glob + 0x40 + PERL_GLOB_NAME, name);
	put_address(made, glob + 0x40 + PERL_GLOB_PACKAGE,
		MADE_PACKAGES + (function == MADE_OUTER ? 0x400 : 0));
	put_address(made, gp + PERL_GP_GLOB, glob);
	put_name(made, name, names[function]);
}

static void put_statement(struct made_perl *made, enum made_function function)
{
	size_t at = made_perl_statement(function), root = made_perl_root(function);
	const uint16_t *types = made->layout->types;
	put_address(made, at + PERL_OP_SIBLING, root);
	made_perl_put4(made, at + PERL_OP_TYPE, types[PERL_NEXTSTATE]);
	made_perl_put4(made, at + PERL_COP_LINE, 10 * (function + 1));
	put_address(made, at + PERL_COP_FILE, MADE_FILE);
	made_perl_put4(made, at + PERL_COP_NUMBER, MADE_NUMBER - 10 + function);
	made_perl_put4(made, root + PERL_OP_TYPE,
		function == MADE_PROGRAM ? OP_LEAVE : types[PERL_LEAVESUB]);
}

static void put_context(struct made_perl *made, size_t at, unsigned type,
	enum made_function caller, bool is_from_c)
{
	made->bytes[at + PERL_CONTEXT_TYPE] = (unsigned char)type;
	put_address(made, at + PERL_CONTEXT_COP, made_perl_statement(caller));
	if (!is_from_c)
		put_address(made, at + PERL_CONTEXT_RETURN, MADE_OP);
}

static void put_eval(
	struct made_perl *made, size_t at, enum perl_op op, size_t jump, bool is_from_c)
{
	uint16_t old_op = (uint16_t)(made->layout->types[op] << 7);
	put_context(made, at, TYPE_EVAL | EVAL_BLOCK, MADE_INNER, is_from_c);
	memcpy(made->bytes + at + PERL_CONTEXT_OLD_OP, &old_op, sizeof(old_op));
	put_address(made, at + PERL_CONTEXT_JUMP, jump);
}

static void put_sub(struct made_perl *made, enum made_function function,
	enum made_function caller, bool is_from_c)
{
	size_t at = made_perl_context(function);
	put_context(made, at, TYPE_SUB, caller, is_from_c);
	put_address(made, at + PERL_CONTEXT_CV, made_perl_cv(function));
}

static void put_stacks(struct made_perl *made)
{
	put_address(made, MADE_MAIN_STACK + PERL_SI_CONTEXTS, MADE_MAIN_CONTEXTS);
	put_address(made, MADE_MAIN_STACK + PERL_SI_NEXT, MADE_DESTROY_STACK);
	made_perl_put4(made, MADE_MAIN_STACK + PERL_SI_TOP, MAIN_DEPTH - 1);
	made_perl_put4(made, MADE_MAIN_STACK + PERL_SI_SUB, 1);
	put_address(made, MADE_DESTROY_STACK + PERL_SI_CONTEXTS, MADE_DESTROY_CONTEXTS);
	put_address(made, MADE_DESTROY_STACK + PERL_SI_PREVIOUS, MADE_MAIN_STACK);
	made_perl_put4(made, MADE_DESTROY_STACK + PERL_SI_TOP, DESTROY_DEPTH - 1);
	made_perl_put4(made, MADE_DESTROY_STACK + PERL_SI_SUB, DESTROY_DEPTH - 1);
	put_context(made, MADE_MAIN_CONTEXTS, TYPE_BLOCK, MADE_PROGRAM, false);
	put_sub(made, MADE_OUTER, MADE_PROGRAM, false);
	put_context(made, MADE_MAIN_CONTEXTS + 2 * PERL_CONTEXT_BYTES, TYPE_LOOP,
		MADE_OUTER, false);
	put_eval(made, MADE_DESTROY_CONTEXTS, PERL_NULL, MADE_PROGRAM_JUMP, true);
	put_sub(made, MADE_DESTROY, MADE_OUTER, true);
	put_sub(made, MADE_INNER, MADE_DESTROY, false);
	put_eval(made, MADE_DESTROY_CONTEXTS + 3 * PERL_CONTEXT_BYTES, PERL_ENTERTRY,
		MADE_CALL_JUMP, false);
}

void made_perl_run(struct made_perl *made, enum perl_op op)
{
	made_perl_put4(made, MADE_OP + PERL_OP_TYPE, made->layout->types[op]);
}

void made_perl_init(struct made_perl *made, unsigned version)
{
	const struct perl_layout *layout = perl_layout_of(version);
	*made = (struct made_perl){.layout = layout};
	made->memory = (struct target_memory){.read = read_made, .context = made};
	made->snapshot = mem_zalloc(sizeof(*made->snapshot) + MADE_BYTES);
	made->snapshot->second_thread = MADE_MEMORY + MADE_THREAD;
	perl_place(TSS_KEY, &made->place);
	put_address(made, MADE_THREAD + (size_t)made->place, MADE_INTERPRETER);
	put_address(
		made, MADE_INTERPRETER + layout->cop, made_perl_statement(MADE_INNER));
	put_address(made, MADE_INTERPRETER + layout->si, MADE_DESTROY_STACK);
	put_address(made, MADE_INTERPRETER + layout->jump, MADE_CALL_JUMP);
	put_address(made, MADE_INTERPRETER + PERL_INTERPRETER_OP, MADE_OP);
	made_perl_put4(made, MADE_INTERPRETER + layout->compiling + PERL_COMPILING_NUMBER,
		MADE_NUMBER);
	put_address(made, MADE_CALL_JUMP, MADE_PROGRAM_JUMP);
	put_address(made, MADE_PROGRAM_JUMP, MADE_START_JUMP);
	put_stacks(made);
	for (unsigned i = 0; i < MADE_FRAMES; i++)
		put_statement(made, (enum made_function)i);
	for (unsigned i = 0; i < MADE_PROGRAM; i++)
		put_function(made, (enum made_function)i);
	put_package(made, MADE_PACKAGES, "main");
	put_package(made, MADE_PACKAGES + 0x400, "Out");
	memcpy(made->bytes + MADE_FILE, "file.pl", sizeof("file.pl"));
	made_perl_run(made, PERL_LEAVESUB);
	made_perl_sample(made);
}

void made_perl_finish(struct made_perl *made)
{
	free(made->snapshot);
}

void made_perl_sample(struct made_perl *made)
{
	struct snapshot *snapshot = made->snapshot;
	snapshot->kind = SNAPSHOT_SAMPLE;
	snapshot->time_ns++;
	snapshot->second_result = RECIPE_DONE;
	snapshot->second_blocks = MADE_BLOCKS;
	for (unsigned i = 0; i < MADE_BLOCKS; i++)
		snapshot->second_addresses[i] = MADE_MEMORY + (uint64_t)i * RECIPE_BLOCK;
	memcpy(snapshot->stack, made->bytes, MADE_BYTES);
}
