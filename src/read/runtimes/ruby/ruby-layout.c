/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby-layout.h"

#include "src/arch/arch.h"

#include <stddef.h>

static const struct ruby_layout layouts[] = {
	{
		.version = 0x0301,
		.stack = 0,
		.stack_words = 8,
		.frame = 16,
		.tag = 24,
		.tag_resume = 24,
		.tag_previous = 56,
		.pc = 0,
		.iseq = 16,
		.env = 32,
		.body = 16,
		.type = 0,
		.words = 4,
		.code = 8,
		.path = 64,
		.base_label = 72,
		.label = 80,
		.first_line = 88,
		.table = 120,
		.lines = 136,
		.positions = 144,
		.local_iseq = 176,
		.line_bytes = 12,
		.defined_as = 16,
		.owner = 32,
		.definition_iseq = 8,
		.original_name = 32,
		.extension = 24,
		.variables = 8,
		.last_operator = 169,
		.objspace = 0x3d8 + 3 * ARCH_MUTEX_BYTES,
		.collecting = 16,
		.collections = 0x1b8,
		.running = 0x1b8 + 2 * ARCH_MUTEX_BYTES,
		.lock = 0x128 + ARCH_MUTEX_BYTES,
		.thread = 48,
		.thread_ractor = 0x18,
		.thread_context = 0x28,
		.thread_pointer = 0x50,
		.native_id = 0x58,
		.waits = 0x68,
		.condition = 0x78,
	},
};

const struct ruby_layout *ruby_layout_of(unsigned version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}
