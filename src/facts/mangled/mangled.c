/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/mangled/mangled.h"

#include "src/facts/mangled/mangled-cost.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Substitutions let a hundred bytes stand for gigabytes (S_ S0_ S1_..., each twice the one
   before), so the output is taken piece by piece, and left by longjmp when there is no more
   room: libiberty has no other way to be stopped. It keeps its state on the stack; all that
   can be lost is the letters of one punycode identifier of Rust. */
struct output {
	char *out;
	size_t length, room;
	jmp_buf enough;
};

static void append(const char *bytes, size_t length, void *opaque)
{
	struct output *output = opaque;
	if (length == 0)
		return; /* BYTES may be NULL then */
	if (length >= output->room - output->length)
		longjmp(output->enough, 1);
	memcpy(output->out + output->length, bytes, length);
	output->length += length;
	output->out[output->length] = '\0';
}

static bool read_rust(const char *symbol, int options, struct output *output)
{
	if (mangled_rust_is_suspect(symbol))
		return false;
	if (setjmp(output->enough) != 0)
		return false;
	return rust_demangle_callback(symbol, options, append, output) != 0;
}

static bool read_cplus(const char *symbol, int options, struct output *output)
{
	if (mangled_parse_cost(symbol) > MANGLED_COST_MAX)
		return false;
	if (setjmp(output->enough) != 0)
		return false;
	return cplus_demangle_v3_callback(symbol, options, append, output) != 0;
}

static bool print_tree(
	struct demangle_component *tree, int options, struct output *output)
{
	if (setjmp(output->enough) != 0)
		return false;
	return cplus_demangle_print_callback(options, tree, append, output) != 0;
}

/* cplus_demangle_v3_components leaves a field unset that says how "sr" is to be read
   (unresolved_name_state); as callers of libiberty's other functions read it, it is not 0.
   So something else than 0 is left where it will be. If it is 0 all the same, some names
   of libraries that are full of templates are not read. */
static void __attribute__((noinline)) leave_ones(void)
{
	unsigned char stack[2048];
	memset(stack, 1, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
}

/* A name with packs and many substitutions: what was measured is printed. */
static bool read_packs(const char *symbol, int options, struct output *output)
{
	void *memory = NULL;
	if (mangled_parse_cost(symbol) > MANGLED_COST_MAX)
		return false;
	leave_ones();
	struct demangle_component *tree =
		cplus_demangle_v3_components(symbol, options, &memory);
	bool done = tree && mangled_tree_cost(tree, memory) <= MANGLED_COST_MAX &&
		    print_tree(tree, options, output);
	free(memory);
	return done;
}

static bool read_d(const char *symbol, struct output *output)
{
	char *plain = mangled_d_is_suspect(symbol) ? NULL : dlang_demangle(symbol, 0);
	bool is_read = plain && setjmp(output->enough) == 0;
	if (is_read)
		append(plain, strlen(plain), output);
	free(plain);
	return is_read;
}

bool mangled_read(const char *symbol, bool with_parameters, char *out, size_t room)
{
	int options = with_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
	struct output output = {.out = out, .room = room};
	bool (*read)(const char *, int, struct output *) =
		mangled_may_have_packs(symbol) ? read_packs : read_cplus;
	/* Rust first: its legacy names are also valid C++ names, with a hash for a part. */
	if (read_rust(symbol, options, &output) && output.length > 0)
		return true;
	output.length = 0;
	if (read(symbol, options, &output) && output.length > 0)
		return true;
	output.length = 0;
	return read_d(symbol, &output) && output.length > 0;
}
