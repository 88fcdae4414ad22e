/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/process-title.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/small-file.h"

#include <stdio.h>
#include <string.h>

#define SETTLED_NS    (2 * NS_PER_SEC)
#define FIRST_LOOK_NS (50 * NS_PER_MS)

static bool read_name(int proc_fd, char *name, size_t size)
{
	char raw[64];
	size_t length = small_file_read(proc_fd, "comm", raw, sizeof(raw));
	if (length > 0 && raw[length - 1] == '\n')
		length--;
	if (clean_text(name, size, raw, length) == 0)
		snprintf(name, size, "?");
	return length > 0;
}

static void read_command(int proc_fd, char *command)
{
	char text[CLEAN_MAX];
	command_line_read(proc_fd, text, sizeof(text));
	command_line_shorten(text, command, COMMAND_SHORT_MAX);
}

void process_title_begin(struct process_title *title, int proc_fd, uint64_t now_ns)
{
	title->since_ns = now_ns;
	title->due_ns = now_ns + FIRST_LOOK_NS;
	title->is_unread = !read_name(proc_fd, title->name, sizeof(title->name));
	read_command(proc_fd, title->command);
}

bool process_title_guess(struct process_title *title, const char *name)
{
	if (!title->is_unread || strcmp(title->name, name) == 0)
		return false;
	snprintf(title->name, sizeof(title->name), "%s", name);
	return true;
}

/* The older the process is, the rarer it is looked at, but every two seconds. */
bool process_title_refresh(struct process_title *title, int proc_fd, uint64_t now_ns)
{
	uint64_t age_ns = now_ns - title->since_ns;
	struct process_title now = *title;
	char command[COMMAND_SHORT_MAX];
	if (now_ns < title->due_ns)
		return false;
	now.due_ns = now_ns + (age_ns < SETTLED_NS ? age_ns : SETTLED_NS);
	read_command(proc_fd, command);
	if (age_ns < SETTLED_NS)
		read_name(proc_fd, now.name, sizeof(now.name));
	if (!command[0]) /* it ends, or is in the middle of an exec */
		;
	else if (age_ns < SETTLED_NS)
		memcpy(now.command, command, sizeof(command));
	else
		command_line_settle(now.command, sizeof(now.command), command);
	bool changed = strcmp(now.name, title->name) != 0 ||
		       strcmp(now.command, title->command) != 0;
	*title = now;
	return changed;
}
