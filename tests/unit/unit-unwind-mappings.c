/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding where what is known of the mappings is older than the code. */

#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include <stdio.h>
#include <unistd.h>

static void test_mappings_are_read_again_for_an_unknown_pc(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	assert_true(address_space_parse(session->tracee.space, "", 0));
	usleep(150000); /* not more often than every 100 ms */
	take(session, session->tracee.pid, STACK_BYTES);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_true(matches(session, 0, calls_pattern()));
}

/* The mapping of code with PC begins behind it from now on, as if the other part of it
   were new. */
static void forget_code_up_to(struct session *session, uint64_t pc)
{
	char path[64], line[1024], text[1 << 16];
	size_t length = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", session->tracee.pid);
	FILE *maps = fopen(path, "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		char rest[1024];
		unsigned long start, limit, offset;
		assert_true(length + sizeof(line) < sizeof(text));
		if (sscanf(line, "%lx-%lx r-xp %lx %1023[^\n]", &start, &limit, &offset,
			    rest) == 4 &&
			start <= pc && pc < limit)
			length += (size_t)snprintf(text + length, sizeof(line),
				"%lx-%lx r-xp %lx %s\n", pc + 1, limit,
				offset + pc + 1 - start, rest);
		else
			length +=
				(size_t)snprintf(text + length, sizeof(line), "%s", line);
	}
	fclose(maps);
	assert_true(address_space_parse(session->tracee.space, text, length));
}

/* A step that only counts if it arrives after a call cannot arrive where no code is
   known. */
static void test_mappings_are_read_again_for_an_unknown_caller(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-no-cfi")));
	do
		take(session, session->tracee.pid, STACK_BYTES);
	while (!matches(session, 0, "plain_spin with_cfi ..."));
	const struct frame *frames = session->chain->frames;
	if (frames[1].pc > frames[0].pc)
		skip();
	forget_code_up_to(session, frames[1].pc);
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_true(matches(session, 0, "plain_spin with_cfi plain_middle ... main"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			test_mappings_are_read_again_for_an_unknown_pc, finish),
		cmocka_unit_test_teardown(
			test_mappings_are_read_again_for_an_unknown_caller, finish),
	};
	return unit_run(tests);
}
