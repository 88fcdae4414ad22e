/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/whole-call.h"

#include "ptrace/call/signals-waiting.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	/* The kernel's own errors, include/linux/errno.h: they ask for a restart, and
	   never reach user space. */
	ERESTARTSYS = 512,
	ERESTARTNOINTR = 513,
	ERESTART_RESTARTBLOCK = 516,

	FRUITLESS_MAX = 16,
};

static bool asks_for_restart(int64_t result)
{
	return result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK;
}

static bool set_registers(pid_t tid, struct arch_regset *regset)
{
	struct iovec io = {regset->bytes, regset->size};
	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io) == 0;
}

static bool get_registers(pid_t tid, struct arch_regset *regset)
{
	struct iovec io = {regset->bytes, sizeof(regset->bytes)};
	bool got = ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) == 0;
	regset->size = io.iov_len;
	return got;
}

/* To the next stop, which may be at the entry or the exit of a call. */
static bool run(const struct whole_call *whole, int signal_number)
{
	return !whole->leaving &&
	       ptrace(PTRACE_SYSCALL, whole->tid, NULL, (long)signal_number) == 0;
}

/* The program finds what the first call left behind, with RESULT. Returns false, for what
   whole_call_step returns then. */
static bool finish(struct whole_call *whole, int64_t result)
{
	struct arch_regset regset = whole->as_it_left;
	arch_set_call_result(&regset, result);
	if (whole->in_kernel) /* at its entry, which is as far as it gets */
		arch_forget_call(&regset);
	set_registers(whole->tid, &regset);
	whole->is_asked = false;
	return false;
}

/* What the program is to be told if there is no more to come: the part; or the error of
   the first call, if it did nothing. */
static int64_t so_far(const struct whole_call *whole)
{
	return whole->done ? (int64_t)whole->done : arch_call_result(&whole->as_it_left);
}

/* Before the rest that was asked for is made, or where it was cut again. */
static bool stop_here(struct whole_call *whole)
{
	/* The same call once more: what was asked for is what the program wants. */
	if (whole->leaving && whole->rule->shape == CALL_AGAIN)
		return false;
	return finish(whole, so_far(whole));
}

void whole_call_leave(struct whole_call *whole)
{
	whole->leaving = true;
	ptrace(PTRACE_INTERRUPT, whole->tid, NULL, NULL);
}

/* Have the thread make the call that is the rest, after it was given SIGNAL_NUMBER. */
static bool ask(struct whole_call *whole, int signal_number)
{
	struct arch_regset regset = whole->as_it_left;
	arch_ask_call(&regset, &whole->rest);
	whole->in_kernel = false;
	whole->is_asked = whole->rule->shape != CALL_AGAIN;
	return (set_registers(whole->tid, &regset) && run(whole, signal_number)) ||
	       stop_here(whole);
}

/* The rest, as one call: of a vector only to the end of the piece that it stands in. A
   vector cannot be asked for with a piece cut off, since its entries lie in the memory of
   the program, and nothing is written there. */
static void choose_rest(struct whole_call *whole)
{
	if (whole->rule->shape == CALL_VECTOR || whole->rule->shape == CALL_MESSAGE) {
		uint64_t length = whole->vector.length;
		whole->rest = call_piece(whole->rule, &whole->call, whole->done,
			whole->vector.piece, length < whole->left ? length : whole->left);
	} else {
		whole->rest = whole->call;
		if (whole->rule->shape == CALL_SPAN)
			call_advance(whole->rule, &whole->rest, whole->done);
	}
	call_without_sigpipe(&whole->rest, whole->kind, !whole->filtered);
}

/* Some of the rest is done: go there. False if there is nothing more to ask for. */
static bool advance(struct whole_call *whole, uint64_t done)
{
	whole->done += done;
	whole->left -= done < whole->left ? done : whole->left;
	if (whole->left == 0)
		return false;
	return whole->rule->shape == CALL_SPAN ||
	       call_vector_advance(&whole->vector, whole->mem_fd, done);
}

static bool is_unheard(pid_t tid, int signal_number)
{
	struct signals_waiting waiting = signals_waiting_look(tid);
	return waiting.unheard >> (signal_number - 1) & 1;
}

/* --- was it cut?
 * ------------------------------------------------------------------------- */

/* How much the call asked for; and go to the beginning. */
static bool find_extent(struct whole_call *whole, uint64_t *asked, bool *control)
{
	const struct call_rule *rule = whole->rule;
	if (rule->shape == CALL_AGAIN)
		return true;
	if (rule->shape == CALL_SPAN) {
		*asked = call_asked(rule, &whole->call);
		return true;
	}
	uint64_t entries = call_argument(&whole->call, rule->pointer), count = 0;
	if (rule->shape == CALL_VECTOR)
		count = call_argument(&whole->call, rule->count);
	else if (!call_vector_of_message(
			 whole->mem_fd, entries, &entries, &count, control))
		return false;
	if (!call_vector_begin(&whole->vector, whole->mem_fd, entries, count) ||
		!call_vector_total(&whole->vector, whole->mem_fd, asked))
		return false;
	if (*asked > CALL_MOST_BYTES)
		*asked = CALL_MOST_BYTES;
	return true;
}

/* Is its descriptor such that the call is never short by itself? */
static bool has_its_descriptor(struct whole_call *whole, bool control)
{
	const struct call_rule *rule = whole->rule;
	if (rule->kinds == 0)
		return true;
	struct descriptor found = descriptor_look(whole->tid,
		(int)call_argument(&whole->call, rule->descriptor), rule->kinds);
	whole->kind = found.kind;
	if (!(found.kind & rule->kinds) || !found.blocks)
		return false;
	/* Sent to a unix socket, control data went with the first byte. To others it may
	   say what the bytes are; and for what is received there has to be room. */
	bool sends = rule->number == SYS_sendmsg && found.kind == DESCRIPTOR_UNIX_STREAM;
	return !control || sends;
}

/* May the thread make the calls that the rest needs? A filter may kill it for another
   one, and cannot be asked. */
static bool may_be_asked(struct whole_call *whole)
{
	unsigned char code[ARCH_CALL_BYTES];
	if (pread(whole->mem_fd, code, sizeof(code),
		    (off_t)arch_call_address(&whole->as_it_left)) != sizeof(code) ||
		!arch_is_call(code))
		return false;
	long piece = whole->rule->piece;
	if (piece != 0 || whole->rule->number == SYS_write)
		whole->filtered = signals_waiting_look(whole->tid).filtered;
	return !whole->filtered || piece == 0;
}

/* Is it stopped by us, or by a signal that would not be there without us? */
static bool is_cut_by_us(pid_t tid, struct tracee_status status)
{
	return status.event == TRACEE_STOPPED ||
	       (status.event == TRACEE_SIGNAL && is_unheard(tid, status.signal));
}

bool whole_call_begin(struct whole_call *whole, pid_t tid, int mem_fd,
	struct tracee_status status, const struct arch_regset *regset)
{
	*whole = (struct whole_call){.tid = tid, .mem_fd = mem_fd, .as_it_left = *regset};
	if (!arch_left_call(regset, &whole->call))
		return false;
	whole->rule = call_rule_find(&whole->call);
	int64_t result = arch_call_result(regset);
	uint64_t asked = 0;
	bool control = false;
	/* Nearly all end here: whether it was cut at all is looked at before the rest,
	   and again when it is known how much was asked for. */
	if (!whole->rule || !call_was_cut(whole->rule, result, CALL_MOST_BYTES) ||
		!find_extent(whole, &asked, &control) ||
		!call_was_cut(whole->rule, result, asked) || !is_cut_by_us(tid, status) ||
		!has_its_descriptor(whole, control) || !may_be_asked(whole))
		return false;
	whole->left = asked;
	if (whole->rule->shape != CALL_AGAIN && !advance(whole, (uint64_t)result))
		return false;
	/* So that a stop at a call is not taken for a SIGTRAP of the program's own; and
	   if we die in one, the kernel makes a signal of its number, which this option
	   turns into one that does not exist. Without it the program would be killed
	   (ptrace_report_syscall, include/linux/ptrace.h). */
	if (ptrace(PTRACE_SETOPTIONS, tid, NULL, PTRACE_O_TRACESYSGOOD) != 0)
		return false;
	choose_rest(whole);
	return ask(whole, status.signal);
}

/* --- its stops
 * --------------------------------------------------------------------------- */

/* Did a signal end the rest that the program hears? */
static bool is_ended_by_signal(const struct signals_waiting *waiting)
{
	return waiting->pending & ~waiting->unheard;
}

/* It came back from another try. One that no signal explains is ended by itself: at the
   end of a file, by a time limit of the socket's. But one that asks to be restarted only
   happened to be asked at a bad time. */
static bool is_worth_a_try(struct whole_call *whole, bool asks)
{
	struct signals_waiting waiting = signals_waiting_look(whole->tid);
	return !is_ended_by_signal(&waiting) && (asks || waiting.pending) &&
	       ++whole->fruitless <= FRUITLESS_MAX;
}

/* A call that does nothing when it fails. If signals that nobody hears make it fail again
   and again, it is let go of: they are dropped then, and the kernel starts it again. So
   it does when we have to leave. */
static bool again_is_done(struct whole_call *whole, int64_t result)
{
	if (call_was_cut(whole->rule, result, 0)) {
		struct signals_waiting waiting = signals_waiting_look(whole->tid);
		bool unheard = waiting.pending && !is_ended_by_signal(&waiting);
		if (unheard && !whole->leaving && ++whole->fruitless <= FRUITLESS_MAX)
			return ask(whole, 0);
		if (unheard || (whole->leaving && !waiting.pending))
			result = -ERESTARTNOINTR;
	}
	return finish(whole, result);
}

static bool rest_is_done(struct whole_call *whole, int64_t result)
{
	whole->is_asked = false;
	if (whole->rule->shape == CALL_AGAIN)
		return again_is_done(whole, result);
	if (result < 0) {
		if (asks_for_restart(result) && is_worth_a_try(whole, true))
			return ask(whole, 0);
		return finish(whole, so_far(whole));
	}
	const struct call_rule *rule = call_rule_of_number(whole->rest.number);
	bool is_short = (uint64_t)result < call_asked(rule, &whole->rest);
	if (result > 0)
		whole->fruitless = 0;
	if (!advance(whole, (uint64_t)result))
		return finish(whole, so_far(whole));
	if (is_short && (result == 0 || !is_worth_a_try(whole, false)))
		return finish(whole, so_far(whole));
	choose_rest(whole);
	return ask(whole, 0);
}

bool whole_call_step(struct whole_call *whole, struct tracee_status status)
{
	struct arch_regset regset;
	bool runs = false;
	switch (status.event) {
	case TRACEE_CALL:
		whole->in_kernel = !whole->in_kernel;
		if (!whole->in_kernel && get_registers(whole->tid, &regset))
			return rest_is_done(whole, arch_call_result(&regset));
		runs = whole->in_kernel && run(whole, 0);
		break;
	case TRACEE_STOPPED:
		runs = run(whole, 0);
		break;
	case TRACEE_SIGNAL:
		runs = is_unheard(whole->tid, status.signal) && run(whole, status.signal);
		break;
	default:
		break;
	}
	return runs || stop_here(whole);
}

/* --- after the death of a tracer
 * --------------------------------------------------------- */

static bool is_same_call(const struct arch_call *a, const struct arch_call *b)
{
	return a->number == b->number &&
	       memcmp(a->arguments, b->arguments, sizeof(a->arguments)) == 0;
}

bool whole_call_rescue(struct whole_call *whole, const struct arch_regset *regset)
{
	if (!whole->is_asked)
		return false;
	whole->is_asked = whole->in_kernel = false;
	struct arch_regset asked = whole->as_it_left;
	arch_ask_call(&asked, &whole->rest);
	struct arch_call call;
	if (arch_left_call(regset, &call) && is_same_call(&call, &whole->rest) &&
		arch_call_address(regset) == arch_call_address(&whole->as_it_left)) {
		int64_t result = arch_call_result(regset);
		whole->done += result > 0 ? (uint64_t)result : 0;
	} else if (memcmp(regset->bytes, asked.bytes, sizeof(asked.bytes)) != 0) {
		return false;
	}
	finish(whole, so_far(whole));
	return true;
}
