/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/list/offspring.h"

#include "src/process/list/children.h"

#include <stddef.h>

/* Of a process with more threads those that began first are asked for their children: ten
   thousand would take a tenth of a second. */
enum {
	THREADS_MOST = 64
};

void offspring_read(struct offspring *offspring, pid_t pid, uint64_t now_ns)
{
	struct children family = {0};
	struct offspring now = {.read_ns = now_ns};
	vec_push(&family.list, pid);
	for (size_t i = 0; i < family.list.len && i <= OFFSPRING_MOST; i++) {
		pid_t member = family.list.data[i];
		now.cpu_ns += children_reaped_ns(member);
		if (i > 0)
			now.cpu_ns += children_own_ns(member);
		children_read(&family, member, THREADS_MOST);
	}
	now.living = (unsigned)family.list.len - 1;
	vec_free(&family.list);
	/* A child that ends takes its time along until its parent has waited for it. */
	if (now.cpu_ns < offspring->cpu_ns)
		now.cpu_ns = offspring->cpu_ns;
	if (offspring->read_ns && now_ns > offspring->read_ns)
		now.share = (double)(now.cpu_ns - offspring->cpu_ns) /
			    (double)(now_ns - offspring->read_ns);
	*offspring = now;
}
