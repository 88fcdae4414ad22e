/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * php-layout: where PHP keeps what, for each version that is known.
 *
 * Offsets in bytes in the structures of PHP's headers (Zend/zend_globals.h, zend_compile.h,
 * zend_generators.h), compiled for x86-64. What is the same in all versions that are known is a
 * constant. Which version it is, each extension says that is built into the interpreter: in
 * "API20220829,NTS". Constant; any thread.
 */
#ifndef CPROFTOP_PHP_LAYOUT_H
#define CPROFTOP_PHP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* _zend_executor_globals, from php_layout.stack on: vm_stack_top, vm_stack_end, vm_stack,
	   current_execute_data */
	PHP_TOP_AT = 0,
	PHP_LIMIT_AT = 8,
	PHP_START_AT = 16,
	PHP_CURRENT_AT = 32,
	PHP_GLOBALS_BYTES = 40,
	/* _zend_execute_data */
	PHP_FRAME_OPLINE = 0,
	PHP_FRAME_FUNCTION = 24,
	PHP_FRAME_THIS = 32,
	PHP_FRAME_INFO = 40, /* what calls it, and the type of THIS */
	PHP_FRAME_PREVIOUS = 48,
	PHP_FRAME_BYTES = 56,
	PHP_INFO_TOP = 1 << 17, /* called from C */
	PHP_INFO_GENERATOR = 1 << 24,
	/* _zend_op_array, the beginning of _zend_internal_function */
	PHP_FUNCTION_NAME = 8,
	PHP_FUNCTION_SCOPE = 16,
	PHP_FUNCTION_BYTES = 200, /* of which are looked at */
	PHP_INTERNAL = 1,	  /* the first byte: what it is */
	PHP_USER = 2,
	PHP_EVAL = 4,
	PHP_NAMELESS = 0x100, /* none of these: an internal one without a name */
	/* zend_op */
	PHP_OP_BYTES = 32,
	PHP_OP_LINE = 24,
	/* zend_string; its type is the first byte of the second half of a word */
	PHP_STRING_TYPE = 4,
	PHP_STRING_LENGTH = 16,
	PHP_STRING_BYTES = 24,
	PHP_CLASS_NAME = 8,
};

struct php_layout {
	uint32_t api;	  /* ZEND_MODULE_API_NO */
	const char *name; /* "8.2" */
	uint16_t stack;	  /* in the executor's globals: vm_stack_top */
	/* zend_op_array */
	uint16_t last, opcodes, file, first_line;
	/* zend_generator: what stands on the stack for generators that delegate to the one that
	   runs ("yield from"); it lies in the object of the innermost of these. */
	uint16_t placeholder;
};

/* NULL: that version is not known. */
const struct php_layout *php_layout_of(uint32_t api);

/* The number in a build id such as "API20220829,NTS" somewhere in the LENGTH bytes of TEXT; 0:
   there is none. *IS_OTHER: it is of a build with threads or for debugging, whose structures are
   others. */
uint32_t php_api_in(const unsigned char *text, size_t length, bool *is_other);

#endif
