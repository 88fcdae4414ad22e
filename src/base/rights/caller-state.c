/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/caller-state.h"

#include <signal.h>
#include <stddef.h>

struct caller_state caller_state_read(void)
{
	struct caller_state state = {.has_core = false};
	state.has_core = getrlimit(RLIMIT_CORE, &state.core) == 0;
	state.has_files = getrlimit(RLIMIT_NOFILE, &state.files) == 0;
	return state;
}

void caller_state_leave(void)
{
	struct caller_state state = caller_state_read();
	if (state.has_core && state.core.rlim_max > 0) {
		state.core.rlim_cur = 1;
		setrlimit(RLIMIT_CORE, &state.core);
	}
	if (state.has_files) {
		state.files.rlim_cur = state.files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &state.files);
	}
}

void caller_state_return(const struct caller_state *state)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (state && state->has_core)
		setrlimit(RLIMIT_CORE, &state->core);
	if (state && state->has_files)
		setrlimit(RLIMIT_NOFILE, &state->files);
}
