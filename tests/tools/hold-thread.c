/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold-thread PID NAME: stop the threads of PID that are called NAME, as a debugger does, and
 * keep them until killed. So a thread of ours hangs, at any place, without a word of it in the
 * program. Prints "held COUNT" when they stand; status 77: it may not trace.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int has_name(const char *pid, const char *tid, const char *name)
{
	char path[96], found[32] = "";
	snprintf(path, sizeof(path), "/proc/%s/task/%.16s/comm", pid, tid);
	FILE *in = fopen(path, "r");
	if (in && fgets(found, sizeof(found), in))
		found[strcspn(found, "\n")] = '\0';
	if (in)
		fclose(in);
	return strcmp(found, name) == 0;
}

static void hold(pid_t tid)
{
	int status;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 ||
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
		waitpid(tid, &status, __WALL) != tid) {
		perror("hold-thread");
		exit(77);
	}
}

int main(int argc, char **argv)
{
	char path[64];
	int held = 0;
	if (argc != 3) {
		fputs("usage: hold-thread PID NAME\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "/proc/%.16s/task", argv[1]);
	DIR *tasks = opendir(path);
	for (struct dirent *task; tasks && (task = readdir(tasks));)
		if (task->d_name[0] != '.' && has_name(argv[1], task->d_name, argv[2])) {
			hold((pid_t)atoi(task->d_name));
			held++;
		}
	printf("held %d\n", held);
	fflush(stdout);
	while (waitpid(-1, NULL, __WALL) > 0) /* one that is killed ends only by this */
		;
	for (;;)
		pause();
}
