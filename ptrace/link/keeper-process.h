/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper-process: the process of ptrace/link/keeper.h, and what main may ask it for.
 *
 * A wish counts only with the descriptors that belong to it. The keeper ends when main does,
 * whoever else has its socket. Private to ptrace/link.
 */
#ifndef CPROFTOP_PTRACE_KEEPER_PROCESS_H
#define CPROFTOP_PTRACE_KEEPER_PROCESS_H

#include "ptrace/link/keeper-terminal.h"
#include "ptrace/tracer/control.h"

enum wish_kind {
	WISH_FORK,     /* fds[0]: the tracer's end of the socket */
	WISH_TERMINAL, /* fds[0], fds[1]: in and out */
	WISH_RELEASE,
	WISH_PIPE, /* fds[0] */
	WISH_KINDS
};

struct wish {
	enum wish_kind kind;
	struct keeper_terminal terminal; /* of WISH_TERMINAL */
};

enum {
	WISH_FDS = 2,
};

/* In a child of MAIN's that was just forked: serve what comes over SOCKET. */
_Noreturn void keeper_main(int socket, struct tracer_control *control,
	const struct tracer_options *options, pid_t main);

#endif
