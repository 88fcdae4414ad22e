/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop push: send a folder of recordings to a store. */
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/write/push/push-loop.h"

#include <stdlib.h>
#include <unistd.h>

int command_push(const struct options *options)
{
	struct error err;
	struct push_plan plan = {
		.folder = options->files[0],
		.url = options->files[1],
		.headers = options->headers,
		.labels = options->labels,
		.n_labels = options->n_labels,
		.follow_fd = options->follow ? STDIN_FILENO : -1,
		.is_quiet = options->quiet,
	};
	return push_loop(&plan, &err) ? EXIT_SUCCESS : message_failure(&err);
}
