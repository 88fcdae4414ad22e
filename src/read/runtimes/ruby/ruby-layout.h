/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby-layout: where CRuby keeps what, for each version that is known.
 *
 * Offsets in bytes in CRuby's structures, which are named below, found in its headers, in the memory
 * of Debian's ruby 3.1 on x86-64, in its code on aarch64, and by the debugging information of a
 * ruby 3.3 on x86-64. Constant; any thread.
 */
#ifndef CPROFTOP_RUBY_LAYOUT_H
#define CPROFTOP_RUBY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RUBY_FRAME_BYTES = 64, /* of a control frame, at most */
	RUBY_ENV_BYTES = 24,   /* of an environment, its last three words: */
	RUBY_ENV_METHOD = 0,   /* the method or the class, the environment around it */
	RUBY_ENV_OUTER = 8,
	RUBY_ENV_FLAGS = 16,
	RUBY_ISEQ_BYTES = 24,	    /* of an instruction sequence, what is looked at */
	RUBY_BODY_BYTES = 184,	    /* the same of its body, */
	RUBY_METHOD_BYTES = 40,	    /* of a method entry, */
	RUBY_DEFINITION_BYTES = 48, /* and of its definition */
};

struct ruby_layout {
	unsigned version; /* 0x0301: 3.1 */
	/* rb_execution_context_t: its stack, of so many words, the innermost control frame,
	   and the innermost rb_vm_tag */
	uint16_t stack, stack_words, frame, tag;
	uint16_t frame_bytes, pc, iseq, env; /* rb_control_frame_t */
	uint16_t body;			     /* rb_iseq_t */
	/* rb_iseq_constant_body: TABLE of LINES entries, of which each begins with the line;
	   POSITIONS says which entry an instruction has (succ_index_table) */
	uint16_t type, words, code, path, base_label, label, first_line, table, lines,
		positions, local_iseq;
	uint16_t line_bytes;
	bool has_plain_line;			 /* FIRST_LINE is an int, and no VALUE */
	uint16_t defined_as, owner;		 /* rb_method_entry_t */
	uint16_t definition_iseq, original_name; /* rb_method_definition_t */
	/* RClass: rb_classext_t, or where that is. Up to 3.1 what a class is called and belongs to
	   are among its VARIABLES; in 3.3 they are in CLASS_PATH and ATTACHED, and VARIABLES is
	   not looked at. */
	bool has_extension_inside;
	uint16_t extension, variables, class_path, attached;
	/* RString: where bytes are that are in it; its length is in a word before them, or, if that
	   is 0, in its flags. RArray: the bits of the number of elements that are in it. */
	uint16_t string_data, string_length, array_mask;
	/* Numbers of names up to this are places in the table of names. */
	uint16_t last_operator;
	/* rb_vm_t: the first ractor, and how many there are; 0: by names (ruby.c) */
	uint16_t main_ractor, ractors;
	/* rb_vm_t; rb_objspace_t: flags, and how many collections have begun */
	uint16_t objspace, collecting, collections;
	/* rb_ractor_t: the execution context of the thread that had the lock last; the lock,
	   which begins with the thread that has it, 0: none */
	uint16_t running, lock;
	uint16_t thread; /* rb_execution_context_t */
	/* rb_thread_t. WAITS: a list node that leads to itself, unless the thread waits for the
	   lock. */
	uint16_t thread_ractor, waits;
	/* rb_native_thread, at NATIVE of rb_thread_t, which is at NATIVE_THREAD there; 0: they are one.
	   CONDITION: what it waits on then. */
	uint16_t native, native_thread, thread_pointer, native_id, condition;
};

/* NULL: that version is not known. */
const struct ruby_layout *ruby_layout_of(unsigned version);

#endif
