/* address-space: this process as the target, and some others. */

#include "tests/lib/self.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- this process ------------------------------------------------------------------ */

static void test_main_executable_comes_first(void **state)
{
	(void)state;
	struct self self = self_open();
	uint64_t here = (uint64_t)(uintptr_t)test_main_executable_comes_first;
	const struct region *region = address_space_find(self.space, here);
	assert_non_null(region);
	assert_int_equal(region->mapping, 0);
	const struct mapping *mapping = self_mapping(&self, region);
	assert_true(mapping->is_main);
	assert_string_equal(mapping->module, "unit-address-space");
	assert_int_equal(mapping->start, region->start);

	uint64_t bias = 0;
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	assert_string_equal(address_space_image_problem(self.space, region), "");
	Dl_info info;
	assert_true(dladdr((void *)test_main_executable_comes_first, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	unsigned char bytes[32];
	assert_true(elf_image_read(image, here - bias, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, (void *)(uintptr_t)here, sizeof(bytes));
	self_finish(&self);
}

static void test_library_and_vdso_have_images(void **state)
{
	(void)state;
	struct self self = self_open();
	const void *inside = dlsym(RTLD_DEFAULT, "hcreate");
	const struct region *libc =
		address_space_find(self.space, (uint64_t)(uintptr_t)inside);
	assert_non_null(libc);
	uint64_t bias = 0;
	assert_non_null(address_space_image(self.space, libc, &bias));
	Dl_info info;
	assert_true(dladdr(inside, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	assert_false(self_mapping(&self, libc)->is_main);
	assert_int_equal(strlen(self_mapping(&self, libc)->build_id), 40);

	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	const struct region *vdso = address_space_find(self.space, start);
	if (start) {
		assert_non_null(vdso);
		assert_non_null(address_space_image(self.space, vdso, &bias));
		assert_int_equal(bias, start);
		assert_string_equal(self_mapping(&self, vdso)->module, "[vdso]");
	}
	self_finish(&self);
}

static void test_memory_is_read_until_it_ends(void **state)
{
	(void)state;
	struct self self = self_open();
	char text[] = "what is here", copy[sizeof(text)];
	uint64_t at = (uint64_t)(uintptr_t)text;
	assert_int_equal(
		address_space_read(self.space, at, copy, sizeof(copy)), sizeof(copy));
	assert_string_equal(copy, text);
	assert_int_equal(address_space_read(self.space, 0, copy, 1), 0);
	assert_int_equal(address_space_read(self.space, UINT64_MAX, copy, 1), 0);
	self_finish(&self);
}

static void test_new_code_is_found_after_a_refresh(void **state)
{
	(void)state;
	struct self self = self_open();
	uint64_t before = address_space_generation(self.space);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(
		NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)code;
	assert_null(address_space_find(self.space, at));
	uint64_t now = UINT64_C(5000000000);
	assert_true(address_space_refresh_if_due(self.space, now, true));
	assert_int_equal(address_space_generation(self.space), before + 1);
	const struct region *region = address_space_find(self.space, at);
	assert_non_null(region);
	assert_string_equal(region->path, "");
	assert_string_equal(self_mapping(&self, region)->path, "[anon]");
	assert_string_equal(self_mapping(&self, region)->module, "[anon]");
	uint64_t bias;
	assert_null(address_space_image(self.space, region, &bias));
	assert_string_equal(
		address_space_image_problem(self.space, region), "[anon]: not a file");

	/* What changes may change again at once. */
	munmap(code, page);
	assert_false(address_space_refresh_if_due(self.space, now + 999999999, false));
	assert_non_null(address_space_find(self.space, at));
	assert_true(address_space_refresh_if_due(self.space, now + 1, true));
	assert_null(address_space_find(self.space, at));

#ifndef __SANITIZE_ADDRESS__ /* which maps memory of its own at any time */
	/* What does not is read four times more, and then not before 100 ms have
	   passed. */
	for (int i = 0; i < 4; i++)
		assert_false(address_space_refresh_if_due(self.space, now + 2, true));
	assert_ptr_equal(mmap(code, page, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		code);
	assert_false(address_space_refresh_if_due(self.space, now + 100000001, true));
	assert_null(address_space_find(self.space, at));
	assert_true(address_space_refresh_if_due(self.space, now + 100000002, true));
	assert_non_null(address_space_find(self.space, at));
	munmap(code, page);
	assert_true(address_space_refresh_if_due(self.space, now + 100000003, true));
#endif
	assert_null(address_space_find(self.space, at));
	self_finish(&self);
}

/* LLD does not align p_offset: the mapping's offset is in no segment, exactly taken. */
static void test_file_linked_by_lld(void **state)
{
	(void)state;
	char dir[] = "./lld-XXXXXX", source[64], library[64], command[512];
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	assert_non_null(mkdtemp(dir));
	snprintf(source, sizeof(source), "%s/tiny.c", dir);
	snprintf(library, sizeof(library), "%s/libtiny.so", dir);
	FILE *out = fopen(source, "w");
	fputs("int inside(int x) { return x * 3; }\n", out);
	fclose(out);
	snprintf(command, sizeof(command),
		"%s -O1 -fPIC -shared -nostdlib -fuse-ld=lld -o %s %s 2>/dev/null", cc,
		library, source);
	void *tiny = system(command) == 0 ? dlopen(library, RTLD_NOW) : NULL;
	if (tiny) {
		struct self self = self_open();
		const void *inside = dlsym(tiny, "inside");
		Dl_info info;
		assert_true(dladdr(inside, &info) != 0);
		const struct region *region =
			address_space_find(self.space, (uintptr_t)inside);
		uint64_t bias = 0;
		struct elf_image *image = address_space_image(self.space, region, &bias);
		assert_non_null(image);
		assert_int_equal(bias, (uintptr_t)info.dli_fbase);
		const struct elf_symbol *symbol =
			elf_image_symbol(image, (uintptr_t)inside - bias);
		assert_string_equal(symbol->name, "inside");
		struct elf_unwind_table table;
		assert_true(elf_image_unwind_table(image, &table));
		self_finish(&self);
		dlclose(tiny);
	}
	unlink(source);
	unlink(library);
	rmdir(dir);
	if (!tiny)
		skip(); /* no LLD here */
}

/* This process's maps, with the lines of FROM's file pretending to be of another one. */
static char *forge_maps(const char *module, const char *new_path)
{
	FILE *in = fopen("/proc/self/maps", "re");
	char *text = NULL, line[4352];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	while (fgets(line, sizeof(line), in)) {
		char *path = strchr(line, '/');
		int inode_at = 0;
		if (!path || !strstr(path, module)) {
			fputs(line, out);
			continue;
		}
		sscanf(line, "%*s %*s %*s %*s %n", &inode_at);
		fprintf(out, "%.*s4000000007 %s\n", inode_at, line, new_path);
	}
	fclose(in);
	fclose(out);
	return text;
}

static void test_deleted_file_is_read_from_memory(void **state)
{
	(void)state;
	struct self self = self_open();
	char *text = forge_maps("/libc.so.6", "/gone/libc.so.6 (deleted)");
	self_parse(&self, text);
	const unsigned char *inside = dlsym(RTLD_DEFAULT, "hcreate");
	const struct region *region = address_space_find(self.space, (uintptr_t)inside);
	assert_non_null(region);
	assert_int_equal(region->inode, 4000000007);
	assert_string_equal(
		self_mapping(&self, region)->path, "/gone/libc.so.6 (deleted)");
	assert_string_equal(self_mapping(&self, region)->module, "libc.so.6");
	assert_int_equal(strlen(self_mapping(&self, region)->build_id), 40);
	assert_string_equal(address_space_image_problem(self.space, region),
		"/gone/libc.so.6 (deleted): the mapped file was deleted or replaced");

	uint64_t bias = 0;
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	Dl_info info;
	assert_true(dladdr(inside, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	struct elf_unwind_table table;
	assert_true(elf_image_unwind_table(image, &table));
	unsigned char bytes[64];
	assert_true(
		elf_image_read(image, (uintptr_t)inside - bias, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, inside, sizeof(bytes));
	assert_null(elf_image_symbol(image, (uintptr_t)inside - bias));
	free(text);
	self_finish(&self);
}

/* --- other processes --------------------------------------------------------------- */

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
	self.space = address_space_create(open_proc(pid), self.profile, NULL, NULL);
	assert_non_null(self.space);
	assert_string_equal(
		profile_mapping(self.profile, 0)->module, "unit-address-space");
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
	self.space = address_space_create(open_proc(pid), self.profile, NULL, &err);
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
	assert_null(address_space_create(fd, profile, NULL, &err));
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
	self.space = address_space_create(open_proc(getpid()), self.profile, NULL, NULL);
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
		cmocka_unit_test(test_main_executable_comes_first),
		cmocka_unit_test(test_library_and_vdso_have_images),
		cmocka_unit_test(test_memory_is_read_until_it_ends),
		cmocka_unit_test(test_new_code_is_found_after_a_refresh),
		cmocka_unit_test(test_file_linked_by_lld),
		cmocka_unit_test(test_deleted_file_is_read_from_memory),
		cmocka_unit_test(test_exec_forgets_the_old_program),
		cmocka_unit_test(test_maps_of_another_exec_are_dropped),
		cmocka_unit_test(test_process_without_its_first_thread),
		cmocka_unit_test(test_process_that_is_gone_is_an_error),
	};
	return unit_run(tests);
}
