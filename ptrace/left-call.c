/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/left-call.h"

#include "ptrace/signals-waiting.h"
#include "src/base/small-file.h"
#include "src/process/memory.h"
#include "src/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
	NO_CALL = -1,
};

static bool read_memory(pid_t tid, uint64_t address, void *out, size_t length)
{
	return memory_read(memory_by_calls(tid), out, length, address) == (ssize_t)length;
}

static bool is_behind_call(pid_t tid, const struct arch_regset *regset)
{
	unsigned char code[ARCH_CALL_BYTES];
	return read_memory(tid, arch_call_address(regset), code, sizeof(code)) &&
	       arch_is_call(code);
}

static bool is_behind_handler(pid_t tid, const struct arch_regset *regset)
{
	unsigned char context[ARCH_SIGNAL_CONTEXT_BYTES];
	struct arch_registers now, saved;
	uint64_t place = arch_left_handler(regset);
	if (place == 0)
		return true; /* perhaps */
	if (!arch_decode_regset(regset, &now) ||
		!read_memory(tid, place, context, sizeof(context)))
		return false;
	arch_decode_signal_context(context, &saved);
	return memcmp(saved.values, now.values, sizeof(now.values)) == 0;
}

/* The signal, as a set, that this stop is about; 0: it is another one, by an interrupt or at a call. */
static uint64_t given_signal(pid_t tid)
{
	siginfo_t info;
	bool is_signal = ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
			 info.si_code >> 8 != PTRACE_EVENT_STOP &&
			 info.si_code != (SIGTRAP | 0x80);
	return is_signal ? UINT64_C(1) << (info.si_signo - 1) : 0;
}

static bool is_ended_by_signal(pid_t tid, const struct arch_regset *regset)
{
	if (arch_call_result(regset) != -EINTR)
		return false;
	struct signals_waiting waiting = signals_waiting_look(tid);
	return (waiting.pending | given_signal(tid)) & ~waiting.unheard;
}

/* The number that the kernel shows; NO_CALL: it is in none. */
static int number_shown(pid_t tid)
{
	int number = NO_CALL;
	struct iovec io = {&number, sizeof(number)};
	if (ARCH_CALL_NOTE != 0)
		ptrace(PTRACE_GETREGSET, tid, (long)ARCH_CALL_NOTE, &io);
	return number;
}

/* Where there is no note for it, the number is the one in the registers. */
static bool set_number(pid_t tid, int number)
{
	struct iovec io = {&number, sizeof(number)};
	return ARCH_CALL_NOTE == 0 ||
	       ptrace(PTRACE_SETREGSET, tid, (long)ARCH_CALL_NOTE, &io) == 0;
}

static bool read_call(pid_t tid, struct arch_call *call)
{
	char path[32], line[256];
	struct snapshot_call shown = {.nr = NO_CALL};
	uint64_t sp, pc;
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	small_file_read(AT_FDCWD, path, line, sizeof(line));
	if (!task_parse_syscall(line, &shown, &sp, &pc) || shown.nr < 0)
		return false;
	call->number = (long)shown.nr;
	memcpy(call->arguments, shown.args, sizeof(call->arguments));
	return true;
}

bool left_call_forget(pid_t tid)
{
	return set_number(tid, NO_CALL);
}

static bool find(
	pid_t tid, const struct arch_regset *regset, long number, struct arch_call *call)
{
	bool is_shown = number_shown(tid) != NO_CALL; /* as in a stop at its end */
	if (!is_shown &&
		(!is_behind_call(tid, regset) || is_behind_handler(tid, regset) ||
			is_ended_by_signal(tid, regset) || !set_number(tid, (int)number)))
		return false;
	bool is_told =
		read_call(tid, call) &&
		(is_shown || call->arguments[0] != (uint64_t)arch_call_result(regset));
	if (!is_shown)
		left_call_forget(tid);
	return is_told;
}

void left_call_find(pid_t tid, struct arch_regset *regset)
{
	struct arch_call call;
	long number;
	if (arch_hides_call(regset, &number))
		arch_reveal_call(regset, find(tid, regset, number, &call) ? &call : NULL);
}
