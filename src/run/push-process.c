/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/push-process.h"

#include "src/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
	VEC(char *) list;
};

static void add(struct words *words, const char *option, const char *value)
{
	vec_push(&words->list, mem_strdup(option));
	if (value)
		vec_push(&words->list, mem_strdup(value));
}

static void spell(struct words *words, const struct options *options)
{
	add(words, "cproftop", "push");
	add(words, "--follow", NULL);
	if (options->quiet)
		add(words, "-q", NULL);
	if (options->headers)
		add(words, "--headers", options->headers);
	for (size_t i = 0; i < options->n_labels; i++)
		add(words, "--label", options->labels[i]);
	add(words, "--", options->output);
	add(words, options->push, NULL);
	vec_push(&words->list, NULL);
}

/* A process group of its own, which Ctrl-C does not reach, and the signals of any other
   program. */
static void set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none;
	sigemptyset(&none);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

bool push_process_start(
	struct push_process *process, const struct options *options, struct error *err)
{
	int pipe_fds[2];
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t files;
	struct words words = {0};
	*process = (struct push_process){.pipe_fd = -1};
	if (!options->push)
		return true;
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return error_errno(err, errno, "--push: a pipe");
	spell(&words, options);
	set_attributes(&attributes);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, pipe_fds[0], STDIN_FILENO);
	int errnum = posix_spawn(&process->pid, "/proc/self/exe", &files, &attributes,
		words.list.data, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	vec_each (&words.list, word)
		free(*word);
	vec_free(&words.list);
	close(pipe_fds[0]);
	process->pipe_fd = pipe_fds[1];
	if (!errnum)
		return true;
	process->pid = 0;
	close(process->pipe_fd);
	return error_errno(err, errnum, "--push: cproftop push");
}

bool push_process_finish(struct push_process *process)
{
	int status = 0;
	if (!process->pid)
		return true;
	close(process->pipe_fd);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	process->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}
