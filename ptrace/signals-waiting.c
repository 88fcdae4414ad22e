/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/signals-waiting.h"

#include "src/base/small-file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
	TEXT_BYTES = 8 << 10, /* long, because the list of groups comes first */
};

static uint64_t bit(int signal_number)
{
	return UINT64_C(1) << (signal_number - 1);
}

struct signals_waiting signals_waiting_parse(const char *text)
{
	unsigned long long own, shared, blocked, ignored, caught, seccomp;
	if (!status_number(text, "\nSigPnd:", 0, 16, &own) ||
		!status_number(text, "\nShdPnd:", 0, 16, &shared) ||
		!status_number(text, "\nSigBlk:", 0, 16, &blocked) ||
		!status_number(text, "\nSigIgn:", 0, 16, &ignored) ||
		!status_number(text, "\nSigCgt:", 0, 16, &caught))
		return (struct signals_waiting){
			.pending = ~UINT64_C(0), .filtered = true};
	/* Ignored by default (signal(7)). A pending SIGCONT has had its effect
	   already. */
	uint64_t by_default = bit(SIGCHLD) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGCONT);
	return (struct signals_waiting){
		.pending = (own | shared) & ~blocked,
		.unheard = ignored | (by_default & ~caught),
		.filtered = status_number(text, "\nSeccomp:", 0, 10, &seccomp) &&
			    seccomp != 0,
	};
}

struct signals_waiting signals_waiting_look(pid_t tid)
{
	char path[32], text[TEXT_BYTES];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	return signals_waiting_parse(text);
}
