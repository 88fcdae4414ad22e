/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rescue: correct the result of system calls that a dead tracer was completing.
 *
 * The thread that makes such a call runs on, and would get the count of the rest as the
 * result. The next tracer finds the call in shared memory, stops the thread once more,
 * and sets the true result, if there is still time (ptrace/call/whole-call.h). Called
 * before anything else, on a thread of its own: if a stop does not come, because the
 * kernel holds the target's thread, that thread is detached when the calling thread ends.
 */
#ifndef CPROFTOP_PTRACE_RESCUE_H
#define CPROFTOP_PTRACE_RESCUE_H

#include "ptrace/tracer/control.h"

void rescue_calls(struct tracer_calls *calls);

#endif
