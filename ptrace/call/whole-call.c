/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/whole-call.h"

#include "ptrace/capture.h"
#include "ptrace/signals-waiting.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

enum {
	/* The kernel's own errors, include/linux/errno.h: they ask for a restart, and
	   never reach user space. */
	ERESTARTSYS = 512,
	ERESTARTNOINTR = 513,
	ERESTART_RESTARTBLOCK = 516,

	/* Tries in a row that do nothing, before the call is given up as it is: each
	   ignored signal makes one, while the peer of the call has no CPU, perhaps. */
	FRUITLESS_MAX = 1000,
};

static bool asks_for_restart(int64_t result)
{
	return result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK;
}

static bool is_again(const struct whole_call *whole)
{
	return whole->rest.rule->shape == CALL_AGAIN;
}

/* Functions below that return a bool return whether the thread runs, for
   whole_call_step. */

/* Resume the thread to its next stop, which may be at the entry or the exit of a call. */
static bool run(const struct whole_call *whole, int signal_number)
{
	return !whole->leaving &&
	       ptrace(PTRACE_SYSCALL, whole->rest.tid, NULL, (long)signal_number) == 0;
}

/* Set the registers as the first call left them, with RESULT as the result. */
static bool finish(struct whole_call *whole, int64_t result)
{
	struct arch_regset regset = whole->as_it_left;
	arch_set_call_result(&regset, result);
	if (whole->in_kernel) /* stopped at its entry: do not make the call */
		arch_forget_call(&regset);
	capture_set_registers(whole->rest.tid, &regset);
	whole->is_asked = false;
	return false;
}

/* Nothing more will be done: the result is what was done, or the error if that is
   nothing. */
static bool finish_so_far(struct whole_call *whole)
{
	return finish(whole, whole->rest.done ? (int64_t)whole->rest.done
					      : arch_call_result(&whole->as_it_left));
}

/* As finish_so_far, when the call that was asked for has not been made. */
static bool stop_here(struct whole_call *whole)
{
	/* If it is the original call once more, the kernel may start it again. */
	if (whole->leaving && is_again(whole))
		return false;
	return finish_so_far(whole);
}

/* Have the thread make the next call of the rest, after it was given SIGNAL_NUMBER. */
static bool ask(struct whole_call *whole, int signal_number)
{
	struct arch_regset regset = whole->as_it_left;
	arch_ask_call(&regset, &whole->rest.next);
	whole->asked[whole->asks++ % 2] =
		(struct whole_call_asked){whole->rest.next, whole->rest.done};
	whole->in_kernel = false;
	whole->is_asked = !is_again(whole);
	return (capture_set_registers(whole->rest.tid, &regset) &&
		       run(whole, signal_number)) ||
	       stop_here(whole);
}

static bool is_unheard(pid_t tid, int signal_number)
{
	struct signals_waiting waiting = signals_waiting_look(tid);
	return waiting.unheard >> (signal_number - 1) & 1;
}

/* Is the stop caused by us, or by a signal that would have been dropped without us? */
static bool is_cut_by_us(pid_t tid, struct tracee_status status)
{
	return status.event == TRACEE_STOPPED ||
	       (status.event == TRACEE_SIGNAL && is_unheard(tid, status.signal));
}

bool whole_call_begin(struct whole_call *whole, pid_t tid, struct tracee_status status,
	const struct arch_regset *regset)
{
	whole->is_asked = false;
	whole->asked[0].call.number = whole->asked[1].call.number = -1;
	if (!call_rest_find(&whole->rest, tid, regset) || !is_cut_by_us(tid, status))
		return false;
	/* To distinguish a stop at a call from a SIGTRAP of the program. Also, if we die
	   in such a stop, the kernel sends the thread the stop's number as a signal: with
	   this option there is no such signal; without it, SIGTRAP would kill the program
	   (ptrace_report_syscall, include/linux/ptrace.h). */
	if (ptrace(PTRACE_SETOPTIONS, tid, NULL, PTRACE_O_TRACESYSGOOD) != 0)
		return false;
	whole->as_it_left = *regset;
	whole->leaving = false;
	whole->fruitless = 0;
	return ask(whole, status.signal);
}

void whole_call_leave(struct whole_call *whole)
{
	whole->leaving = true;
	ptrace(PTRACE_INTERRUPT, whole->rest.tid, NULL, NULL);
}

/* --- its stops --------------------------------------------------------------------- */

/* Will a signal that the program notices be delivered? Then it has ended the rest. */
static bool is_ended_by_signal(const struct signals_waiting *waiting)
{
	return waiting->pending & ~waiting->unheard;
}

/* The rest came back short: should the thread ask again? Without a pending signal it
   ended by itself (the end of a file, a time limit of the socket), so no; unless it asks
   for a restart (ASKS), which means that only an ignored signal came between. */
static bool is_worth_a_try(struct whole_call *whole, bool asks)
{
	struct signals_waiting waiting = signals_waiting_look(whole->rest.tid);
	return !is_ended_by_signal(&waiting) && (asks || waiting.pending) &&
	       ++whole->fruitless <= FRUITLESS_MAX;
}

/* A call of shape CALL_AGAIN has returned. If ignored signals make it fail again and
   again, or if we must leave, let the kernel start it again after we have detached, when
   such signals are dropped. */
static bool again_is_done(struct whole_call *whole, int64_t result)
{
	if (call_was_cut(whole->rest.rule, result, 0)) {
		struct signals_waiting waiting = signals_waiting_look(whole->rest.tid);
		bool unheard = waiting.pending && !is_ended_by_signal(&waiting);
		if (unheard && !whole->leaving && ++whole->fruitless <= FRUITLESS_MAX)
			return ask(whole, 0);
		if (unheard || (whole->leaving && !waiting.pending))
			result = -ERESTARTNOINTR;
	}
	return finish(whole, result);
}

/* A call of shape CALL_WAIT has waited once more. An error of the wait is not seen by who
   has submitted something (io_uring_enter, io_uring/io_uring.c). */
static bool wait_is_done(struct whole_call *whole, int64_t result)
{
	bool may_be_cut = result == 0 || result == -EINTR;
	if (may_be_cut && is_worth_a_try(whole, false) && call_rest_waits(&whole->rest))
		return ask(whole, 0);
	return may_be_cut || whole->rest.done > 0 ? finish_so_far(whole)
						  : finish(whole, result);
}

static bool rest_is_done(struct whole_call *whole, int64_t result)
{
	if (is_again(whole))
		return again_is_done(whole, result);
	if (whole->rest.rule->shape == CALL_WAIT)
		return wait_is_done(whole, result);
	bool more;
	if (result < 0) {
		more = asks_for_restart(result) && is_worth_a_try(whole, true);
	} else {
		bool is_short = (uint64_t)result < call_rest_asked(&whole->rest);
		if (result > 0)
			whole->fruitless = 0;
		more = call_rest_advance(&whole->rest, (uint64_t)result);
		if (more && is_short)
			more = result > 0 && is_worth_a_try(whole, false);
	}
	return more ? ask(whole, 0) : finish_so_far(whole);
}

bool whole_call_step(struct whole_call *whole, struct tracee_status status)
{
	struct arch_regset regset;
	bool runs = false;
	switch (status.event) {
	case TRACEE_CALL:
		whole->in_kernel = !whole->in_kernel;
		if (!whole->in_kernel && capture_registers(whole->rest.tid, &regset))
			return rest_is_done(whole, arch_call_result(&regset));
		runs = whole->in_kernel && run(whole, 0);
		break;
	case TRACEE_STOPPED:
		runs = run(whole, 0);
		break;
	case TRACEE_SIGNAL:
		runs = is_unheard(whole->rest.tid, status.signal) &&
		       run(whole, status.signal);
		break;
	default:
		break;
	}
	return runs || stop_here(whole);
}

/* --- after the death of a tracer --------------------------------------------------- */

static bool is_same_call(const struct arch_call *a, const struct arch_call *b)
{
	return a->number == b->number &&
	       memcmp(a->arguments, b->arguments, sizeof(a->arguments)) == 0;
}

/* Is the thread, with registers REGSET, still in the call ASKED? If so, *DONE is all that
   was done. */
static bool is_in(const struct whole_call *whole, const struct whole_call_asked *asked,
	const struct arch_regset *regset, uint64_t *done)
{
	struct arch_regset before = whole->as_it_left;
	struct arch_call call;
	arch_ask_call(&before, &asked->call);
	*done = asked->done;
	if (memcmp(regset->bytes, before.bytes, regset->size) == 0)
		return true;
	if (!arch_left_call(regset, &call) || !is_same_call(&call, &asked->call) ||
		arch_call_address(regset) != arch_call_address(&whole->as_it_left))
		return false;
	int64_t result = arch_call_result(regset);
	*done += result > 0 ? (uint64_t)result : 0;
	return true;
}

bool whole_call_rescue(struct whole_call *whole, const struct arch_regset *regset)
{
	uint64_t done;
	bool is_late = !whole->is_asked ||
		       (!is_in(whole, &whole->asked[0], regset, &done) &&
			       !is_in(whole, &whole->asked[1], regset, &done));
	whole->is_asked = whole->in_kernel = false;
	if (is_late)
		return false;
	whole->rest.done = done;
	finish_so_far(whole);
	return true;
}
