/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set-user-ID program that is executed while a tracer without rights is attached gets
   them back, with its arguments and its environment. Only root can make such a program. */

#include "tests/lib/unit.h"

#include "ptrace/capture.h"
#include "ptrace/exec-again.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	WAS_AGAIN = 10, /* exit statuses of the tracer */
	WAS_NOT = 11,
	BROKEN = 12,
};

static char folder[] = "/tmp/cproftop-exec-XXXXXX";
static char program[64], link_to_it[64];

/* FROM as our own program, with the mode of a set-user-ID program or an ordinary one. */
static bool copy_program(const char *from, mode_t mode)
{
	char piece[64 << 10];
	int in = open(from, O_RDONLY),
	    out = open(program, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t got = in < 0 || out < 0 ? -1 : 1;
	while (got > 0) {
		got = read(in, piece, sizeof(piece));
		if (got > 0 && write(out, piece, (size_t)got) != got)
			got = -1;
	}
	close(in);
	close(out);
	return got == 0 && chmod(program, mode) == 0;
}

static int set_up(void **state)
{
	(void)state;
	struct statvfs system;
	if (geteuid() != 0 || !mkdtemp(folder) || chmod(folder, 0755) != 0 ||
		statvfs(folder, &system) != 0 || (system.f_flag & ST_NOSUID))
		return 0;
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(link_to_it, sizeof(link_to_it), "%s/link", folder);
	return symlink("program", link_to_it);
}

static int tear_down(void **state)
{
	(void)state;
	unlink(program);
	unlink(link_to_it);
	rmdir(folder);
	return 0;
}

static void skip_unless_possible(void)
{
	if (!program[0])
		skip(); /* not root, or no such programs in /tmp */
}

static bool renounce_rights(void)
{
	return setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0;
}

/* Wait for the next stop of CHILD, which a tracer has. */
static bool stops(pid_t child, int *status)
{
	return waitpid(child, status, __WALL) == child && WIFSTOPPED(*status);
}

/* Attached to CHILD when it calls exec, as a sample may be. Returns how the tracer ends. */
static int trace_exec(pid_t child, int go)
{
	struct arch_regset regset;
	int status;
	if (ptrace(PTRACE_SEIZE, child, NULL, PTRACE_O_TRACEEXEC) != 0 ||
		write(go, "g", 1) != 1 || !stops(child, &status) ||
		status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8) ||
		ptrace(PTRACE_INTERRUPT, child, NULL, NULL) != 0 ||
		ptrace(PTRACE_CONT, child, NULL, NULL) != 0 || !stops(child, &status) ||
		!capture_registers(child, &regset))
		return BROKEN;
	bool again = exec_again(child, &regset);
	return ptrace(PTRACE_DETACH, child, NULL, NULL) != 0 ? BROKEN
	       : again					     ? WAS_AGAIN
							     : WAS_NOT;
}

/* Without rights: execute PATH, with OUTPUT as its standard output, under a tracer. */
static int run_traced(const char *path, const char *const *arguments,
	const char *const *environment, int output)
{
	int go[2], result;
	char byte;
	if (!renounce_rights() || pipe2(go, O_CLOEXEC) != 0)
		return BROKEN;
	pid_t child = fork();
	if (child == 0) {
		close(go[1]);
		dup2(output, STDOUT_FILENO);
		if (read(go[0], &byte, 1) == 1)
			execve(path, (char *const *)arguments,
				(char *const *)environment);
		_exit(127);
	}
	result = child < 0 ? BROKEN : trace_exec(child, go[1]);
	close(go[1]);
	waitpid(child, NULL, __WALL);
	return result;
}

/* Returns what the program wrote, and in *RESULT how its tracer ended. */
static const char *run(const char *path, const char *const *arguments,
	const char *const *environment, int *result)
{
	static char output[256];
	int pipe_ends[2], status = 0;
	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	pid_t tracer = fork();
	if (tracer == 0)
		_exit(run_traced(path, arguments, environment, pipe_ends[1]));
	close(pipe_ends[1]);
	size_t length = 0;
	ssize_t got;
	while (length < sizeof(output) - 1 && (got = read(pipe_ends[0], output + length,
						       sizeof(output) - 1 - length)) > 0)
		length += (size_t)got;
	output[length] = '\0';
	close(pipe_ends[0]);
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	*result = WEXITSTATUS(status);
	return output;
}

static const char *ask_user[] = {"id", "-u", NULL};
static const char *nothing[] = {NULL};

static void test_rights_are_given_back(void **state)
{
	(void)state;
	int result;
	skip_unless_possible();
	assert_true(copy_program("/usr/bin/id", 04755));
	assert_string_equal(run(program, ask_user, nothing, &result), "0\n");
	assert_int_equal(result, WAS_AGAIN);
	assert_string_equal(run(link_to_it, ask_user, nothing, &result), "0\n");
	assert_int_equal(result, WAS_AGAIN);
}

static void test_arguments_and_environment_are_the_same(void **state)
{
	(void)state;
	const char *arguments[] = {"printenv", "FIRST", "SECOND", NULL};
	const char *environment[] = {"FIRST=1 2", "OTHER=x", "SECOND=", NULL};
	int result;
	skip_unless_possible();
	assert_true(copy_program("/usr/bin/printenv", 04755));
	assert_string_equal(run(program, arguments, environment, &result), "1 2\n\n");
	assert_int_equal(result, WAS_AGAIN);
}

static void test_one_without_rights_is_left_alone(void **state)
{
	(void)state;
	int result;
	skip_unless_possible();
	assert_true(copy_program("/usr/bin/id", 0755));
	assert_string_equal(run(program, ask_user, nothing, &result), "65534\n");
	assert_int_equal(result, WAS_NOT);
	/* The rights of the user who runs it: it has them. */
	assert_true(copy_program("/usr/bin/id", 0755));
	assert_int_equal(chown(program, NOBODY, NOBODY), 0);
	assert_int_equal(chmod(program, 06755), 0);
	assert_string_equal(run(program, ask_user, nothing, &result), "65534\n");
	assert_int_equal(result, WAS_NOT);
}

static void test_a_script_keeps_its_arguments(void **state)
{
	(void)state;
	char script[64];
	const char *arguments[] = {"script", NULL};
	int result;
	skip_unless_possible();
	assert_true(copy_program("/usr/bin/printenv", 04755));
	snprintf(script, sizeof(script), "%s/script", folder);
	FILE *file = fopen(script, "w");
	assert_non_null(file);
	fprintf(file, "#!%s ONE\n", program);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(script, 0755), 0);
	const char *environment[] = {"ONE=once", NULL};
	assert_string_equal(run(script, arguments, environment, &result), "once\n");
	assert_int_equal(result, WAS_NOT);
	unlink(script);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rights_are_given_back),
		cmocka_unit_test(test_arguments_and_environment_are_the_same),
		cmocka_unit_test(test_one_without_rights_is_left_alone),
		cmocka_unit_test(test_a_script_keeps_its_arguments),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
