/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc/TID/stack says becomes locations. */
#include "src/read/reader/kernel-stack.h"
#include "tests/lib/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	STACK_BYTES = 8,
	OTHER_BYTES = 16,
};

static struct snapshot *asleep_with(const char *text)
{
	size_t length = strlen(text);
	struct snapshot *record =
		calloc(1, sizeof(*record) + STACK_BYTES + OTHER_BYTES + length);
	assert_non_null(record);
	record->stack_length = STACK_BYTES;
	record->other_length = OTHER_BYTES;
	record->kernel_length = (uint32_t)length;
	memcpy(record->stack + STACK_BYTES + OTHER_BYTES, text, length);
	return record;
}

/* The names of what TEXT says, separated by semicolons; at most MOST of them. */
static void expect(const char *text, size_t most, const char *names)
{
	uint32_t locations[KERNEL_STACK_MOST];
	char found[1024] = "";
	struct profile *profile = profile_create();
	struct snapshot *record = asleep_with(text);
	size_t count = kernel_stack_locate(record, profile, locations, most);
	for (size_t i = 0; i < count; i++) {
		const struct location *location = profile_location(profile, locations[i]);
		const struct function *function =
			profile_function(profile, location->lines[0].function);
		assert_true(function_is_kernel(function));
		assert_string_equal(location->detail, "");
		strcat(found, function->name);
		strcat(found, ";");
	}
	assert_string_equal(found, names);
	free(record);
	profile_unref(profile);
}

static void names_come_from_lines(void **state)
{
	(void)state;
	expect("[<0>] hrtimer_nanosleep+0x74/0xf0\n[<0>] do_syscall_64+0x71/0x280\n",
		KERNEL_STACK_MOST, "hrtimer_nanosleep;do_syscall_64;");
	expect("[<0>] fuse_wait+0x10/0x20 [fuse]\n", KERNEL_STACK_MOST, "fuse_wait;");
	expect("[<ffffffff810>] a+0x1/0x2\n[<0>] b+0x1/0x2", KERNEL_STACK_MOST, "a;b;");
}

static void what_is_no_line_is_left_out(void **state)
{
	(void)state;
	expect("", KERNEL_STACK_MOST, "");
	expect("\n\n", KERNEL_STACK_MOST, "");
	expect("[<0>] 0xffffffffffffffff\n[<0>] x+0x1/0x2\n", KERNEL_STACK_MOST, "x;");
	expect("[<0>]\n[<0>] \n[<0>] +0x1/0x2\n[<0>] y+", KERNEL_STACK_MOST, "y;");
	expect("[<0>] a\x1b[2J+0x1/0x2\n", KERNEL_STACK_MOST, "a\\x1b[2J;");
	expect("[<0>] a+0/0\n[<0>] b+0/0\n[<0>] c+0/0\n", 2, "a;b;");
}

/* A function of the target may be called as one of the kernel's. */
static void the_kernel_is_a_module(void **state)
{
	(void)state;
	struct profile *profile = profile_create();
	uint32_t kernel = profile_intern_kernel(profile, "schedule");
	uint32_t own = profile_intern_synthetic(profile, "schedule");
	assert_int_not_equal(kernel, own);
	assert_int_equal(profile_intern_kernel(profile, "schedule"), kernel);
	const struct location *location = profile_location(profile, kernel);
	assert_string_equal(
		profile_function(profile, location->lines[0].function)->module,
		MODULE_KERNEL);
	profile_unref(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_from_lines),
		cmocka_unit_test(what_is_no_line_is_left_out),
		cmocka_unit_test(the_kernel_is_a_module),
	};
	return unit_run(tests);
}
