/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby-search: what CRuby from 3.3 on tells by no name that a stripped file has, found by what its
 * code does. The process may be hostile: all that is read is bounded. One thread.
 */
#ifndef CPROFTOP_RUBY_SEARCH_H
#define CPROFTOP_RUBY_SEARCH_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/ruby/ruby-layout.h"
#include "src/read/runtimes/ruby/ruby-stack.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

/* The address of ruby_current_vm_ptr, to which the function at COLLECTS, rb_during_gc, refers first; 0:
   it does not look so. */
uint64_t ruby_search_machine(const struct target_memory *memory, uint64_t collects);

/* Put into PLACE what tags are like, and the code of the interpreter's loop, rb_vm_exec: of the
   functions that have made a tag of one thread the one that calls the function which runs
   instructions, into which each instruction's word leads. That thread has the execution context
   CONTEXT, and THREAD_POINTER. False as long as nobody can tell. */
bool ruby_search_loop(struct address_space *space, const struct ruby_layout *layout,
	uint64_t context, uint64_t thread_pointer, struct ruby_place *place);

#endif
