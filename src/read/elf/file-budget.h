/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-budget: how much may be kept in memory of what targets' files say.
 *
 * One for all files of a session: a target can map any number of files that are large, or
 * that say they are. Who is about to read a table takes its bytes, and gives them back when
 * the table is freed. When there are none left, MAKE_ROOM is asked to free what was used
 * longest ago. The reader's thread, or dump's. Its owner must outlive all who take from it.
 */
#ifndef CPROFTOP_FILE_BUDGET_H
#define CPROFTOP_FILE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define FILE_BUDGET_BYTES (UINT64_C(512) << 20) /* unless told otherwise */

struct file_budget {
	uint64_t max_bytes, used_bytes;
	/* So much of files may be read yet, until others have had their turn. */
	uint64_t turn_bytes;
	/* Give some bytes back; false if there is nothing that may be freed now. */
	bool (*make_room)(void *context);
	void *context;
	struct file_budget
		*whole; /* what is taken is taken from it, too; NULL: no other */
};

/* False if there is no room for so many BYTES. */
bool file_budget_take(struct file_budget *budget, uint64_t bytes);
void file_budget_give(struct file_budget *budget, uint64_t bytes);

#endif
