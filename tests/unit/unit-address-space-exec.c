/* SPDX-License-Identifier: GPL-2.0-or-later */
/* address-space: processes that call exec, end, or have lost their first thread. */

#include "tests/lib/self.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_proc(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A child that does not outlive a test that fails. */
static pid_t fork_child(void)
{
	pid_t pid = fork();
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_exec_forgets_the_old_program(void **state)
{
	(void)state;
	int go[2], done[2];
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(done, O_CLOEXEC), 0);
	pid_t pid = fork_child();
	if (pid == 0) {
		char byte;
		if (read(go[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "600", NULL);
		_exit(1);
	}
	close(done[1]);
	struct self self = {.profile = profile_create()};
	self.space = address_space_create(open_proc(pid), self.profile, NULL, NULL, NULL);
	assert_non_null(self.space);
	assert_string_equal(
		profile_mapping(self.profile, 0)->module, "unit-address-space-exec");
	uint64_t generation = address_space_generation(self.space);

	char byte = 0;
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(read(done[0], &byte, 1), 0); /* closed by exec */
	struct error err;
	assert_true(address_space_exec(self.space, &err));
	assert_true(address_space_generation(self.space) > generation);
	const struct mapping *mapping = NULL;
	for (uint32_t id = 1; id < self.profile->mappings->len; id++)
		if (profile_mapping(self.profile, id)->is_main)
			mapping = profile_mapping(self.profile, id);
	assert_non_null(mapping);
	assert_non_null(strstr(mapping->path, "bin/"));
	uint64_t bias = 0;
	const struct region *region = address_space_find(self.space, mapping->start);
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	unsigned char of_file[64], of_memory[64];
	assert_true(elf_image_read(image, region->start - bias, of_file, 64));
	assert_int_equal(
		address_space_read(self.space, region->start, of_memory, 64), 64);
	assert_memory_equal(of_file, of_memory, 64);

	end(pid);
	assert_false(address_space_refresh(self.space)); /* gone: what is known stays */
	assert_non_null(address_space_find(self.space, region->start));
	assert_false(address_space_exec(self.space, &err));
	close(go[0]);
	close(go[1]);
	close(done[0]);
	self_finish(&self);
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static bool is_zombie(pid_t pid)
{
	char path[32], text[256] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *in = fopen(path, "re");
	size_t length = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[length] = '\0';
	return strstr(text, ") Z ") != NULL;
}

static void test_process_without_its_first_thread(void **state)
{
	(void)state;
	pid_t pid = fork_child();
	if (pid == 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		pthread_exit(NULL);
	}
	while (!is_zombie(pid))
		usleep(1000);
	struct error err = {.text = ""};
	struct self self = {.profile = profile_create()};
	self.space = address_space_create(open_proc(pid), self.profile, NULL, NULL, &err);
	if (!self.space)
		fail_msg("%s", err.text);
	uint64_t here = (uint64_t)(uintptr_t)wait_for_ever, bias = 0;
	const struct region *region = address_space_find(self.space, here);
	assert_non_null(region);
	assert_true(self_mapping(&self, region)->is_main);
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	assert_string_equal(elf_image_symbol(image, here - bias)->name, "wait_for_ever");
	unsigned char bytes[16];
	assert_int_equal(address_space_read(self.space, here, bytes, sizeof(bytes)), 16);
	assert_memory_equal(bytes, (void *)(uintptr_t)here, 16);
	end(pid);
	self_finish(&self);
}

static void test_process_that_is_gone_is_an_error(void **state)
{
	(void)state;
	struct profile *profile = profile_create();
	pid_t pid = fork_child();
	if (pid == 0)
		_exit(0);
	int fd = open_proc(pid);
	waitpid(pid, NULL, 0);
	struct error err = {.text = ""};
	assert_null(address_space_create(fd, profile, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "exited"));
	profile_unref(profile);
}

static const char told[] = "100000-200000 r-xp 00000000 00:00 0 \n"
			   "7fff00000000-7fff00002000 r-xp 00000000 00:00 0 [vdso]\n";

/* What is read after another exec does not replace what the sampler told of this one. */
static void test_maps_of_another_exec_are_dropped(void **state)
{
	(void)state;
	struct self self = {.profile = profile_create()};
	self.space =
		address_space_create(open_proc(getpid()), self.profile, NULL, NULL, NULL);
	assert_non_null(self.space);
	uint64_t here = (uint64_t)(uintptr_t)wait_for_ever;
	assert_non_null(address_space_find(self.space, here));
	address_space_tell(self.space, told, sizeof(told) - 1);
	assert_null(address_space_find(self.space, here));
	assert_false(address_space_refresh(self.space)); /* ours: the vDSO is elsewhere */
	assert_non_null(address_space_find(self.space, 0x100010));
	assert_null(address_space_find(self.space, here));

	/* Ours, less a line: the same exec, so what is read holds. */
	FILE *file = fopen("/proc/self/maps", "re");
	assert_non_null(file);
	static char text[1 << 20];
	size_t length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	const char *second = memchr(text, '\n', length);
	assert_non_null(second);
	second++;
	address_space_tell(self.space, second, length - (size_t)(second - text));
	assert_true(address_space_refresh(self.space));
	assert_non_null(address_space_find(self.space, here));

	/* Told of later than it was read, the process as it began: what it has mapped
	   since is not lost code. */
	text[length] = '\0';
	const char *vdso = strstr(text, "[vdso]");
	assert_non_null(vdso);
	while (vdso > text && vdso[-1] != '\n')
		vdso--;
	address_space_check(self.space);
	address_space_tell(self.space, vdso, strcspn(vdso, "\n") + 1);
	assert_null(address_space_find(self.space, here));
	assert_true(address_space_refresh(self.space));
	assert_non_null(address_space_find(self.space, here));
	address_space_destroy(self.space);
	profile_unref(self.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec_forgets_the_old_program),
		cmocka_unit_test(test_maps_of_another_exec_are_dropped),
		cmocka_unit_test(test_process_without_its_first_thread),
		cmocka_unit_test(test_process_that_is_gone_is_an_error),
	};
	return unit_run(tests);
}
