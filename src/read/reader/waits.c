/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/waits.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/small-file.h"
#include "src/process/file-locks.h"
#include "src/process/mutex.h"
#include "src/process/waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define SAME_INSTANT_NS (40 * NS_PER_MS)

enum {
	/* Innermost frames among which is the function that locks a mutex: glibc has at
	   most two inside of it, and inlined functions are no frames of their own. */
	MUTEX_FRAMES = 4,
	MONITOR_FRAMES = SLEEPER_FRAMES, /* the same of ObjectMonitor::enter */
};

void waits_finish(struct waits *waits)
{
	inner_tids_finish(&waits->tids);
	vec_free(&waits->files);
	vec_free(&waits->locks);
	lock_names_finish(&waits->names);
	file_locks_finish(&waits->file_locks);
}

static enum mutex_kind kind_of(
	const struct profile *profile, const uint32_t *locations, size_t length)
{
	for (size_t i = 0; i < length && i < SLEEPER_FRAMES; i++) {
		const struct location *location = profile_location(profile, locations[i]);
		for (uint32_t k = 0; k < location->n_lines; k++) {
			uint32_t id = location->lines[k].function;
			enum mutex_kind kind = mutex_is_locked_by(
				profile_function(profile, id)->system_name);
			if (kind != MUTEX_NONE)
				return kind;
		}
	}
	return MUTEX_NONE;
}

/* The lock that TID waited for when it was last seen to wait for one; NULL: none. */
static struct lock_wait *lock_wait_of(struct waits *waits, pid_t tid)
{
	vec_each (&waits->locks, wait)
		if (wait->tid == tid)
			return wait;
	return NULL;
}

static void note_holder(struct waits *waits, const struct snapshot *record,
	enum mutex_kind kind, pid_t holder)
{
	struct lock_wait *wait = lock_wait_of(waits, record->tid);
	if (wait && holder == 0)
		wait->is_over = true;
	if (holder == 0 || holder == record->tid)
		return;
	if (!wait) {
		vec_push(&waits->locks, (struct lock_wait){.tid = record->tid});
		wait = &waits->locks.data[waits->locks.len - 1];
	}
	*wait = (struct lock_wait){
		.tid = record->tid,
		.holder = holder,
		.kind = kind,
		.call = record->call,
		.from_ns = record->time_ns,
		.to_ns = record->time_ns,
	};
}

/* The thread that holds what RECORD waits for; 0: not known. */
static pid_t holder_of(
	struct waits *waits, const struct snapshot *record, enum mutex_kind kind)
{
	if (record->call.lock_length == 0)
		return 0;
	pid_t holder = inner_tids_find(&waits->tids, waits->proc_fd,
		mutex_owner(&record->call, kind), record->time_ns);
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

/* What CALL waits for; a lock with the name of the variable that it is. */
static void describe(
	struct waits *waits, const struct snapshot_call *call, struct waiting *waiting)
{
	waiting_of(call, waits->proc_fd, waiting);
	if (call->nr == SYS_futex && waits->space)
		lock_names_append(&waits->names, waits->space, call->args[0],
			waiting->object, sizeof(waiting->object));
}

/* HOLDER is called WHO; NULL or "": that is not known. */
static uint32_t intern(
	struct waits *waits, const struct waiting *waiting, pid_t holder, const char *who)
{
	char name[3 * WAITING_MAX], object[2 * WAITING_MAX];
	if (holder == 0)
		return profile_intern_detailed(
			waits->teller->profile, waiting->name, waiting->object);
	bool is_named = who && who[0];
	snprintf(object, sizeof(object), "%s held by %d", waiting->object, holder);
	/* "[futex]" without its bracket, and more */
	snprintf(name, sizeof(name), "%.*s held by %s]", (int)strlen(waiting->name) - 1,
		waiting->name, is_named ? who : "");
	return profile_intern_detailed(
		waits->teller->profile, is_named ? name : waiting->name, object);
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

/* The wait of TID for a lock on a file; NULL: there is none. */
static struct file_wait *file_wait_of(struct waits *waits, pid_t tid)
{
	vec_each (&waits->files, wait)
		if (wait->tid == tid)
			return wait;
	return NULL;
}

static void remember(struct waits *waits, const struct snapshot *record, bool is_told,
	uint64_t monitor)
{
	struct file_wait *wait = file_wait_of(waits, record->tid);
	struct file_wait now = {record->tid, record->call, monitor};
	if (is_told && wait)
		*wait = now;
	else if (is_told)
		vec_push(&waits->files, now);
	else if (wait)
		*wait = waits->files.data[--waits->files.len];
}

/* Do these LOCATIONS wait to enter a monitor of Java's? */
static bool enters_monitor(
	const struct profile *profile, const uint32_t *locations, size_t length)
{
	for (size_t i = 0; i < length && i < MONITOR_FRAMES; i++) {
		const struct location *location = profile_location(profile, locations[i]);
		for (uint32_t k = 0; k < location->n_lines; k++) {
			const char *name =
				profile_function(profile, location->lines[k].function)
					->system_name;
			const char *of = strstr(name, "ObjectMonitor");
			if (of && (strstr(of, "enter") || strstr(of, "Enter")))
				return true;
		}
	}
	return false;
}

/* The owner of an interpreter's lock or of a monitor is read now: that was so when RECORD was made
   only if that was just now. */
static bool is_same_instant(const struct snapshot *record)
{
	return clock_monotonic_ns() - record->time_ns < SAME_INSTANT_NS;
}

/* The interpreter's lock, if CALL of RECORD waits for that. */
static bool find_script_lock(struct waits *waits, const struct snapshot *record,
	const struct snapshot_call *call, struct hotspot_wait *out)
{
	if (!scripts_find_lock(waits->scripts, call->args[0], &out->monitor, &out->owner))
		return false;
	if (!is_same_instant(record))
		out->owner = 0;
	return true;
}

/* The monitor that the thread of RECORD waits to enter. */
static bool find_monitor(
	struct waits *waits, const struct snapshot *record, struct hotspot_wait *out)
{
	struct hotspot_monitors *monitors =
		waits->unwinder ? unwinder_monitors(waits->unwinder) : NULL;
	pid_t tid = monitors && is_same_instant(record)
			    ? inner_tids_of(&waits->tids, waits->proc_fd, record->tid)
			    : 0;
	return tid && hotspot_find_wait(monitors, tid, clock_monotonic_ns(), out) &&
	       is_same_instant(record);
}

static uint32_t locate_monitor(struct waits *waits, const struct snapshot_call *call,
	const struct hotspot_wait *wait, uint64_t now_ns)
{
	char name[SLEEPER_NAME_BYTES];
	struct waiting waiting;
	struct snapshot_call at = *call;
	at.args[0] = wait->monitor;
	describe(waits, &at, &waiting);
	pid_t holder = inner_tids_find(&waits->tids, waits->proc_fd, wait->owner, now_ns);
	return intern(waits, &waiting, holder,
		holder ? sleepers_name_of(waits->sleepers, holder, name) : NULL);
}

uint32_t waits_locate(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length)
{
	struct waiting waiting;
	char name[SLEEPER_NAME_BYTES];
	struct hotspot_wait java;
	bool is_file = file_locks_waits(&record->call);
	bool is_monitor =
		record->call.nr == SYS_futex &&
		(find_script_lock(waits, record, &record->call, &java) ||
			(enters_monitor(waits->teller->profile, locations, length) &&
				find_monitor(waits, record, &java)));
	remember(waits, record, is_file || is_monitor, is_monitor ? java.monitor : 0);
	if (is_file)
		return locate_file(waits, &record->call, record->time_ns);
	if (is_monitor)
		return locate_monitor(waits, &record->call, &java, record->time_ns);
	enum mutex_kind kind =
		record->call.lock_length > 0
			? kind_of(waits->teller->profile, locations, length)
			: MUTEX_NONE;
	pid_t holder = holder_of(waits, record, kind);
	note_holder(waits, record, kind, holder);
	struct snapshot_call call = record->call;
	call.args[0] = mutex_address(&call, kind);
	describe(waits, &call, &waiting);
	const char *who = holder == 0 ? NULL
			  : holder == record->tid
				  ? "itself"
				  : sleepers_name_of(waits->sleepers, holder, name);
	return intern(waits, &waiting, holder, who);
}

/* If RECORD has just told that its thread waits for a lock with a holder: its stack says so
   from now on. */
static void note_contended(struct waits *waits, const struct snapshot *record)
{
	const struct lock_wait *wait = lock_wait_of(waits, record->tid);
	if (wait && !wait->is_over && wait->from_ns == record->time_ns)
		teller_thread(waits->teller, FACT_CONTEND, record->tid, 0, 0);
}

/* Do the bytes of WATCHED say that the holder of WAIT's lock has it, and others wait? */
static bool is_still_held(struct waits *waits, const struct lock_wait *wait,
	const struct snapshot_watched *watched, uint64_t now_ns)
{
	struct snapshot_call call = wait->call;
	if (watched->address != call.args[0])
		return false;
	memcpy(call.lock, watched->lock, sizeof(call.lock));
	call.lock_length = sizeof(call.lock);
	return mutex_is_waited_for(&call) &&
	       inner_tids_find(&waits->tids, waits->proc_fd,
		       mutex_owner(&call, wait->kind), now_ns) == wait->holder;
}

void waits_witness(struct waits *waits, const struct snapshot *record)
{
	if (record->state == THREAD_BLOCKED)
		note_contended(waits, record);
	for (uint32_t i = 0; i < record->n_watched && i < SNAPSHOT_WATCHED; i++)
		vec_each (&waits->locks, wait)
			if (wait->holder == record->tid &&
				is_still_held(waits, wait, &record->watched[i],
					record->time_ns)) {
				wait->to_ns = record->time_ns;
				teller_thread(waits->teller, FACT_WITNESS, wait->tid,
					record->time_ns, 0);
				break;
			}
}

/* TID has slept on until UNTIL_NS. */
static void witness_asleep(struct waits *waits, pid_t tid, uint64_t until_ns)
{
	uint64_t since_ns = sleepers_of(waits->sleepers, tid)->slept_ns, last = 0;
	vec_each (&waits->locks, wait) {
		if (wait->tid == tid && !wait->is_over && wait->from_ns >= since_ns &&
			wait->to_ns < until_ns)
			wait->to_ns = until_ns;
		if (wait->holder != tid || since_ns == 0 || wait->from_ns > until_ns ||
			wait->to_ns < since_ns || wait->call.args[0] == last)
			continue;
		last = wait->call.args[0];
		teller_thread(waits->teller, FACT_WITNESS, wait->tid, until_ns, 0);
	}
}

void waits_forget(struct waits *waits, pid_t tid)
{
	struct lock_wait *wait = lock_wait_of(waits, tid);
	if (wait)
		*wait = waits->locks.data[--waits->locks.len];
}

static void charge(struct waits *waits, pid_t tid, uint64_t time_ns, uint64_t blocked_ns,
	uint32_t looks)
{
	struct fact fact = {.kind = FACT_BLOCKED,
		.thread = {.tid = tid,
			.time_ns = time_ns,
			.ns = blocked_ns,
			.count = looks}};
	if (blocked_ns || looks)
		teller_tell(waits->teller, &fact, NULL);
}

/* A lock is in other hands: what passed since the look before is the new owner's. */
static void charge_both(struct waits *waits, const struct snapshot *record)
{
	struct sleeper sleeper = *sleepers_of(waits->sleepers, record->tid);
	uint64_t new_ns = record->time_ns - record->from_ns;
	if (new_ns > record->blocked_ns)
		new_ns = record->blocked_ns;
	uint32_t new_looks = record->looks > 0;
	charge(waits, record->tid, record->time_ns - new_ns, record->blocked_ns - new_ns,
		record->looks - new_looks);
	teller_change_wait(waits->teller, record->tid,
		waits_locate(waits, record, sleeper.locations, sleeper.n_locations));
	note_contended(waits, record);
	charge(waits, record->tid, record->time_ns, new_ns, new_looks);
}

void waits_charge(struct waits *waits, const struct snapshot *record)
{
	bool is_asleep = record->kind == SNAPSHOT_WAIT && record->state == THREAD_BLOCKED;
	uint64_t until_ns = record->time_ns;
	if (is_asleep && record->call.lock_length == 0 && record->from_ns != 0)
		until_ns = record->from_ns;
	if (record->call.lock_length > 0)
		charge_both(waits, record);
	else
		charge(waits, record->tid, until_ns, record->blocked_ns, record->looks);
	if (is_asleep)
		witness_asleep(waits, record->tid, until_ns);
	const struct file_wait *wait = file_wait_of(waits, record->tid);
	struct hotspot_wait java;
	if (!wait || record->kind != SNAPSHOT_WAIT || record->state != THREAD_BLOCKED)
		return;
	if (wait->monitor && !((find_script_lock(waits, record, &wait->call, &java) ||
				       find_monitor(waits, record, &java)) &&
				     java.monitor == wait->monitor))
		java = (struct hotspot_wait){.monitor = wait->monitor}; /* not known */
	teller_change_wait(waits->teller, record->tid,
		wait->monitor ? locate_monitor(waits, &wait->call, &java, record->time_ns)
			      : locate_file(waits, &wait->call, record->time_ns));
}
