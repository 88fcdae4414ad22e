/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/perl/perl-layout.h"

#include "src/arch/arch.h"

#include <stddef.h>

#define TYPES_TO_36                                                                     \
	{                                                                               \
		[PERL_NULL] = 0, [PERL_SORT] = 167, [PERL_ENTERSUB] = 184,              \
		[PERL_LEAVESUB] = 185, [PERL_LEAVESUBLV] = 186, [PERL_NEXTSTATE] = 195, \
		[PERL_DBSTATE] = 196, [PERL_RETURN] = 205, [PERL_LEAVEWRITE] = 239,     \
		[PERL_ENTEREVAL] = 345, [PERL_LEAVEEVAL] = 346, [PERL_ENTERTRY] = 347,  \
		[PERL_SUBSTCONT] = 33                                                   \
	}
#define TYPES_FROM_38                                                                   \
	{                                                                               \
		[PERL_NULL] = 0, [PERL_SORT] = 170, [PERL_ENTERSUB] = 187,              \
		[PERL_LEAVESUB] = 188, [PERL_LEAVESUBLV] = 189, [PERL_NEXTSTATE] = 198, \
		[PERL_DBSTATE] = 199, [PERL_RETURN] = 208, [PERL_LEAVEWRITE] = 242,     \
		[PERL_ENTEREVAL] = 348, [PERL_LEAVEEVAL] = 349, [PERL_ENTERTRY] = 350,  \
		[PERL_SUBSTCONT] = 34                                                   \
	}

/* An interpreter contains a struct stat and, behind PL_top_env, a buffer of sigsetjmp. */
static const struct perl_layout layouts[] = {
	{.version = 32,
		.cop = 224,
		.si = 240,
		.jump = 632 + ARCH_STAT_BYTES,
		.compiling = 1608 + ARCH_STAT_BYTES + ARCH_JUMP_BYTES,
		.types = TYPES_TO_36},
	{.version = 34,
		.cop = 208,
		.si = 224,
		.jump = 616 + ARCH_STAT_BYTES,
		.compiling = 1592 + ARCH_STAT_BYTES + ARCH_JUMP_BYTES,
		.types = TYPES_TO_36},
	{.version = 36,
		.cop = 208,
		.si = 224,
		.jump = 616 + ARCH_STAT_BYTES,
		.compiling = 1592 + ARCH_STAT_BYTES + ARCH_JUMP_BYTES,
		.has_aux_in_body = true,
		.types = TYPES_TO_36},
	{.version = 38,
		.cop = 208,
		.si = 224,
		.jump = 632 + ARCH_STAT_BYTES,
		.compiling = 1376 + ARCH_STAT_BYTES + ARCH_JUMP_BYTES,
		.has_aux_in_body = true,
		.types = TYPES_FROM_38},
	{.version = 40,
		.cop = 208,
		.si = 224,
		.jump = 632 + ARCH_STAT_BYTES,
		.compiling = 1376 + ARCH_STAT_BYTES + ARCH_JUMP_BYTES,
		.has_aux_in_body = true,
		.types = TYPES_FROM_38},
};

const struct perl_layout *perl_layout_of(unsigned version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}
