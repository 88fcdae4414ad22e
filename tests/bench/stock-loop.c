/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stock-loop default|cached PID HZ SEC: the sampling loop that libunwind-ptrace's manual
 * suggests, to compare with.
 *
 * The thread is stopped, unwound through the _UPT accessors to the end of its stack while
 * it stands, and resumed. "default" leaves the library's caching policy as it is for a
 * remote address space (none), "cached" sets UNW_CACHE_GLOBAL, which is the first thing
 * its users find. Names are not looked up: that would only make it slower.
 */
#include "loop.h"

#include <libunwind-ptrace.h>

enum {
	FRAMES_MAX = 512
};

static uint64_t unwind(unw_addr_space_t space, void *upt)
{
	unw_cursor_t cursor;
	unw_word_t pc, sp;
	uint64_t frames = 0;
	if (unw_init_remote(&cursor, space, upt) != 0)
		return 0;
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		unw_get_reg(&cursor, UNW_REG_SP, &sp);
		frames++;
	} while (frames < FRAMES_MAX && unw_step(&cursor) > 0);
	return frames;
}

int main(int argc, char **argv)
{
	bool cached = argc == 5 && strcmp(argv[1], "cached") == 0;
	if (argc != 5 || (!cached && strcmp(argv[1], "default") != 0)) {
		fputs("usage: stock-loop default|cached PID HZ SEC\n", stderr);
		return 2;
	}
	struct loop loop;
	loop_init(&loop, argv + 2);
	loop_seize(&loop);
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	void *upt = _UPT_create(loop.pid);
	if (cached)
		unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	while (loop_wait(&loop)) {
		int status;
		uint64_t before = loop_clock_ns(CLOCK_MONOTONIC);
		if (ptrace(PTRACE_INTERRUPT, loop.pid, NULL, NULL) != 0)
			break;
		if (waitpid(loop.pid, &status, __WALL) < 0 || !WIFSTOPPED(status))
			break;
		loop.frames += unwind(space, upt);
		ptrace(PTRACE_CONT, loop.pid, NULL, NULL);
		loop_sampled(&loop, loop_clock_ns(CLOCK_MONOTONIC) - before);
	}
	_UPT_destroy(upt);
	unw_destroy_addr_space(space);
	return loop_finish(&loop);
}
