/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/waits.h"

#include "src/base/clean.h"
#include "src/base/small-file.h"
#include "src/target/file-locks.h"
#include "src/target/mutex.h"
#include "src/target/waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	/* Innermost frames among which is the function that locks a mutex: glibc has at
	   most two inside of it, and inlined functions are no frames of their own. */
	MUTEX_FRAMES = 4,
};

void waits_finish(struct waits *waits)
{
	inner_tids_finish(&waits->tids);
	vec_free(&waits->files);
	peers_finish(&waits->peers);
	file_locks_finish(&waits->file_locks);
}

static bool is_in_mutex(
	const struct profile *profile, const uint32_t *locations, size_t length)
{
	for (size_t i = 0; i < length && i < MUTEX_FRAMES; i++) {
		const struct location *location = profile_location(profile, locations[i]);
		for (uint32_t k = 0; k < location->n_lines; k++)
			if (mutex_is_locked_by(
				    profile_function(profile, location->lines[k].function)
					    ->system_name))
				return true;
	}
	return false;
}

/* The thread that holds what RECORD waits for; 0: not known. */
static pid_t holder_of(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length)
{
	if (record->call.lock_length == 0)
		return 0;
	bool is_mutex = is_in_mutex(waits->history->profile, locations, length);
	pid_t holder = inner_tids_find(&waits->tids, waits->proc_fd,
		mutex_owner(&record->call, is_mutex), record->time_ns);
	bool is_own = holder == record->tid && mutex_is_handed_over(&record->call);
	return is_own ? 0 : holder;
}

/* The name of process PID, cleaned; "" if it has ended. */
static void name_of_process(pid_t pid, char *out, size_t size)
{
	char path[32], raw[64];
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	size_t length = small_file_read(AT_FDCWD, path, raw, sizeof(raw));
	clean_text(out, size, raw, length > 0 ? length - 1 : 0);
}

/* HOLDER is called WHO; NULL or "": that is not known. */
static uint32_t intern(
	struct waits *waits, const struct waiting *waiting, pid_t holder, const char *who)
{
	char name[3 * WAITING_MAX], object[2 * WAITING_MAX];
	if (holder == 0)
		return profile_intern_detailed(
			waits->history->profile, waiting->name, waiting->object);
	bool is_named = who && who[0];
	snprintf(object, sizeof(object), "%s held by %d", waiting->object, holder);
	/* "[futex]" without its bracket, and more */
	snprintf(name, sizeof(name), "%.*s held by %s]", (int)strlen(waiting->name) - 1,
		waiting->name, is_named ? who : "");
	return profile_intern_detailed(
		waits->history->profile, is_named ? name : waiting->name, object);
}

static uint32_t locate_file(
	struct waits *waits, const struct snapshot_call *call, uint64_t now_ns)
{
	struct waiting waiting;
	char name[WAITING_MAX] = "";
	waiting_of(call, waits->proc_fd, &waiting);
	pid_t holder = file_locks_holder(
		&waits->file_locks, call, waits->proc_fd, waits->pid, now_ns);
	if (holder)
		name_of_process(holder, name, sizeof(name));
	return intern(waits, &waiting, holder, name);
}

static bool is_for_output(int nr)
{
	return nr == SYS_write || nr == SYS_writev || nr == SYS_sendto ||
	       nr == SYS_sendmsg || nr == SYS_sendmmsg;
}

/* Who is at the other end of what RECORD waits for, behind the object. */
static void add_peer(
	struct waits *waits, const struct snapshot *record, struct waiting *waiting)
{
	static const char leads_to[] = " -> ";
	const char *link = strstr(waiting->object, leads_to);
	if (!link)
		return;
	const char *peer =
		peers_say(&waits->peers, waits->pid, link + sizeof(leads_to) - 1,
			is_for_output(record->call.nr), record->time_ns);
	size_t length = strlen(waiting->object);
	if (peer[0])
		snprintf(waiting->object + length, sizeof(waiting->object) - length,
			" %s", peer);
}

/* The wait of TID for a lock on a file; NULL: there is none. */
static struct file_wait *file_wait_of(struct waits *waits, pid_t tid)
{
	vec_each (&waits->files, wait)
		if (wait->tid == tid)
			return wait;
	return NULL;
}

static void remember_file(struct waits *waits, const struct snapshot *record)
{
	struct file_wait *wait = file_wait_of(waits, record->tid);
	bool is_file = file_locks_waits(&record->call);
	if (is_file && wait)
		wait->call = record->call;
	else if (is_file)
		vec_push(&waits->files, (struct file_wait){record->tid, record->call});
	else if (wait)
		*wait = waits->files.data[--waits->files.len];
}

uint32_t waits_locate(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length)
{
	struct waiting waiting;
	remember_file(waits, record);
	if (file_locks_waits(&record->call))
		return locate_file(waits, &record->call, record->time_ns);
	waiting_of(&record->call, waits->proc_fd, &waiting);
	add_peer(waits, record, &waiting);
	pid_t holder = holder_of(waits, record, locations, length);
	const char *who = holder == 0 ? NULL
			  : holder == record->tid
				  ? "itself"
				  : history_thread_name(waits->history, holder);
	return intern(waits, &waiting, holder, who);
}

/* A lock is in other hands: what passed since the look before is the new owner's. */
static void charge_both(struct waits *waits, const struct snapshot *record)
{
	struct history *history = waits->history;
	uint32_t locations[MUTEX_FRAMES];
	uint64_t new_ns = record->time_ns - record->from_ns;
	if (new_ns > record->blocked_ns)
		new_ns = record->blocked_ns;
	uint32_t new_looks = record->looks > 0;
	history_charge_blocked(history, record->tid, record->time_ns - new_ns,
		record->blocked_ns - new_ns, record->looks - new_looks);
	size_t length = history_slept_in(history, record->tid, locations, MUTEX_FRAMES);
	history_change_wait(
		history, record->tid, waits_locate(waits, record, locations, length));
	history_charge_blocked(history, record->tid, record->time_ns, new_ns, new_looks);
}

void waits_charge(struct waits *waits, const struct snapshot *record)
{
	if (record->call.lock_length > 0)
		charge_both(waits, record);
	else
		history_charge_blocked(waits->history, record->tid, record->time_ns,
			record->blocked_ns, record->looks);
	const struct file_wait *wait = file_wait_of(waits, record->tid);
	if (wait && record->kind == SNAPSHOT_WAIT && record->state == THREAD_BLOCKED)
		history_change_wait(waits->history, record->tid,
			locate_file(waits, &wait->call, record->time_ns));
}
