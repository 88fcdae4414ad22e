/*
 * demangle: a symbol as its author wrote it.
 *
 * libiberty for C++ (Itanium ABI), Rust (legacy and v0) and D. Rust's hash suffix
 * (::h0123456789abcdef) goes; GCC's clone suffixes of C++ (.isra.0, .part.1, .cold) stay,
 * as " [clone .cold]"; a symbol version (@@GLIBC_2.2) goes, from C names too. A name
 * whose demangled form is longer than 64 KiB stays as it is. Any thread.
 */
#ifndef CPROFTOP_DEMANGLE_H
#define CPROFTOP_DEMANGLE_H

/* The demangled name, to be freed by the caller, or NULL if SYMBOL stays as it is. Input
   longer than 16 KiB is not tried. */
char *demangle(const char *symbol);

#endif
