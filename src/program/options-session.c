/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/options-session.h"

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
		.limits = {.paused = options->max_overhead, .cpu = options->max_cpu},
		.restart_syscalls = !options->no_syscall_restart,
		.wall = options->wall,
		.start_paused = options->start_paused,
		.lines_at_once = true,
		.debug_dirs = options->debug_dirs,
		.fetch = options->fetch,
		.perf_map = options->perf_map,
		.lines = options->lines,
	};
}
