/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/asleep.h"

#include "ptrace/capture.h"
#include "src/base/small-file.h"
#include "src/process/task.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TRIES = 3,	     /* copies until a thread stays asleep during one */
	LINE_BYTES = 256,    /* a line of /proc/TID/syscall has 180 at most */
	KERNEL_BYTES = 4096, /* the kernel shows at most 64 functions */
	/* Where a frame pointer is not known the unwinder may have to look for the frame, also
	   a little above the root. */
	BEYOND_ROOT = 1024,
};

static bool read_line(int fd, char line[LINE_BYTES])
{
	ssize_t length = pread(fd, line, LINE_BYTES - 1, 0);
	line[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* Read the kernel function that the thread waits in, if the number of the system call
   does not say it: there is no call, or it is restart_syscall, which continues an
   interrupted one. */
static void read_wchan(const struct target *target, pid_t tid, struct snapshot_call *call)
{
	memset(call->wchan, 0, sizeof(call->wchan));
	if (call->nr != -1 && call->nr != SYS_restart_syscall)
		return;
	char path[64];
	snprintf(path, sizeof(path), "%d/wchan", tid);
	small_file_read(target->task_dir_fd, path, call->wchan, sizeof(call->wchan));
	if (call->wchan[0] == '0')
		call->wchan[0] = '\0'; /* "0": the kernel does not tell */
}

void asleep_read_kernel(
	const struct target *target, pid_t tid, size_t stack_bytes, struct snapshot *slot)
{
	char path[64];
	size_t used = snapshot_native(slot);

	if (used + KERNEL_BYTES > stack_bytes)
		return;
	snprintf(path, sizeof(path), "%d/stack", tid);
	slot->kernel_length = (uint32_t)small_file_read(
		target->task_dir_fd, path, (char *)slot->stack + used, KERNEL_BYTES);
}

/* A lock is waited for with the value that it has while others wait, which is not 0; or by
   a call that is only for locks. Most other waits are for a word that is 0. */
static bool may_be_lock(const struct snapshot_call *call)
{
	int command = (int)call->args[1] & FUTEX_CMD_MASK;
	if (call->nr != SYS_futex)
		return false;
	return command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2 ||
	       ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) &&
		       (uint32_t)call->args[2] != 0);
}

void asleep_read_lock(const struct capture_memory *memory, struct snapshot_call *call)
{
	call->lock_length = 0;
	if (!may_be_lock(call))
		return;
	ssize_t got = capture_read(memory, call->lock, sizeof(call->lock), call->args[0]);
	call->lock_length = got > 0 ? (uint32_t)got : 0;
}

uint64_t asleep_thread_pointer(const struct capture_memory *memory, pid_t tid)
{
	uint64_t words[ARCH_RECORD_WORDS], list = 0;
	size_t length;
	if (syscall(SYS_get_robust_list, tid, &list, &length) != 0 || list == 0)
		return 0;
	uint64_t thread_pointer = list - ARCH_ROBUST_LIST;
	bool is_it = capture_read(memory, words, sizeof(words), thread_pointer) ==
			     (ssize_t)sizeof(words) &&
		     arch_is_thread_record(words, thread_pointer);
	return is_it ? thread_pointer : 0;
}

/* Read LINE from /proc/TID/syscall, and copy the thread by the stack pointer in it. */
static enum asleep_result copy_by_line(const struct capture_memory *memory,
	int syscall_fd, char task_state, size_t stack_bytes,
	const struct capture_habit *known, char line[LINE_BYTES], struct snapshot *slot)
{
	uint64_t sp, pc;
	if (!read_line(syscall_fd, line) ||
		!task_parse_syscall(line, &slot->call, &sp, &pc))
		return ASLEEP_AWAKE;
	slot->call.task_state = task_state;
	slot->call.lock_length = 0;
	slot->regset.size = 0;
	slot->known =
		(struct arch_registers){.known = arch_bit(arch_pc) | arch_bit(arch_sp)};
	slot->known.values[arch_pc] = pc;
	slot->known.values[arch_sp] = sp;
	/* vfork keeps its return address in one of these, because the child, which runs on the
	   same stack, overwrites it there. */
	if (slot->call.nr != -1)
		arch_set_arguments(&slot->known, slot->call.args);
	struct capture_habit habit = {
		.root = known->root, .beyond = BEYOND_ROOT, .reach = known->reach};
	return capture_stack_at(memory, sp, stack_bytes, &habit, slot) == CAPTURE_GONE
		       ? ASLEEP_NO_MEMORY
		       : ASLEEP_COPIED;
}

enum asleep_result asleep_glimpse(const struct capture_memory *memory, int syscall_fd,
	char task_state, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot)
{
	char line[LINE_BYTES];
	slot->call.wchan[0] = '\0';
	return copy_by_line(
		memory, syscall_fd, task_state, stack_bytes, habit, line, slot);
}

enum asleep_result asleep_copy(const struct target *target,
	const struct capture_memory *memory, pid_t tid, int syscall_fd, char task_state,
	size_t stack_bytes, const struct capture_habit *habit, struct snapshot *slot)
{
	for (int try = 0; try < TRIES; try++) {
		char before[LINE_BYTES], after[LINE_BYTES];
		enum asleep_result result = copy_by_line(
			memory, syscall_fd, task_state, stack_bytes, habit, before, slot);
		if (result != ASLEEP_COPIED)
			return result;
		read_wchan(target, tid, &slot->call);
		asleep_read_lock(memory, &slot->call);
		if (read_line(syscall_fd, after) && strcmp(before, after) == 0)
			return ASLEEP_COPIED;
	}
	return ASLEEP_AWAKE;
}
