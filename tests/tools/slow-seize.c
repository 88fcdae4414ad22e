/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow-seize: preloaded (ld.so(8)), it makes a tracer lose its CPU for 10 ms each time that it
 * has attached to a thread, before it asks it to stop. On a busy machine that happens by
 * itself, to one sample of thousands.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <time.h>

typedef long call(enum __ptrace_request, ...);

/* NOLINTNEXTLINE: the name is the library's */
long ptrace(enum __ptrace_request request, ...)
{
	struct timespec left = {.tv_nsec = 10 * 1000 * 1000};
	call *next = (call *)dlsym(RTLD_NEXT, "ptrace");
	va_list list;
	va_start(list, request);
	pid_t pid = va_arg(list, pid_t);
	void *address = va_arg(list, void *);
	void *data = va_arg(list, void *);
	va_end(list);
	long result = next(request, pid, address, data);
	int errnum = errno;
	while (request == PTRACE_SEIZE && result == 0 && nanosleep(&left, &left) != 0)
		;
	errno = errnum;
	return result;
}
