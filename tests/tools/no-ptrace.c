/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * no-ptrace [-r|-e] COMMAND ARGUMENT...: run it as containers do that forbid ptrace: every
 * such call fails with EPERM, by a seccomp filter. With -r it is process_vm_readv instead, with -e
 * perf_event_open.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool reads = argc > 1 && strcmp(argv[1], "-r") == 0;
	bool events = argc > 1 && strcmp(argv[1], "-e") == 0;
	unsigned forbidden = reads    ? SYS_process_vm_readv
			     : events ? SYS_perf_event_open
				      : SYS_ptrace;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	argc -= reads || events;
	argv += reads || events;
	if (argc < 2) {
		fputs("usage: no-ptrace [-r|-e] COMMAND ARGUMENT...\n", stderr);
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("no-ptrace: seccomp");
		return 77;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
