/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/file-budget.h"

bool file_budget_take(struct file_budget *budget, uint64_t bytes)
{
	if (bytes > budget->max_bytes)
		return false;
	while (budget->max_bytes - budget->used_bytes < bytes)
		if (!budget->make_room || !budget->make_room(budget->context))
			return false;
	if (budget->whole && !file_budget_take(budget->whole, bytes))
		return false;
	budget->used_bytes += bytes;
	return true;
}

void file_budget_give(struct file_budget *budget, uint64_t bytes)
{
	budget->used_bytes -= bytes;
	if (budget->whole)
		file_budget_give(budget->whole, bytes);
}
