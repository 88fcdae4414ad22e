/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/signals-waiting.h"

#include "src/base/small-file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_BYTES = 8 << 10, /* long, because the list of groups comes first */
};

/* The number after NAME, a field's name with its colon; false if there is no such
   field. */
static bool field(const char *text, const char *name, int base, uint64_t *out)
{
	const char *at = strstr(text, name);
	if (!at)
		return false;
	*out = strtoull(at + strlen(name), NULL, base);
	return true;
}

static uint64_t bit(int signal_number)
{
	return UINT64_C(1) << (signal_number - 1);
}

struct signals_waiting signals_waiting_parse(const char *text)
{
	uint64_t own, shared, blocked, ignored, caught, seccomp;
	if (!field(text, "\nSigPnd:", 16, &own) ||
		!field(text, "\nShdPnd:", 16, &shared) ||
		!field(text, "\nSigBlk:", 16, &blocked) ||
		!field(text, "\nSigIgn:", 16, &ignored) ||
		!field(text, "\nSigCgt:", 16, &caught))
		return (struct signals_waiting){
			.pending = ~UINT64_C(0), .filtered = true};
	/* Ignored by default (signal(7)). A pending SIGCONT has had its effect
	   already. */
	uint64_t by_default = bit(SIGCHLD) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGCONT);
	return (struct signals_waiting){
		.pending = (own | shared) & ~blocked,
		.unheard = ignored | (by_default & ~caught),
		.filtered = field(text, "\nSeccomp:", 10, &seccomp) && seccomp != 0,
	};
}

struct signals_waiting signals_waiting_look(pid_t tid)
{
	char path[32], text[TEXT_BYTES];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	return signals_waiting_parse(text);
}
