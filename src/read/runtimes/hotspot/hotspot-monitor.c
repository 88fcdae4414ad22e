/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-monitor.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>
#include <string.h>

#define LIST_EVERY_NS NS_PER_SEC

enum {
	THREADS_MAX = 4096,
};

enum {
	PENDING,
	OWNER,
	THREAD_ID,
	THREADS,
	LIST_LENGTH,
	LIST_DATA,
	OSTHREAD,
	STACK_BASE,
	STACK_SIZE,
	N_FIELDS,
};

static const struct hotspot_field wanted[N_FIELDS] = {
	[PENDING] = {"JavaThread", "_current_pending_monitor"},
	[OWNER] = {"ObjectMonitor", "_owner"},
	[THREAD_ID] = {"OSThread", "_thread_id"},
	[THREADS] = {"ThreadsSMRSupport", "_java_thread_list"},
	[LIST_LENGTH] = {"ThreadsList", "_length"},
	[LIST_DATA] = {"ThreadsList", "_threads"},
	[OSTHREAD] = {"JavaThread", "_osthread"},
	[STACK_BASE] = {"JavaThread", "_stack_base"},
	[STACK_SIZE] = {"JavaThread", "_stack_size"},
};

struct java_thread {
	uint64_t address; /* of the JavaThread */
	pid_t tid;
	uint64_t stack_low, stack_high;
};

struct hotspot_monitors {
	struct target_memory memory;
	struct hotspot_field fields[N_FIELDS];
	VEC(struct java_thread) threads;
	uint64_t listed_ns; /* 0: not yet */
};

struct hotspot_monitors *hotspot_monitors_create(
	const struct target_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES])
{
	struct hotspot_monitors *monitors = mem_zalloc(sizeof(*monitors));
	monitors->memory = *memory;
	memcpy(monitors->fields, wanted, sizeof(wanted));
	bool is_known =
		hotspot_find_fields(memory, addresses, monitors->fields, N_FIELDS);
	for (int i = 0; i < N_FIELDS; i++)
		is_known &= monitors->fields[i].is_found;
	if (is_known)
		return monitors;
	hotspot_monitors_destroy(monitors);
	return NULL;
}

void hotspot_monitors_destroy(struct hotspot_monitors *monitors)
{
	if (!monitors)
		return;
	vec_free(&monitors->threads);
	free(monitors);
}

static bool field(const struct hotspot_monitors *monitors, unsigned which, uint64_t base,
	uint64_t *value)
{
	return hotspot_read_field(
		&monitors->memory, &monitors->fields[which], base, value);
}

/* The TID of the JavaThread at ADDRESS; 0: it is none. */
static pid_t tid_of(const struct hotspot_monitors *monitors, uint64_t address)
{
	uint64_t os_thread, tid;
	return field(monitors, OSTHREAD, address, &os_thread) && os_thread &&
			       field(monitors, THREAD_ID, os_thread, &tid)
		       ? (pid_t)(uint32_t)tid
		       : 0;
}

static void list_threads(struct hotspot_monitors *monitors)
{
	uint64_t list, length, data, size;
	struct java_thread thread;
	monitors->threads.len = 0;
	if (!field(monitors, THREADS, 0, &list) || !list ||
		!field(monitors, LIST_LENGTH, list, &length) ||
		!field(monitors, LIST_DATA, list, &data))
		return;
	for (uint32_t i = 0; i < (uint32_t)length && i < THREADS_MAX; i++) {
		if (!target_memory_read(&monitors->memory,
			    data + i * sizeof(thread.address), &thread.address,
			    sizeof(thread.address)))
			return;
		thread.tid = tid_of(monitors, thread.address);
		if (thread.tid <= 0 ||
			!field(monitors, STACK_BASE, thread.address,
				&thread.stack_high) ||
			!field(monitors, STACK_SIZE, thread.address, &size))
			continue;
		thread.stack_low = thread.stack_high - size;
		vec_push(&monitors->threads, thread);
	}
}

/* The listed thread that is TID if TID is not 0, else is at ADDRESS or has that on its stack;
   NULL: none, or it is not the same any more. */
static const struct java_thread *find(
	const struct hotspot_monitors *monitors, pid_t tid, uint64_t address)
{
	vec_each (&monitors->threads, thread) {
		bool is_it = tid ? thread->tid == tid
				 : thread->address == address ||
					     (address >= thread->stack_low &&
						     address < thread->stack_high);
		if (is_it && tid_of(monitors, thread->address) == thread->tid)
			return thread;
	}
	return NULL;
}

/* The same; the threads are listed anew if it is unknown. */
static const struct java_thread *look_up(
	struct hotspot_monitors *monitors, pid_t tid, uint64_t address, uint64_t now_ns)
{
	const struct java_thread *found = find(monitors, tid, address);
	bool is_due = !monitors->listed_ns || now_ns < monitors->listed_ns ||
		      now_ns - monitors->listed_ns >= LIST_EVERY_NS;
	if (found || !is_due)
		return found;
	monitors->listed_ns = now_ns;
	list_threads(monitors);
	return find(monitors, tid, address);
}

bool hotspot_find_wait(struct hotspot_monitors *monitors, pid_t tid, uint64_t now_ns,
	struct hotspot_wait *out)
{
	uint64_t owner, monitor, owner_then, monitor_then;
	const struct java_thread *thread =
		tid > 0 ? look_up(monitors, tid, 0, now_ns) : NULL;
	if (!thread)
		return false;
	uint64_t address = thread->address; /* the list may be read anew */
	if (!field(monitors, PENDING, address, &monitor) || !monitor ||
		!field(monitors, OWNER, monitor, &owner))
		return false;
	*out = (struct hotspot_wait){.monitor = monitor};
	const struct java_thread *holder =
		owner ? look_up(monitors, 0, owner, now_ns) : NULL;
	if (holder && holder->tid != tid &&
		field(monitors, OWNER, monitor, &owner_then) && owner_then == owner &&
		field(monitors, PENDING, address, &monitor_then) &&
		monitor_then == monitor)
		out->owner = holder->tid;
	return true;
}
