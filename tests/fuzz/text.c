/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read as text: of /proc, names of symbols and of threads, and source files. The first
 * byte chooses; the rest is the text. Also what a sleeping thread waits for, whose memory says
 * who holds it. */

#include "tests/fuzz/fake-process.h"
#include "tests/fuzz/fuzz.h"

#include "src/base/clean.h"
#include "src/base/small-file.h"
#include "src/facts/demangle.h"
#include "src/facts/snapshot.h"
#include "src/process/file-locks.h"
#include "src/process/maps.h"
#include "src/process/mutex.h"
#include "src/process/task.h"
#include "src/process/waiting.h"
#include "src/read/sources/source-file.h"
#include "src/read/space/regions.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As the file of a process, too. */
static void read_maps_file(const char *text, size_t length)
{
	size_t again_length;
	struct error err = {""};
	fake_process_write("maps", text, length);
	char *again = maps_read(fake_process_folder(), "maps", &again_length, &err);
	FUZZ_CHECK(again ? again_length == length && memcmp(again, text, length) == 0
			 : err.text[0]);
	free(again);
}

static void read_maps(const char *text, size_t length)
{
	struct stack_bounds areas[4];
	struct maps_line line;
	const char *cursor = text, *end = text + length;
	while (maps_next(&cursor, end, &line)) {
		FUZZ_CHECK(line.path >= text && line.path <= end);
		FUZZ_CHECK(line.path_length <= (size_t)(end - line.path));
		FUZZ_CHECK(cursor <= end);
	}
	struct regions regions = regions_parse(text, length);
	for (size_t i = 1; i < regions.list.len; i++)
		FUZZ_CHECK(regions.list.data[i - 1].start <= regions.list.data[i].start);
	regions_find(&regions, 0x1000);
	FUZZ_CHECK(regions_anonymous(&regions, areas, 4) <= 4);
	vec_each (&regions.list, region) {
		char *module = region_module(region->path);
		FUZZ_CHECK(!region_is_wanted(region, "no such name"));
		region_is_wanted(region, module);
		free(module);
	}
	regions_vdso(text, length);
	regions_finish(&regions);
	read_maps_file(text, length);
}

static void read_status(const char *text, size_t length)
{
	char again[256];
	unsigned long long value;
	status_number(text, "\nUid:", 1, 10, &value);
	status_number(text, "\nNSpid:", STATUS_LAST, 10, &value);
	status_number(text, "\nSigCgt:", 0, 16, &value);
	fake_process_write("status", text, length);
	size_t got =
		small_file_read(fake_process_folder(), "status", again, sizeof(again));
	FUZZ_CHECK(got < sizeof(again) && again[got] == '\0' &&
		   memcmp(again, text, got) == 0);
}

static void read_task(const char *text, size_t length)
{
	struct task_stat stat;
	struct task_account account;
	struct snapshot_call call = {0};
	uint64_t sp, pc;
	struct waiting waiting;
	char name[WAITING_MAX];
	read_status(text, length);
	task_parse_stat(text, length, &stat);
	task_parse_account(text, length, &account);
	task_parse_exec_start(text);
	if (task_parse_syscall(text, &call, &sp, &pc)) {
		waiting_of(&call, -1, &waiting);
		FUZZ_CHECK(strlen(waiting.name) < sizeof(waiting.name));
		FUZZ_CHECK(strlen(waiting.object) < sizeof(waiting.object));
		waiting_syscall(waiting.name, name);
	}
	waiting_syscall(text, name);
	int fd = memfd_create("task", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length);
	task_read_stat(fd, &stat);
	task_read_account(fd, &account);
	task_read_exec_start(fd);
	close(fd);
	FUZZ_CHECK(task_state(getpid()) == 'R');
}

/* What has been cleaned is clean. */
static void clean(const char *text, size_t length)
{
	char once[CLEAN_MAX], twice[CLEAN_MAX];
	size_t written = clean_text(once, sizeof(once), text, length);
	FUZZ_CHECK(written < sizeof(once) && strlen(once) == written);
	clean_text(twice, sizeof(twice), once, written);
	FUZZ_CHECK(strcmp(once, twice) == 0);
	for (size_t i = 0; i < written; i++)
		FUZZ_CHECK((unsigned char)once[i] >= ' ' && once[i] != 0x7f);
	clean_text(twice, 8, text, length);
	FUZZ_CHECK(strlen(twice) < 8);
}

/* A thread that waits in a system call, as a whole struct. */
static void wait_for(const char *bytes, size_t length)
{
	struct snapshot_call call = {0};
	struct waiting waiting;
	size_t rest = length > 8 ? length - 8 : 0;
	if (length < 8)
		return;
	call.nr = bytes[0] & 1 ? (unsigned char)bytes[1] * 2 : -1;
	if (bytes[0] & 2)
		call.nr = 202; /* futex */
	memcpy(call.args, bytes + 2, 6);
	if (bytes[0] & 32)
		call.args[0] = 3; /* a descriptor, which leads to what the text says */
	if (bytes[0] & 64)
		call.nr = bytes[0] & 1 ? 0 : 219; /* read, restart_syscall */
	if (length > 8 && length < 512 && bytes[8] && !memchr(bytes, '\0', length))
		fake_process_link("fd/3", bytes + 8);
	call.args[1] = (unsigned char)bytes[7]; /* what futex is to do */
	call.task_state = "SDTt"[bytes[0] / 4 & 3];
	memcpy(call.wchan, bytes,
		length < sizeof(call.wchan) ? length : sizeof(call.wchan));
	call.wchan[sizeof(call.wchan) - 1] = '\0';
	call.lock_length = rest < sizeof(call.lock) ? (uint32_t)rest : sizeof(call.lock);
	memcpy(call.lock, bytes + 8, call.lock_length);
	waiting_of(&call, fake_process_folder(), &waiting);
	FUZZ_CHECK(strlen(waiting.name) < sizeof(waiting.name));
	mutex_owner(&call, bytes[0] & 16);
	mutex_is_handed_over(&call);
	if (file_locks_waits(&call)) {
		struct file_locks locks = {0};
		file_locks_holder(&locks, &call, fake_process_folder(), 7, 1);
		file_locks_holder(&locks, &call, fake_process_folder(), 7, 2);
		file_locks_finish(&locks);
	}
	mutex_is_locked_by(bytes); /* a NUL is behind them */
}

/* A source file. */
static void read_source(const char *text, size_t length)
{
	struct error err;
	int fd = memfd_create("source", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length &&
		   lseek(fd, 0, SEEK_SET) == 0);
	struct source_file *file = source_file_read(fd, "a.c", &err);
	close(fd);
	for (uint32_t i = 1; file && i <= source_file_lines(file); i++)
		FUZZ_CHECK(strlen(source_file_line(file, i)->text) <= SOURCE_LINE_MAX);
	source_file_unref(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	fake_process_folder();
	size_t length = size - 1;
	char *text = malloc(length + 1); /* of its own, so that ASan sees its end */
	memcpy(text, bytes + 1, length);
	text[length] = '\0';
	switch (bytes[0] % 8) {
	case 0:
		read_maps(text, length);
		break;
	case 1:
		read_task(text, length);
		break;
	case 2:
		clean(text, length);
		break;
	case 3:
		free(demangle(text, bytes[0] / 8 % DEMANGLE_STYLES));
		break;
	case 4:
		file_locks_find(text, bytes[0] & 8, 7, bytes[0] & 16 ? 77 : 0);
		break;
	case 5:
		wait_for(text, length);
		break;
	default:
		read_source(text, length);
	}
	free(text);
	return 0;
}
