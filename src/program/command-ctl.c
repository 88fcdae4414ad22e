/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop ctl: tell a running recording to start, to stop, to mark this instant, or to write
   what it has; or a live screen. */
#include "src/control/control.h"
#include "src/program/command.h"
#include "src/program/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "mark load test begins": all that is left is its text. */
static bool spell_mark(const struct options *options, char *request, struct error *err)
{
	size_t used = 0;
	for (size_t i = 0; i < options->n_files && used < CONTROL_TEXT_MAX; i++)
		used += (size_t)snprintf(request + used, CONTROL_TEXT_MAX - used, "%s%s",
			i ? " " : "", options->files[i]);
	return used < CONTROL_TEXT_MAX || error_set(err, "mark: the text is too long");
}

/* "stop", or "snapshot /path": the recording may be in another folder. */
static bool spell(const struct options *options, char *request, struct error *err)
{
	const char *word = options->files[0],
		   *path = options->n_files > 1 ? options->files[1] : NULL;
	char here[CONTROL_TEXT_MAX / 2] = "";
	if (strcmp(word, "mark") == 0)
		return spell_mark(options, request, err);
	if (path && path[0] != '/' && !getcwd(here, sizeof(here)))
		return error_errno(err, errno, "this folder");
	int length = snprintf(request, CONTROL_TEXT_MAX, "%s%s%s%s%s", word,
		path ? " " : "", here, here[0] ? "/" : "", path ? path : "");
	return length < CONTROL_TEXT_MAX ||
	       error_set(err, "%s: the path is too long", path);
}

int command_ctl(const struct options *options)
{
	char request[CONTROL_TEXT_MAX], answer[CONTROL_TEXT_MAX];
	struct error err;
	pid_t pid = options->n_pids ? options->pids[0] : 0;
	if (!spell(options, request, &err) ||
		!control_ask(getenv("XDG_RUNTIME_DIR"), pid, request, answer, &err))
		return message_failure(&err);
	puts(answer);
	return EXIT_SUCCESS;
}
