/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * only-calls FILE COMMAND ARGUMENT...: run it with a filter of system calls as systemd's
 * SystemCallFilter sets one: FILE has the names of those that are allowed, one a line (others
 * of this kernel do not matter); any other ends the process with SIGSYS.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char line[128];
	FILE *list = argc > 2 ? fopen(argv[1], "re") : NULL;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	if (!list || !filter) {
		fputs("usage: only-calls FILE COMMAND ARGUMENT...\n", stderr);
		return 2;
	}
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		int call = seccomp_syscall_resolve_name(line);
		if (call != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	fclose(list);
	int status = seccomp_load(filter);
	if (status < 0) {
		fprintf(stderr, "only-calls: %s\n", strerror(-status));
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
