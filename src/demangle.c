#include "src/demangle.h"

#include "src/mem.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUT_MAX_BYTES = 16 << 10,
	OUTPUT_MAX_BYTES = 64 << 10,
	/* libiberty's D demangler gives its output only when it is done, so what it may
	   produce is bounded by what it gets: a back reference ('Q') can double it. */
	D_INPUT_MAX_BYTES = 4 << 10,
	D_BACK_REFERENCES_MAX = 24,
};

/* Substitutions let a hundred bytes stand for gigabytes (S_ S0_ S1_..., each twice the
   one before), so the output is taken piece by piece, and left by longjmp when it is
   enough: the two demanglers below have no other way to be stopped. They keep their state
   on the stack; all that can be lost is the letters of one punycode identifier of Rust.
 */
struct output {
	char *text;
	size_t length, room;
	jmp_buf enough;
};

static void append(const char *bytes, size_t length, void *opaque)
{
	struct output *output = opaque;
	if (length > OUTPUT_MAX_BYTES - output->length)
		longjmp(output->enough, 1);
	if (output->length + length >= output->room) {
		output->room = (output->length + length + 1) * 2;
		output->text = mem_resize(output->text, output->room, 1);
	}
	memcpy(output->text + output->length, bytes, length);
	output->length += length;
	output->text[output->length] = '\0';
}

typedef int (*demangle_function)(
	const char *symbol, int options, demangle_callbackref callback, void *opaque);

static bool run(struct output *output, demangle_function demangler, const char *symbol)
{
	if (setjmp(output->enough) != 0)
		return false;
	return demangler(symbol, DMGL_PARAMS | DMGL_ANSI, append, output) != 0;
}

/* What DEMANGLER makes of SYMBOL, or NULL. */
static char *collect(demangle_function demangler, const char *symbol)
{
	struct output output = {0};
	if (run(&output, demangler, symbol) && output.length > 0)
		return output.text;
	free(output.text);
	return NULL;
}

static char *demangle_d(const char *symbol)
{
	size_t references = 0;
	for (const char *at = symbol; *at; at++)
		references += *at == 'Q';
	if (strncmp(symbol, "_D", 2) != 0 || references > D_BACK_REFERENCES_MAX ||
		strlen(symbol) > D_INPUT_MAX_BYTES)
		return NULL;
	return dlang_demangle(symbol, DMGL_PARAMS | DMGL_ANSI);
}

char *demangle(const char *symbol)
{
	size_t length = strnlen(symbol, INPUT_MAX_BYTES + 1);
	if (length > INPUT_MAX_BYTES)
		return NULL;
	size_t name_length = strcspn(symbol, "@");
	char *name = mem_zalloc(name_length + 1);
	memcpy(name, symbol, name_length);

	/* Rust first: its legacy names are also valid C++ names, with a hash for a part.
	 */
	char *plain = collect(rust_demangle_callback, name);
	if (!plain)
		plain = collect(cplus_demangle_v3_callback, name);
	if (!plain)
		plain = demangle_d(name);
	if (!plain && name_length > 0 && name_length < length)
		return name;
	free(name);
	return plain;
}
