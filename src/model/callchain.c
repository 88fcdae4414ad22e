/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/callchain.h"

const char *unwind_end_name(enum unwind_end end)
{
	static const char *const names[UNWIND_END_COUNT] = {
		[UNWIND_ROOT] = "root",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_CFI] = "no CFI",
		[UNWIND_BAD_MEMORY] = "bad memory",
		[UNWIND_NO_REGISTER] = "unknown register",
		[UNWIND_CYCLE] = "cycle",
		[UNWIND_TOO_DEEP] = "too deep",
		[UNWIND_FOREIGN] = "not x86_64",
		[UNWIND_CHANGED] = "library changed",
		[UNWIND_GUESSED] = "approximate",
	};
	return names[end];
}

const char *unwind_end_label(enum unwind_end end)
{
	static const char *const labels[UNWIND_END_COUNT] = {
		[UNWIND_ROOT] = "[root]",
		[UNWIND_TRUNCATED] = "[truncated stack]",
		[UNWIND_NO_CFI] = "[no CFI]",
		[UNWIND_BAD_MEMORY] = "[bad memory]",
		[UNWIND_NO_REGISTER] = "[unknown register]",
		[UNWIND_CYCLE] = "[stack cycle]",
		[UNWIND_TOO_DEEP] = "[stack too deep]",
		[UNWIND_FOREIGN] = "[not x86_64]",
		[UNWIND_CHANGED] = "[library changed]",
		[UNWIND_GUESSED] = "[approximate stack]",
	};
	return labels[end];
}
