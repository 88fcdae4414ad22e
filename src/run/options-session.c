/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options-session.h"

#include "src/base/clock.h"
#include "src/process/list/process-list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session_options options_session(const struct options *options)
{
	return (struct session_options){
		.pids = options->pids,
		.n_pids = options->n_pids,
		.command = options->launch,
		.children = options->children,
		.output_fd = -1,
		.output_read_fd = -1,
		.frequency_hz = options->frequency_hz,
		.stack_bytes = options->stack_bytes,
		.file_bytes = options->file_bytes,
		.limits = {.paused = options->max_overhead, .cpu = options->max_cpu},
		.engine = options->engine,
		.event = options->event,
		.restart_syscalls = !options->no_syscall_restart,
		.wall = options->wall,
		.kernel_stacks = options->kernel_stacks,
		.start_paused = options->start_paused,
		.lines_at_once = true,
		.debug_dirs = options->debug_dirs,
		.native = options->native,
		.source_maps = options->enable_source_maps,
		.unwind_by = options->unwind_by,
		.fetch = options->fetch,
		.lines = options->with_lines,
		.code = options->with_code,
	};
}

struct source_reader *options_source_reader(const struct options *options)
{
	const struct source_rules rules = {
		.dirs = options->source_dirs,
		.maps = options->source_maps,
		.n_maps = options->n_source_maps,
	};
	struct source_person person = source_rights_person(geteuid(), getenv);
	return source_reader_create(&rules, &person, options->fetch);
}

bool options_named_pids(
	const char *name, pid_t *pids, size_t most, size_t *found, struct error *err)
{
	struct process_list list = {0};
	process_list_read(&list, "/proc", clock_monotonic_ns());
	*found = 0;
	for (size_t i = 0; i < list.len; i++) {
		if (list.data[i].pid == getpid() ||
			!process_is_called(&list.data[i], name))
			continue;
		if (*found < most)
			pids[*found] = list.data[i].pid;
		++*found;
	}
	process_list_finish(&list);
	return *found > 0 || error_set(err,
				     "no process is called '%s': give -p PID (record and "
				     "the screen launch a command after '--')",
				     name);
}

bool options_targets(const struct options *options, pid_t pids[OPTIONS_PIDS_MAX],
	size_t *n, struct error *err)
{
	*n = options->n_pids;
	memcpy(pids, options->pids, sizeof(options->pids));
	if (!options->name)
		return true;
	if (!options_named_pids(options->name, pids, OPTIONS_PIDS_MAX, n, err))
		return false;
	return *n <= OPTIONS_PIDS_MAX ||
	       error_set(err, "%zu processes are called '%s', more than %d: give -p PID",
		       *n, options->name, OPTIONS_PIDS_MAX);
}
