/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/task.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"
#include "src/base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of stat (proc(5)). */
enum {
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_START = 22,
	FIELD_STACK = 28,
	FIELD_CPU = 39,
	FIELD_RT_PRIORITY = 40,
};

/* A decimal number at *TEXT, which moves behind it. */
static bool take_digits(const char **text, const char *end, uint64_t *value)
{
	const char *at = *text;
	*value = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		*value = *value * 10 + (uint64_t)(*at - '0');
	bool any = at > *text;
	*text = at;
	return any;
}

bool task_parse_stat(const char *text, size_t length, struct task_stat *out)
{
	/* "1234 (comm) S 1 ...": comm may hold spaces and parentheses, so it ends at the
	   last one. */
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	if (!open || !close || close < open || close + 2 >= text + length)
		return false;
	*out = (struct task_stat){0};
	size_t name = (size_t)(close - open - 1);
	memcpy(out->name, open + 1,
		name < sizeof(out->name) ? name : sizeof(out->name) - 1);

	/* Read at every instant, so without sscanf, which took 10 % of it. */
	const char *at = close + 2, *end = text + length;
	out->state = *at++;
	for (int field = 4; field <= FIELD_RT_PRIORITY; field++) {
		uint64_t value;
		at += at < end; /* the blank before it */
		bool negative = at < end && *at == '-';
		at += negative;
		if (!take_digits(&at, end, &value))
			return false;
		if (field == FIELD_PARENT)
			out->parent = (pid_t)value;
		else if (field == FIELD_FLAGS)
			out->flags = (unsigned)value;
		else if (field == FIELD_START)
			out->start_ticks = value;
		else if (field == FIELD_STACK)
			out->stack_start = value;
		else if (field == FIELD_CPU)
			out->cpu = (int)value;
		else if (field == FIELD_RT_PRIORITY)
			out->rt_priority = (unsigned)value;
	}
	return true;
}

bool task_parse_account(const char *text, size_t length, struct task_account *out)
{
	const char *end = text + length;
	uint64_t *const numbers[] = {&out->cpu_ns, &out->delay_ns, &out->slices};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		text += i > 0 && text < end; /* the blank before it */
		if (!take_digits(&text, end, numbers[i]))
			return false;
	}
	return true;
}

bool task_parse_syscall(
	const char *text, struct snapshot_call *call, uint64_t *sp, uint64_t *pc)
{
	uint64_t *a = call->args;
	if (sscanf(text,
		    "%d 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64
		    " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64,
		    &call->nr, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], sp, pc) == 9)
		return call->nr >= 0;
	memset(a, 0, sizeof(call->args));
	return sscanf(text, "%d 0x%" SCNx64 " 0x%" SCNx64, &call->nr, sp, pc) == 3 &&
	       call->nr == -1;
}

uint64_t task_parse_exec_start(const char *sched)
{
	const char *key = strstr(sched, "se.exec_start");
	const char *colon = key ? strchr(key, ':') : NULL;
	uint64_t ms = 0, fraction = 0;
	if (!colon || sscanf(colon + 1, " %" SCNu64 ".%6" SCNu64, &ms, &fraction) != 2)
		return 0;
	return ms * NS_PER_MS + fraction;
}

bool task_read_stat(int fd, struct task_stat *out)
{
	char text[1024];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return task_parse_stat(text, (size_t)length, out);
}

bool task_read_account(int fd, struct task_account *out)
{
	char text[128];
	ssize_t length = pread(fd, text, sizeof(text), 0);
	return length > 0 && task_parse_account(text, (size_t)length, out);
}

uint64_t task_read_exec_start(int fd)
{
	char text[512]; /* enough for the first value */
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	return task_parse_exec_start(text);
}

bool task_stat_at(int dir_fd, const char *path, struct task_stat *out)
{
	int fd = ask_opener_open(dir_fd, path, O_RDONLY | O_CLOEXEC);
	bool read = fd >= 0 && task_read_stat(fd, out);
	if (fd >= 0)
		close(fd);
	return read;
}

enum task_wait task_parse_wait(const char *wchan)
{
	static const struct {
		const char *part; /* of the names that versions of the kernel have had */
		enum task_wait wait;
	} functions[] = {
		{"futex", TASK_WAITS_LOCK},
		{"flock", TASK_WAITS_LOCK},
		{"posix_lock", TASK_WAITS_LOCK},
		{"pipe", TASK_WAITS_PIPE},
		{"nanosleep", TASK_SLEEPS},
		{"do_wait", TASK_WAITS_CHILD},
		{"poll", TASK_WAITS_NETWORK},
		{"select", TASK_WAITS_NETWORK},
		{"cqring_wait", TASK_WAITS_NETWORK},
		{"sk_", TASK_WAITS_NETWORK},
		{"skb_", TASK_WAITS_NETWORK},
		{"unix_", TASK_WAITS_NETWORK},
		{"tcp_", TASK_WAITS_NETWORK},
		{"wait_woken", TASK_WAITS_NETWORK},
		{"io_schedule", TASK_WAITS_DISK},
		{"folio_wait", TASK_WAITS_DISK},
		{"wait_on_page", TASK_WAITS_DISK},
		{"bit_wait_io", TASK_WAITS_DISK},
		{"blk", TASK_WAITS_DISK},
		{"submit_bio", TASK_WAITS_DISK},
		{"iomap", TASK_WAITS_DISK},
		{"ext4", TASK_WAITS_DISK},
		{"xfs", TASK_WAITS_DISK},
		{"btrfs", TASK_WAITS_DISK},
		{"jbd2", TASK_WAITS_DISK},
		{"log_wait_commit", TASK_WAITS_DISK},
		{"balance_dirty", TASK_WAITS_DISK},
	};

	if (!wchan[0] || strcmp(wchan, "0") == 0)
		return TASK_RUNS;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strstr(wchan, functions[i].part))
			return functions[i].wait;
	return TASK_WAITS_OTHER;
}

static const char *read_task_file(
	int dir_fd, pid_t tid, const char *file, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "task/%d/%s", (int)tid, file);
	int fd = ask_opener_open(dir_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return text;
}

enum task_wait task_wait_at(int dir_fd, pid_t tid)
{
	char text[256];
	uint64_t sp, pc;
	struct snapshot_call call = {.nr = -1};
	enum task_wait wait =
		task_parse_wait(read_task_file(dir_fd, tid, "wchan", text, sizeof(text)));

	if (wait == TASK_WAITS_LOCK &&
		task_parse_syscall(
			read_task_file(dir_fd, tid, "syscall", text, sizeof(text)), &call,
			&sp, &pc) &&
		call.nr == SYS_futex &&
		(call.args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
		return TASK_WAITS_WORK;
	return wait;
}

char task_state(pid_t tid)
{
	char path[64];
	struct task_stat stat = {0};
	/* Not /proc/TID/stat, for which the kernel adds up all threads of the process. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)tid, (int)tid);
	task_stat_at(AT_FDCWD, path, &stat);
	return stat.state;
}

static pid_t parse_tid(const char *name)
{
	pid_t tid = 0;
	for (; *name >= '0' && *name <= '9'; name++)
		tid = tid * 10 + (*name - '0');
	return *name ? 0 : tid;
}

bool task_list_read(int task_dir_fd, struct task_list *list)
{
	/* A large buffer: a dozen system calls for 10,000 threads. */
	_Alignas(struct dirent64) char buffer[32 * 1024];
	list->len = 0;
	if (lseek(task_dir_fd, 0, SEEK_SET) != 0)
		return false;
	ssize_t got;
	while ((got = getdents64(task_dir_fd, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const void *)(buffer + at);
			pid_t tid = parse_tid(entry->d_name);
			if (tid)
				vec_push(list, tid);
			at += entry->d_reclen;
		}
	}
	return got == 0 && list->len > 0;
}

unsigned task_count(int task_dir_fd)
{
	struct stat status;
	if (fstat(task_dir_fd, &status) != 0 || status.st_nlink < 2)
		return 0;
	return (unsigned)status.st_nlink - 2;
}
