/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/locks/wait-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELD_BY	 " held by "
#define LEADS_TO " -> "

const char *const wait_kind_names[] = {
	[WAIT_MUTEX] = "mutex",
	[WAIT_LOCK] = "lock",
	[WAIT_CONDITION] = "condition",
	[WAIT_FUTEX] = "futex",
	[WAIT_FILE_LOCK] = "file lock",
	[WAIT_PIPE] = "pipe",
	[WAIT_SOCKET] = "socket",
	[WAIT_EVENTS] = "events",
	[WAIT_OTHER] = "other",
};

/* COPY gets TEXT up to HELD_BY or END; the rest of TEXT behind HELD_BY, or NULL. */
static const char *split_holder(const char *text, size_t length, char copy[WAITING_MAX])
{
	const char *held = strstr(text, HELD_BY);
	if (held && held < text + length)
		length = (size_t)(held - text);
	else
		held = NULL;
	snprintf(copy, WAITING_MAX, "%.*s", (int)length, text);
	return held ? held + strlen(HELD_BY) : NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* WHAT is "read pipe": the call, and if the object has one, its kind. */
static enum wait_kind kind_of(const struct wait_name *wait, const char *what)
{
	static const char *const locks[] = {"flock", "fcntl", NULL};
	static const char *const queues[] = {
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter", NULL};
	const char *object = strchr(what, ' ');
	object = object ? object + 1 : "";
	if (strncmp(wait->call, "futex", 5) == 0)
		return wait->holder ? WAIT_MUTEX : WAIT_FUTEX;
	if (is_one_of(wait->call, locks))
		return WAIT_FILE_LOCK;
	if (is_one_of(wait->call, queues))
		return WAIT_EVENTS;
	if (strcmp(object, "pipe") == 0)
		return WAIT_PIPE;
	if (strcmp(object, "socket") == 0)
		return WAIT_SOCKET;
	return WAIT_OTHER;
}

enum wait_kind wait_kind_in(const char *name)
{
	/* The beginnings of names, without underscores. */
	static const struct {
		const char *begin;
		enum wait_kind kind;
	} names[] = {
		{"pthread_cond_", WAIT_CONDITION},
		{"sem_", WAIT_CONDITION},
		{"new_sem_", WAIT_CONDITION},
		{"runtime.notesleep", WAIT_CONDITION}, /* a thread of Go without work */
		{"runtime.notetsleep", WAIT_CONDITION},
		{"pthread_mutex_", WAIT_LOCK},
		{"pthread_rwlock_", WAIT_LOCK},
		{"lll_lock_wait", WAIT_LOCK},
		{"runtime.lock", WAIT_LOCK},
		{"ObjectMonitor::enter", WAIT_LOCK}, /* Java's synchronized */
		{"ObjectMonitor::EnterI", WAIT_LOCK},
		{"std::sys::sync::mutex::", WAIT_LOCK},
		{"[waits for the ",
			WAIT_LOCK}, /* an interpreter's (src/read/reader/merging.h) */
		{"std::sys::sync::rwlock::", WAIT_LOCK},
	};
	name += strspn(name, "_");
	if (strncmp(name, "GI_", 3) == 0) /* a name inside of libc */
		name += 3 + strspn(name + 3, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i].begin, strlen(names[i].begin)) == 0)
			return names[i].kind;
	return WAIT_FUTEX;
}

bool wait_name_of(const char *function, const char *detail, struct wait_name *out)
{
	char what[WAITING_MAX], object[WAITING_MAX];
	size_t length = strlen(function);
	if (length < 2 || function[0] != '[' || function[length - 1] != ']' ||
		!waiting_syscall(function, out->call))
		return false;
	const char *name = split_holder(function + 1, length - 2, what);
	const char *tid = split_holder(detail, strlen(detail), object);
	out->holder = tid ? (pid_t)strtol(tid, NULL, 10) : 0;
	snprintf(out->holder_name, sizeof(out->holder_name), "%.*s",
		name ? (int)(function + length - 1 - name) : 0, name ? name : "");
	/* Two descriptors may lead to the same object. */
	const char *target = strstr(object, LEADS_TO);
	snprintf(out->object, sizeof(out->object), "%s",
		target ? target + strlen(LEADS_TO) : object);
	out->kind = kind_of(out, what);
	return out->object[0] != '\0' || strchr(what, ' ') != NULL ||
	       strcmp(out->call, "futex") == 0;
}
