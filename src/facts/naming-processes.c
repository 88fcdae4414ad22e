/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/naming-processes.h"

#include <stdbool.h>
#include <stdio.h>

const char *naming_processes_name(enum naming_processes processes)
{
	static const char *const names[NAMING_PROCESSES] = {
		[PROCESSES_BY_NAME] = "name",
		[PROCESSES_BY_COMMAND] = "command",
		[PROCESSES_BY_PID] = "process",
		[PROCESSES_AS_ONE] = "none",
	};
	return names[processes];
}

void naming_process(enum naming_processes by, const struct profile_process *process,
	char *out, size_t size)
{
	bool has_command = process->command[0] != '\0';
	switch (by) {
	case PROCESSES_BY_PID:
		snprintf(out, size, "%s-%d", process->name, (int)process->pid);
		break;
	case PROCESSES_BY_COMMAND:
		snprintf(out, size, "%s", has_command ? process->command : process->name);
		break;
	case PROCESSES_AS_ONE:
		out[0] = '\0';
		break;
	default:
		snprintf(out, size, "%s", process->name);
		break;
	}
}
