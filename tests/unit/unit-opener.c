/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that may open nothing gets from the opener over a socket: what a rule grants,
   and nothing beside it, however it asks. */

#include "tests/lib/unit.h"

#include "src/base/ask-opener.h"
#include "src/base/packet.h"
#include "src/base/small-file.h"
#include "src/process/inner-tids.h"
#include "src/process/maps.h"
#include "src/process/proc-dir.h"
#include "src/read/names/perf-map.h"
#include "src/read/runtimes/v8/v8-map-file.h"
#include "src/read/space/mapped-file.h"
#include "src/run/opener/opener.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child that asks. */
#define CHECK(condition)                                                      \
	do {                                                                  \
		if (!(condition)) {                                           \
			fprintf(stderr, "# line %d: not %s (%s)\n", __LINE__, \
				#condition, strerror(errno));                 \
			_exit(1);                                             \
		}                                                             \
	} while (0)

static volatile int known_word = 4711; /* the same address in all that are forked */

struct place {
	char dir[64];  /* "debug" and "outside" are folders in it */
	char code[96]; /* a program that the target has mapped for running */
	char data[96]; /* a file that it has mapped for reading */
	pid_t target, other;
	int target_fd, other_fd;
	int ends[2]; /* a pipe that the target has open, too */
	struct opener *opener;
};

/* --- processes ------------------------------------------------------------------------- */

static volatile sig_atomic_t n_quits;

static void on_quit(int number)
{
	(void)number;
	n_quits++;
}

static void map(const char *path, int protection)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || mmap(NULL, 4096, protection, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(2);
	close(fd);
}

/* Ends with the number of SIGQUITs that it got. */
static _Noreturn void run_target(const struct place *place)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGQUIT, on_quit);
	map(place->code, PROT_READ | PROT_EXEC);
	map(place->data, PROT_READ);
	if (chdir(place->dir) != 0)
		_exit(3);
	raise(SIGSTOP); /* it is ready */
	while (n_quits == 0)
		poll(NULL, 0, 10);
	_exit(n_quits);
}

static pid_t begin_target(const struct place *place, int *proc_fd)
{
	char path[32];
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_target(place);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	kill(pid, SIGCONT);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	*proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(*proc_fd >= 0);
	return pid;
}

static void in_dir(const struct place *place, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", place->dir, name);
}

static void write_file(const struct place *place, const char *name, const char *text)
{
	char path[128];
	in_dir(place, name, path);
	unlink(path);
	FILE *out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void copy_program(const char *to)
{
	char command[256];
	snprintf(command, sizeof(command), "cp /bin/true '%s'", to);
	assert_int_equal(system(command), 0);
}

static void make_files(struct place *place)
{
	char path[128];
	in_dir(place, "debug", path);
	assert_int_equal(mkdir(path, 0700), 0);
	in_dir(place, "outside", path);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(place, "debug/names", "names");
	write_file(place, "outside/secret", "secret");
	write_file(place, "outside/app.js.map", "positions");
	in_dir(place, "debug/link-in", path);
	assert_int_equal(symlink("names", path), 0);
	in_dir(place, "debug/link-out", path);
	assert_int_equal(symlink("../outside/secret", path), 0);
	in_dir(place, "debug/folder-out", path);
	assert_int_equal(symlink(place->dir, path), 0);
	in_dir(place, "debug/fifo", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	in_dir(place, "debug/null", path);
	assert_int_equal(symlink("/dev/null", path), 0);
	snprintf(place->code, sizeof(place->code), "%s/libjvm.so", place->dir);
	snprintf(place->data, sizeof(place->data), "%s/outside/secret", place->dir);
	copy_program(place->code);
}

static bool source_maps; /* are wanted */

static struct place place_begin(void)
{
	struct place place = {.dir = "/tmp/cproftop-opener-XXXXXX"};
	char dirs[192];
	assert_non_null(mkdtemp(place.dir));
	make_files(&place);
	assert_int_equal(pipe2(place.ends, O_CLOEXEC), 0);
	place.target = begin_target(&place, &place.target_fd);
	place.other = begin_target(&place, &place.other_fd);
	snprintf(dirs, sizeof(dirs), "/nowhere:%s/debug/", place.dir);
	place.opener = opener_create(
		&(struct opener_options){.debug_dirs = dirs, .source_maps = source_maps});
	assert_true(opener_add(place.opener, place.target_fd));
	return place;
}

static int end(pid_t pid, int fd, bool is_killed)
{
	int status;
	if (is_killed)
		kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	return status;
}

static void place_end(struct place *place)
{
	char command[128];
	opener_destroy(place->opener);
	if (place->target > 0)
		end(place->target, place->target_fd, true);
	end(place->other, place->other_fd, true);
	close(place->ends[0]);
	close(place->ends[1]);
	snprintf(command, sizeof(command), "rm -r '%s'", place->dir);
	assert_int_equal(system(command), 0);
}

/* --- who asks -------------------------------------------------------------------------- */

/* What opens, connects or reads the memory of others ends this process. */
static void give_up(void)
{
	static const unsigned calls[] = {SYS_openat, SYS_openat2, SYS_readlinkat,
		SYS_process_vm_readv, SYS_connect, SYS_statx, SYS_execve, SYS_clone,
#ifdef SYS_open /* a processor with the old calls */
		SYS_open, SYS_readlink, SYS_fork, SYS_vfork,
#endif
		SYS_kill};
	enum {
		N = sizeof(calls) / sizeof(*calls)
	};
	struct sock_filter code[N + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	for (unsigned i = 0; i < N; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, calls[i], (unsigned char)(N - i), 0);
	code[N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[N + 2] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	const struct sock_fprog filter = {N + 3, code};
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static int asking_socket; /* of the child */

/* Have ASK run in a child without rights whose opener is PLACE's; it must end well. */
static void ask_in_child(
	const struct place *place, void (*ask)(const struct place *place))
{
	int pair[2], status;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(pair[0]);
		give_up();
		asking_socket = pair[1];
		ask_opener_over(asking_socket);
		ask(place);
		_exit(0);
	}
	close(pair[1]);
	assert_true(opener_serve(place->opener, pair[0], NULL));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void run(void (*ask)(const struct place *place))
{
	struct place place = place_begin();
	ask_in_child(&place, ask);
	place_end(&place);
}

static bool is_refused(int dir_fd, const char *path)
{
	errno = 0;
	return ask_opener_open(dir_fd, path, O_RDONLY) < 0 && errno == EACCES;
}

/* --- entries --------------------------------------------------------------------------- */

static void ask_for_entries(const struct place *place)
{
	char text[8192], name[64];
	struct inner_tids tids = {0};
	CHECK(ask_opener_is_used());
	CHECK(small_file_read(place->target_fd, "maps", text, sizeof(text)) > 0);
	CHECK(strstr(text, "libjvm.so"));
	snprintf(name, sizeof(name), "task/%d/stat", place->target);
	CHECK(small_file_read(place->target_fd, name, text, sizeof(text)) > 0);
	CHECK(atoi(text) == place->target);
	CHECK(small_file_read(place->target_fd, "status", text, sizeof(text)) > 0);
	CHECK(small_file_read(place->target_fd, "cmdline", text, sizeof(text)) > 0);
	CHECK(small_file_read(place->target_fd, "comm", text, sizeof(text)) > 0);
	CHECK(strcmp(text, "unit-opener\n") == 0);
	snprintf(name, sizeof(name), "/proc/%d/comm", place->other);
	CHECK(small_file_read(AT_FDCWD, name, text, sizeof(text)) > 0);
	int locks = ask_opener_open(AT_FDCWD, "/proc/locks", O_RDONLY);
	CHECK(locks >= 0);
	snprintf(name, sizeof(name), "fdinfo/%d", place->ends[0]);
	CHECK(small_file_read(place->target_fd, name, text, sizeof(text)) > 0);
	CHECK(inner_tids_find(&tids, place->target_fd, place->target, 1) ==
		place->target);
	CHECK(inner_tids_find(&tids, place->target_fd, place->other, 2) == 0);
	CHECK(ask_opener_exists(place->target_fd, "stat"));
	int tasks = ask_opener_open(place->target_fd, "task", O_RDONLY | O_DIRECTORY);
	DIR *dir = fdopendir(tasks);
	CHECK(dir && readdir(dir));
	closedir(dir);
}

static void ask_for_links(const struct place *place)
{
	char name[64], link[128];
	snprintf(name, sizeof(name), "fd/%d", place->ends[0]);
	ssize_t length = ask_opener_link(place->target_fd, name, link, sizeof(link) - 1);
	CHECK(length > 6 && memcmp(link, "pipe:[", 6) == 0);
	CHECK(ask_opener_link(place->target_fd, name, link, 4) == 4);
	CHECK(ask_opener_link(place->target_fd, "fd/999", link, 4) < 0 &&
		errno == ENOENT);
	CHECK(ask_opener_link(place->target_fd, "exe", link, 4) < 0 && errno == EACCES);
	CHECK(ask_opener_link(place->other_fd, name, link, 4) < 0 && errno == EACCES);

	char names[128], links[256];
	int errnum;
	size_t first = (size_t)snprintf(names, sizeof(names), "%s", name) + 1;
	memcpy(names + first, "fd/999", 7);
	memcpy(names + first + 7, names, first);
	CHECK(ask_opener_links(
		      place->target_fd, names, 3, links, sizeof(links), &errnum) == 3);
	CHECK(errnum == 0);
	const char *second = links + strlen(links) + 1;
	CHECK(strncmp(links, "pipe:[", 6) == 0 && !second[0]);
	CHECK(strcmp(second + 1, links) == 0);
}

static void ask_for_memory(const struct place *place)
{
	struct proc_dir dir;
	int word = 0;
	uint64_t address = (uintptr_t)&known_word;
	proc_dir_init(&dir, place->target_fd);
	proc_dir_open_memory(&dir);
	CHECK(dir.memory >= 0);
	CHECK(proc_dir_read_memory(&dir, address, &word, sizeof(word)) == sizeof(word));
	CHECK(word == 4711);
	/* by calls, as where mem must not be opened */
	word = 0;
	CHECK(ask_opener_memory(place->target_fd, place->target, &word, sizeof(word),
		      address) == sizeof(word));
	CHECK(word == 4711);
	static char much[3 * OPENER_BYTES_MAX];
	CHECK(ask_opener_memory(place->target_fd, place->target, much, sizeof(much),
		      (uintptr_t)much) == sizeof(much));
	CHECK(ask_opener_memory(place->target_fd, place->target, &word, 1, 0) < 0 &&
		errno == EFAULT);
	CHECK(ask_opener_memory(place->target_fd, place->other, &word, 4, address) < 0 &&
		errno == EACCES);
	CHECK(ask_opener_memory(place->other_fd, place->other, &word, 4, address) < 0 &&
		errno == EACCES);
}

static void ask_for_what_is_not_granted(const struct place *place)
{
	static const char *const names[] = {"environ", "root", "cwd", "exe", "fd", "fd/0",
		"..", ".", "", "maps/", "./maps", "../1/maps", "task/1/../../environ",
		"task/", "task//maps", "task/1/environ", "task/1/task", "/etc/passwd",
		"/proc/1/environ", "/proc/self/mem", "/proc/locks/", "/proc/1/comm/..",
		"/proc//comm", "fdinfo/", "fdinfo/x", "fdinfo/0/", "map_files/0-1",
		"fdinfo/00000000000000000000000000"};
	char path[64];
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK(is_refused(place->target_fd, names[i]));
		CHECK(is_refused(AT_FDCWD, names[i]));
	}
	CHECK(is_refused(place->target_fd, "/proc/locks"));
	CHECK(is_refused(place->other_fd, "maps"));
	CHECK(is_refused(place->ends[0], "maps"));
	CHECK(is_refused(AT_FDCWD, "maps"));
	CHECK(!ask_opener_exists(place->target_fd, "task/1/stat"));
	CHECK(!ask_opener_exists(place->target_fd, "root/etc/passwd"));
	snprintf(path, sizeof(path), "/proc/%d/maps", place->target);
	CHECK(is_refused(AT_FDCWD, path));
}

static void test_entries(void **state)
{
	(void)state;
	run(ask_for_entries);
	run(ask_for_links);
	run(ask_for_memory);
	run(ask_for_what_is_not_granted);
}

/* --- what is mapped -------------------------------------------------------------------- */

/* The line of maps of what is called PATH. */
static struct mapped_file line_of(const struct place *place, const char *path)
{
	size_t length;
	struct maps_line line;
	char *text = maps_read(place->target_fd, "maps", &length, NULL);
	CHECK(text);
	for (const char *at = text; maps_next(&at, text + length, &line);)
		if (line.path_length == strlen(path) &&
			memcmp(line.path, path, line.path_length) == 0) {
			free(text);
			return (struct mapped_file){.start = line.start,
				.limit = line.limit,
				.dev_major = line.dev_major,
				.dev_minor = line.dev_minor,
				.inode = line.inode,
				.path = path};
		}
	CHECK(!"a mapping");
	return (struct mapped_file){0};
}

static bool is_elf(int fd)
{
	char magic[4] = "";
	return fd >= 0 && pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

static void ask_for_mapped_files(const struct place *place)
{
	struct proc_dir dir;
	struct mapped_file exe, code = line_of(place, place->code),
				data = line_of(place, place->data);
	proc_dir_init(&dir, place->target_fd);
	CHECK(is_elf(mapped_file_open(&dir, &code, NULL)));
	CHECK(mapped_file_identify_exe(&dir, &exe));
	CHECK(exe.inode != 0 && exe.inode != code.inode);
	CHECK(mapped_file_open(&dir, &data, NULL) < 0 && errno == ESTALE);
	struct mapped_file false_path = code;
	false_path.path = place->data;
	CHECK(mapped_file_open(&dir, &false_path, NULL) < 0 && errno == ESTALE);
	false_path.path = "/etc/shadow";
	CHECK(mapped_file_open(&dir, &false_path, NULL) < 0 && errno == ESTALE);
	struct mapped_file false_inode = code;
	false_inode.inode = data.inode;
	CHECK(mapped_file_open(&dir, &false_inode, NULL) < 0 && errno == ESTALE);
	false_inode.inode = 0; /* as memory of no file */
	CHECK(mapped_file_open(&dir, &false_inode, NULL) < 0 && errno == ESTALE);
	proc_dir_init(&dir, place->other_fd);
	CHECK(mapped_file_open(&dir, &code, NULL) < 0 && errno == EACCES);
	CHECK(!mapped_file_identify_exe(&dir, &exe));
}

static int ask_for_code(const char *path)
{
	struct opener_question question = {.kind = OPENER_CODE};
	return ask_opener_file(&question, -1, path);
}

static void ask_for_known_code(const struct place *place)
{
	CHECK(is_elf(ask_for_code(place->code)));
	CHECK(ask_for_code("/bin/sh") < 0 && errno == EACCES);
	CHECK(ask_for_code(place->data) < 0 && errno == EACCES);
}

static void ask_for_replaced_code(const struct place *place)
{
	CHECK(ask_for_code(place->code) < 0 && errno == EACCES);
}

static void test_mapped_files(void **state)
{
	(void)state;
	struct place place = place_begin();
	ask_in_child(&place, ask_for_replaced_code); /* nobody has asked for it yet */
	ask_in_child(&place, ask_for_mapped_files);
	opener_remove(place.opener, place.target_fd);
	end(place.target, place.target_fd, true);
	place.target = 0;
	ask_in_child(&place, ask_for_known_code);
	write_file(&place, "libjvm.so", "another file");
	ask_in_child(&place, ask_for_replaced_code);
	char path[128];
	in_dir(&place, "libjvm.so", path);
	unlink(path);
	assert_int_equal(symlink("outside/secret", path), 0);
	ask_in_child(&place, ask_for_replaced_code);
	place_end(&place);
}

/* --- other files ----------------------------------------------------------------------- */

static int debug_errnum(const struct place *place, const char *name)
{
	struct opener_question question = {.kind = OPENER_DEBUG};
	char path[128];
	if (name[0] == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		in_dir(place, name, path);
	int fd = ask_opener_file(&question, -1, path);
	char first;
	return fd < 0 ? errno : pread(fd, &first, 1, 0) == 1 && first == 'n' ? 0 : -1;
}

static void ask_for_debug_files(const struct place *place)
{
	CHECK(debug_errnum(place, "debug/names") == 0);
	CHECK(debug_errnum(place, "debug//names") == 0);
	CHECK(debug_errnum(place, "debug/link-in") == 0);
	CHECK(debug_errnum(place, "debug/nothing") == ENOENT);
	CHECK(debug_errnum(place, "debug/link-out") == EXDEV);
	CHECK(debug_errnum(place, "debug/folder-out/outside/secret") == EXDEV);
	CHECK(debug_errnum(place, "debug/null") == EXDEV);
	CHECK(debug_errnum(place, "debug/fifo") == EINVAL);
	CHECK(debug_errnum(place, "debug/../outside/secret") == EACCES);
	CHECK(debug_errnum(place, "debug") == EACCES);
	CHECK(debug_errnum(place, "debugger/names") == EACCES);
	CHECK(debug_errnum(place, "outside/secret") == EACCES);
	CHECK(debug_errnum(place, "/etc/shadow") == EACCES);
	CHECK(debug_errnum(place, "/usr/lib/debug/no-such-file") != 0);
}

static void ask_for_a_perf_map(const struct place *place)
{
	struct proc_dir dir;
	proc_dir_init(&dir, place->target_fd);
	struct perf_map *map = perf_map_create(&dir, NULL);
	CHECK(perf_map_refresh(map));
	CHECK(strcmp(perf_map_find(map, 0x1010), "made_up") == 0);
	perf_map_destroy(map);
}

static const char *wanted_refusal;

static void ask_for_a_bad_perf_map(const struct place *place)
{
	struct proc_dir dir;
	proc_dir_init(&dir, place->target_fd);
	struct perf_map *map = perf_map_create(&dir, NULL);
	CHECK(!perf_map_refresh(map));
	CHECK(perf_map_refusal(map) &&
		strcmp(perf_map_refusal(map), wanted_refusal) == 0);
	perf_map_destroy(map);
}

static void ask_for_source_maps(const struct place *place)
{
	struct proc_dir dir;
	struct opener_question question = {.kind = OPENER_SOURCE_MAP};
	struct error err;
	size_t size;
	char path[128];
	in_dir(place, "outside/app.js.map", path);
	proc_dir_init(&dir, place->target_fd);
	char *bytes = v8_map_file_read(&dir, path, &size, &err);
	CHECK(bytes && size == 9 && memcmp(bytes, "positions", 9) == 0);
	free(bytes);
	CHECK(ask_opener_file(&question, place->other_fd, path) < 0 && errno == EACCES);
	CHECK(ask_opener_file(&question, -1, path) < 0 && errno == EACCES);
	in_dir(place, "outside/secret", path);
	CHECK(ask_opener_file(&question, place->target_fd, path) < 0 && errno == EACCES);
}

static void ask_for_unwanted_maps(const struct place *place)
{
	struct opener_question question = {.kind = OPENER_SOURCE_MAP};
	char path[128];
	in_dir(place, "outside/app.js.map", path);
	CHECK(ask_opener_file(&question, place->target_fd, path) < 0 && errno == EACCES);
}

static void test_files(void **state)
{
	(void)state;
	run(ask_for_debug_files);
	run(ask_for_unwanted_maps);
	source_maps = true;
	run(ask_for_source_maps);
	source_maps = false;
	char path[64];
	struct place place = place_begin();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", place.target);
	FILE *map = fopen(path, "we");
	assert_non_null(map);
	fputs("1000 20 made_up\n", map);
	fclose(map);
	ask_in_child(&place, ask_for_a_perf_map);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	wanted_refusal = "it is not a plain file";
	ask_in_child(&place, ask_for_a_bad_perf_map);
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	wanted_refusal = "it is a symbolic link";
	ask_in_child(&place, ask_for_a_bad_perf_map);
	unlink(path);
	place_end(&place);
}

/* --- bad packets ----------------------------------------------------------------------- */

/* A packet of LENGTH bytes, with a descriptor if FD is not -1; its answer must refuse it. */
static void send_bad(int socket, const void *bytes, size_t length, int fd)
{
	static unsigned char out[sizeof(struct opener_answer) + OPENER_BYTES_MAX];
	struct opener_answer answer;
	int came;
	CHECK(packet_send(socket, PACKET_WAIT, bytes, length, NULL, 0, fd));
	ssize_t got = packet_receive(
		socket, PACKET_WAIT, &answer, sizeof(answer), out, sizeof(out), &came);
	CHECK(got == 0 && answer.errnum != 0 && came < 0);
}

static void ask_badly(const struct place *place)
{
	static unsigned char bytes[8192];
	unsigned seed = 12345;
	struct stat folder;
	int socket = asking_socket;
	CHECK(fstat(place->target_fd, &folder) == 0);
	for (unsigned round = 0; round < 3000; round++) {
		size_t length = 1 + (unsigned)rand_r(&seed) % (round % 9 ? 300 : 8000);
		for (size_t i = 0; i < length; i++)
			bytes[i] = (unsigned char)rand_r(&seed);
		struct opener_question *question = (void *)bytes;
		if (round % 3 == 1) { /* half true */
			question->kind = round % (OPENER_KINDS + 1);
			question->device = folder.st_dev;
			question->folder = folder.st_ino;
			length += length == sizeof(*question); /* else all true */
		}
		send_bad(socket, bytes, length, round % 50 ? -1 : place->ends[0]);
	}
	ask_for_entries(place);
}

static void test_bad_packets(void **state)
{
	(void)state;
	struct place place = place_begin();
	unsigned before = (unsigned)open("/dev/null", O_RDONLY);
	close((int)before);
	ask_in_child(&place, ask_badly);
	ask_in_child(&place, ask_badly);
	opener_destroy(place.opener);
	place.opener = NULL;
	unsigned after = (unsigned)open("/dev/null", O_RDONLY);
	close((int)after);
	assert_true(after <= before); /* no descriptor was left open */
	place_end(&place);
}

/* --- one after the other ---------------------------------------------------------------- */

static void ask_in_vain(const struct place *place)
{
	CHECK(is_refused(place->target_fd, "maps"));
}

/* Questions whose answers nobody takes. */
static void ask_deaf(const struct place *place)
{
	(void)place;
	struct opener_question question = {.kind = OPENER_KINDS};
	int socket = asking_socket;
	CHECK(fcntl(socket, F_SETFL, O_NONBLOCK) == 0);
	for (int i = 0; i < 3; poll(NULL, 0, 20), i++)
		while (send(socket, &question, sizeof(question), MSG_NOSIGNAL) > 0)
			;
}

static void test_readers_come_and_go(void **state)
{
	(void)state;
	struct place place = place_begin();
	ask_in_child(&place, ask_for_entries);
	ask_in_child(&place, ask_deaf);
	ask_in_child(&place, ask_for_entries);
	opener_remove(place.opener, place.other_fd); /* that was never added */
	ask_in_child(&place, ask_for_entries);
	opener_remove(place.opener, place.target_fd);
	ask_in_child(&place, ask_in_vain);
	assert_true(opener_add(place.opener, place.target_fd));
	ask_in_child(&place, ask_for_entries);
	place_end(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_mapped_files),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_bad_packets),
		cmocka_unit_test(test_readers_come_and_go),
	};
	return unit_run(tests);
}
