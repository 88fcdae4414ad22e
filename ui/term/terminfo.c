/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/terminfo.h"

#include "src/base/mem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *terminal, *description;
} entries[] = {
#include "ui/term/terminfo-entries.inc"
};

static const char *description_of(const char *terminal)
{
	for (size_t i = 0; terminal && i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strcmp(entries[i].terminal, terminal) == 0)
			return entries[i].description;
	return NULL;
}

bool terminfo_lend(const char *terminal, struct terminfo_loan *loan)
{
	const char *description = description_of(terminal);
	if (!description)
		return false;
	terminfo_lend_description(description, loan);
	return true;
}

void terminfo_lend_description(const char *description, struct terminfo_loan *loan)
{
	const char *before = getenv("TERMINFO");
	loan->before = before ? mem_strdup(before) : NULL;
	setenv("TERMINFO", description, true);
}

void terminfo_take_back(struct terminfo_loan *loan)
{
	if (loan->before)
		setenv("TERMINFO", loan->before, true);
	else
		unsetenv("TERMINFO");
	free(loan->before);
}
