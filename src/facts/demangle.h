/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle: a symbol as its author wrote it.
 *
 * C++ (Itanium ABI), Rust (legacy and v0) and D, by src/facts/mangled. Rust's hash suffix
 * (::h0123456789abcdef) goes; GCC's clone suffixes of C++ (.isra.0, .part.1, .cold) stay,
 * as " [clone .cold]"; a symbol version (@@GLIBC_2.2) goes, from C names too; @plt stays.
 * In every style but the full one, the names of JIT compilers are shortened by
 * src/facts/jit-name.h. A name stays as it is if its demangled form would be longer than
 * 64 KiB, or if it might take too long to find out. Any thread.
 */
#ifndef CPROFTOP_DEMANGLE_H
#define CPROFTOP_DEMANGLE_H

#include <stddef.h>

/* How much of a name is shown. Rust's names have no parameters. */
enum demangle_style {
	DEMANGLE_FULL,	    /* "void app::sort<int>(int*, int*)" */
	DEMANGLE_NO_PARAMS, /* "app::sort<int>": without the return type, too */
	/* "app::sort": without template or generic arguments, too */
	DEMANGLE_NO_TEMPLATES,
	DEMANGLE_NONE, /* the symbol: "_ZN3app4sortIiEEvPT_S2_" */
	DEMANGLE_STYLES
};

/* The demangled name, which the caller frees, or NULL if SYMBOL stays as it is. A symbol
   longer than 16 KiB stays as it is. */
char *demangle(const char *symbol, enum demangle_style style);

/* The short_name of the function SYMBOL (src/facts/profile.h): DEMANGLE_NO_PARAMS, cleaned; ""
   if it stays as it is. */
void demangle_short(const char *symbol, char *out, size_t size);

#endif
