/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opinion: the stack of the same stopped thread, and the names of addresses, by elfutils.
 *
 * It reads the target's files, unwind tables and symbol tables with its own code
 * (libdwfl), so it is independent of ours. It knows no names of JIT code or from Go's
 * tables, unless it is given a list of them. One test thread.
 */
#ifndef CPROFTOP_TESTS_OPINION_H
#define CPROFTOP_TESTS_OPINION_H

#include "src/facts/callchain.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opinion;

/* For process PID. NULL if its files cannot be read. */
struct opinion *opinion_create(pid_t pid);
void opinion_destroy(struct opinion *opinion); /* NULL is fine */

/* Take names from a file, too: lines "START SIZE NAME", with numbers in hexadecimal, as
   in a perf map; later lines take precedence. False if it cannot be read. */
bool opinion_read_names(struct opinion *opinion, const char *path);

/* The stack of TID, which the caller has stopped. CHAIN ends with UNWIND_ROOT if elfutils
   came to an end without an error and its last function is one that starts a process or a
   thread, else with UNWIND_NO_CFI. */
void opinion_unwind(struct opinion *opinion, pid_t tid, struct callchain *chain);

/* Is there a row of a table for ADDRESS? Else elfutils follows the frame pointer, which is
   a guess. */
bool opinion_has_table(struct opinion *opinion, uint64_t address);

/* Does this function have no caller, by its name? */
bool opinion_is_root(struct opinion *opinion, uint64_t address);

/* Is this one of the functions of Go's whose unwind table does not tell its caller, by its
   name? They leave their stack for another one, or return from a signal without saying
   so. */
bool opinion_misleads(struct opinion *opinion, uint64_t address);

/* Is its table wrong at ADDRESS, a leaf's, read from MEMORY (/proc/PID/mem)? gcc's tables of
   functions that align their frame say to the return that the caller's frame pointer is where
   the frame pointer points to, though it has been popped: a caller is lost. */
bool opinion_forgets(struct opinion *opinion, int memory, uint64_t address);

/* Is ADDRESS in a file that was mapped when this was created? */
bool opinion_knows(struct opinion *opinion, uint64_t address);

/* The symbol at ADDRESS, or NULL. */
const char *opinion_name(struct opinion *opinion, uint64_t address);

/* The first byte of the function at ADDRESS and the first behind it, by a symbol that has a
   size, or by the list of names. False if there is none. */
bool opinion_function(
	struct opinion *opinion, uint64_t address, uint64_t *start, uint64_t *limit);

/* Is there a symbol NAME that covers ADDRESS? There may be several. A symbol without a
   size covers ADDRESS if it begins at the same address as the symbol of opinion_name. */
bool opinion_agrees(struct opinion *opinion, uint64_t address, const char *name);

#endif
