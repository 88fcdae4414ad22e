/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dead-files FOLDER [SECONDS]: a thread whose stack lies in a file whose server does not
 * answer.
 *
 * FOLDER becomes a file system of our own (FUSE, in a mount namespace of our own) with
 * one file, which a thread has mapped and uses as its stack. A child of ours is the
 * server: it answers for the first half of the file, where the thread's frames are, and
 * never for the second, where the rest of a stack would be. A process that reads that
 * blocks, and cannot be killed, until the server ends.
 *
 * Truth: burns CPU in burn_on_file until the end; prints "n/a" and exits with 77 where
 * there is no FUSE or we may not mount.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	HALF = 128 * 1024,
	FILE_NODE = 2,
	REQUEST_BYTES = 64 * 1024, /* more than the kernel's least */
};

static uint64_t end_ns;

static VISIBLE void burn_on_file(uint64_t until)
{
	burn_until(until);
}

/* --- the server -------------------------------------------------------------------- */

static void answer(int fuse, const struct fuse_in_header *in, int error, const void *body,
	size_t length)
{
	static char message[sizeof(struct fuse_out_header) + REQUEST_BYTES];
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + length),
		.error = -error,
		.unique = in->unique,
	};
	memcpy(message, &out, sizeof(out));
	memcpy(message + sizeof(out), body, length);
	ssize_t ignored = write(fuse, message, out.len);
	(void)ignored;
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = {
		.ino = node,
		.mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
		.size = node == FILE_NODE ? 2 * HALF : 0,
		.nlink = 1,
		.blksize = 4096,
	};
	return attr;
}

static void answer_read(int fuse, const struct fuse_in_header *in, const void *body)
{
	static const char nothing[REQUEST_BYTES - sizeof(struct fuse_out_header)];
	const struct fuse_read_in *ask = body;
	if (ask->offset + ask->size <= HALF && ask->size <= sizeof(nothing))
		answer(fuse, in, 0, nothing, ask->size);
}

static void serve(int fuse, const struct fuse_in_header *in, const void *body)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
	};
	struct fuse_entry_out entry = {
		.nodeid = FILE_NODE,
		.attr_valid = 3600,
		.entry_valid = 3600,
		.attr = attributes(FILE_NODE),
	};
	struct fuse_attr_out attr = {.attr_valid = 3600, .attr = attributes(in->nodeid)};
	struct fuse_open_out open = {.fh = 1};
	switch (in->opcode) {
	case FUSE_INIT:
		answer(fuse, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(fuse, in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(fuse, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(fuse, in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		answer_read(fuse, in, body);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fuse, in, ENOSYS, NULL, 0);
		break;
	}
}

static _Noreturn void serve_on(int fuse)
{
	static _Alignas(struct fuse_in_header) char request[REQUEST_BYTES];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t got = read(fuse, request, sizeof(request));
		if (got < 0 && errno == ENODEV)
			_exit(0); /* nothing is mounted any more */
		const struct fuse_in_header *in = (const void *)request;
		if (got >= (ssize_t)sizeof(*in))
			serve(fuse, in, in + 1);
	}
}

/* --- the thread -------------------------------------------------------------------- */

static ucontext_t on_file, before;

static void burn_to_the_end(void)
{
	while (work_goes_on(end_ns))
		burn_on_file(thread_cpu_ns() + MS);
	_exit(0);
}

static void *switch_stack(void *stack)
{
	getcontext(&on_file);
	on_file.uc_stack.ss_sp = stack;
	on_file.uc_stack.ss_size = HALF;
	on_file.uc_link = &before;
	makecontext(&on_file, burn_to_the_end, 0);
	swapcontext(&before, &on_file);
	return NULL;
}

static _Noreturn void give_up(const char *what)
{
	printf("n/a: %s: %s\nready\n", what, strerror(errno));
	exit(77);
}

/* The pages that are there when the server has given them. */
static void *map_stack(const char *folder)
{
	char name[4096];
	snprintf(name, sizeof(name), "%s/stack", folder);
	int fd = open(name, O_RDWR);
	char *stack =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, 2 * HALF, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (stack == MAP_FAILED)
		give_up(name);
	for (size_t i = 0; i < HALF; i += 4096)
		stack[i] = 0;
	return stack;
}

int main(int argc, char **argv)
{
	char options[80];
	pthread_t thread;
	if (argc < 2)
		return 2;
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse < 0)
		give_up("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40700,user_id=%u,group_id=%u",
		fuse, getuid(), getgid());
	if (unshare(CLONE_NEWNS) != 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("dead-files", argv[1], "fuse", MS_NODEV | MS_NOSUID, options) != 0)
		give_up("mount");
	pid_t server = fork();
	if (server == 0)
		serve_on(fuse);
	close(fuse);
	end_ns = work_prepare(argc > 2 ? argv[2] : NULL);
	if (pthread_create(&thread, NULL, switch_stack, map_stack(argv[1])) != 0)
		return 1;
	work_ready();
	while (work_goes_on(end_ns))
		work_sleep_ns(20 * MS);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
