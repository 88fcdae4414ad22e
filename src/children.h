/*
 * children: the child processes of a process, as the kernel lists them.
 *
 * /proc/PID/task/TID/children (proc(5), CONFIG_PROC_CHILDREN) names the children that
 * each thread forked and that have not been waited for. The list is good as a hint: one
 * that forks or ends meanwhile may be missed. Any thread.
 */
#ifndef CPROFTOP_CHILDREN_H
#define CPROFTOP_CHILDREN_H

#include "src/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct children {
	VEC(pid_t) list;
};

/* Add the children of PID to CHILDREN (a zeroed one is empty). False if the kernel does
   not tell, or if there is no such process. */
bool children_read(struct children *children, pid_t pid);

/* Does this kernel tell? */
bool children_are_told(void);

#endif
