/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangled-cost: how long libiberty (up to that of gcc 14) would take to read a name.
 *
 * Of the ways to keep it busy for ever without output the cost is found before it begins:
 *
 * - A pack expansion in C++ makes it walk through the type that is expanded before it prints
 *   any of that, and through each substitution anew: 3^35 steps for 533 bytes.
 * - The type of a conversion operator in C++ is parsed, and parsed again if its template
 *   arguments turn out to be the operator's; so are the types in these arguments.
 * - A list of lifetimes in Rust is only a number, up to 2^64, and in the path of an
 *   implementation they are counted but not printed.
 * - What follows the letter of a function's type in D is read, and read again as something else;
 *   two references back in D may stand for twice what one did.
 *
 * Costs are in steps, of some nanoseconds each. Those of C++ of all names in the libraries and
 * programs of a Debian system and chromium are a hundredth of the limit at most; of 15,469 names
 * of Rust in rustc two are refused. Private to the room.
 */
#ifndef CPROFTOP_MANGLED_COST_H
#define CPROFTOP_MANGLED_COST_H

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdint.h>

#define MANGLED_COST_MAX (UINT64_C(1) << 20)

/* May SYMBOL, of Rust, version 0, have a list of more lifetimes than any function takes? No
   look is taken at where in the name it would be: it may also be letters of an identifier. */
bool mangled_rust_is_suspect(const char *symbol);

/* May SYMBOL, of D, take more than some milliseconds? Each letter counts, also in identifiers: 11 %
   of the names in D's own libraries are suspect, most of them of templates in templates. */
bool mangled_d_is_suspect(const char *symbol);

/* Of C++, before it is parsed. */
uint64_t mangled_parse_cost(const char *symbol);

/* Is the tree of SYMBOL to be measured, too? */
bool mangled_may_have_packs(const char *symbol);

/* Of printing TREE, whose nodes are in the array NODES. */
uint64_t mangled_tree_cost(const struct demangle_component *tree, const void *nodes);

#endif
