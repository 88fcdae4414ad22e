/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-monitor: which monitor a Java thread waits to enter, and which thread has it.
 *
 * A thread that finds a monitor taken notes it in JavaThread::_current_pending_monitor and
 * sleeps (ObjectMonitor::enter, src/hotspot/share/runtime/objectMonitor.cpp in OpenJDK).
 * ObjectMonitor::_owner is the JavaThread that has it, or, if that had locked the object
 * before anybody waited, a word on that thread's stack. Since JDK 21 it may also be a mark for
 * "not known", since 24 it is a number: such owners are not found.
 *
 * The process runs on meanwhile and may be hostile: a thread counts only if it is in the
 * machine's list of threads and its TID is the one that was listed, and an owner only if the
 * thread still waited for the same monitor, of the same owner, after all that was read. One thread
 * at a time.
 */
#ifndef CPROFTOP_HOTSPOT_MONITOR_H
#define CPROFTOP_HOTSPOT_MONITOR_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/hotspot/hotspot-structs.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hotspot_wait {
	uint64_t monitor; /* its address */
	pid_t owner; /* as the process knows it (gettid(2)); 0: nobody, or not known */
};

struct hotspot_monitors;

/* As hotspot_create. NULL: the virtual machine does not say enough. */
struct hotspot_monitors *hotspot_monitors_create(
	const struct target_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES]);
void hotspot_monitors_destroy(struct hotspot_monitors *monitors); /* NULL is fine */

/* What thread TID, as the process knows it, waits to enter. False: no monitor, or it is no
   thread of Java's. The list of threads is read at most once a second. */
bool hotspot_find_wait(struct hotspot_monitors *monitors, pid_t tid, uint64_t now_ns,
	struct hotspot_wait *out);

#endif
