/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that move pages: between pipes, files and memory, and from process to process. */

#include "whole-calls.h"

#include "work.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MEGABYTE = 1 << 20, /* what a pipe may hold without rights */
	MEMORY_BYTES = 8 << 20,
	PARTS = 8,
};

static unsigned char *from, *to;
static int file_fd = -1, self_fd = -1;

static bool make_memory(void)
{
	if (from)
		return true;
	from = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	file_fd = memfd_create("pages", MFD_CLOEXEC);
	if (from == MAP_FAILED || to == MAP_FAILED || file_fd < 0)
		return false;
	stream_fill(from, 0, MEMORY_BYTES);
	self_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	return write(file_fd, from, MEGABYTE) == MEGABYTE;
}

/* --- pipes ------------------------------------------------------------------------ */

static int full[2], empty[2];

static bool make_pipes(void)
{
	return make_memory() && (full[0] || pipe2(full, O_CLOEXEC) == 0) &&
	       (empty[0] || pipe2(empty, O_CLOEXEC) == 0) &&
	       fcntl(full[0], F_SETPIPE_SZ, MEGABYTE) == MEGABYTE &&
	       fcntl(empty[0], F_SETPIPE_SZ, MEGABYTE) == MEGABYTE;
}

static void fill_pipe(void)
{
	for (long have = 0; have < MEGABYTE;) {
		ssize_t put = write(full[1], from + have, (size_t)(MEGABYTE - have));
		have += put > 0 ? put : 0;
	}
}

/* Are the next BYTES in the pipe those from AT on? It is empty then. */
static bool holds(const int *pipe_ends, long at, long bytes)
{
	long have = 0;
	while (have < bytes) {
		ssize_t got = read(pipe_ends[0], to + have, (size_t)(bytes - have));
		have += got > 0 ? got : 0;
	}
	return memcmp(to, from + at, (size_t)bytes) == 0;
}

/* RESULT bytes were taken out of the full pipe; the rest are still in it. */
static enum whole_outcome taken(long result, bool good)
{
	long some = result > 0 ? result : 0;
	good = holds(full, some, MEGABYTE - some) && good;
	return whole_judge(result, MEGABYTE, good);
}

static enum whole_outcome enter_splice_to_file(void)
{
	loff_t at = MEGABYTE;
	fill_pipe();
	long result =
		call(SYS_splice, full[0], 0, file_fd, (long)&at, 2 * (long)MEGABYTE, 0);
	long some = result > 0 ? result : 0;
	bool good = at == MEGABYTE + some &&
		    pread(file_fd, to, (size_t)some, MEGABYTE) == some &&
		    memcmp(to, from, (size_t)some) == 0;
	return taken(result, good);
}

static enum whole_outcome enter_splice_from_file(void)
{
	loff_t at = 0;
	long result = call(SYS_splice, file_fd, (long)&at, empty[1], 0, MEGABYTE, 0);
	bool good = result < 0 || (at == result && holds(empty, 0, result));
	return whole_judge(result, MEGABYTE, good);
}

static enum whole_outcome enter_splice_pipes(void)
{
	fill_pipe();
	long result = call(SYS_splice, full[0], 0, empty[1], 0, MEGABYTE, 0);
	return taken(result, result < 0 || holds(empty, 0, result));
}

static enum whole_outcome enter_tee(void)
{
	fill_pipe();
	long result = call(SYS_tee, full[0], empty[1], MEGABYTE, 0, 0, 0);
	bool good = result < 0 || holds(empty, 0, result);
	return whole_judge(result, MEGABYTE, holds(full, 0, MEGABYTE) && good);
}

static enum whole_outcome enter_vmsplice_to(void)
{
	struct iovec all = {from, MEGABYTE};
	long result = call(SYS_vmsplice, empty[1], (long)&all, 1, 0, 0, 0);
	return whole_judge(result, MEGABYTE, result < 0 || holds(empty, 0, result));
}

static enum whole_outcome enter_vmsplice_from(void)
{
	struct iovec pieces[PIECES];
	fill_pipe();
	whole_cut_up(pieces, to, MEGABYTE);
	long result = call(SYS_vmsplice, full[0], (long)pieces, PIECES, 0, 0, 0);
	return taken(result, result < 0 || memcmp(to, from, (size_t)result) == 0);
}

/* --- memory ------------------------------------------------------------------------ */

static enum whole_outcome enter_vm(long number)
{
	struct iovec ours[PIECES], theirs = {from, MEMORY_BYTES};
	memset(to, 0, MEMORY_BYTES);
	whole_cut_up(ours, to, MEMORY_BYTES);
	if (number == SYS_process_vm_writev) {
		theirs.iov_base = to;
		whole_cut_up(ours, from, MEMORY_BYTES);
	}
	long result = call(number, getpid(), (long)ours, PIECES, (long)&theirs, 1, 0);
	return whole_judge(result, MEMORY_BYTES,
		result < 0 || memcmp(to, from, (size_t)result) == 0);
}

static enum whole_outcome enter_vm_readv(void)
{
	return enter_vm(SYS_process_vm_readv);
}

static enum whole_outcome enter_vm_writev(void)
{
	return enter_vm(SYS_process_vm_writev);
}

static long advise(int what)
{
	struct iovec parts[PARTS];
	const size_t length = MEMORY_BYTES / PARTS;
	for (size_t i = 0; i < PARTS; i++)
		parts[i] = (struct iovec){to + i * length, length};
	return call(SYS_process_madvise, self_fd, (long)parts, PARTS, what, 0, 0);
}

/* Fill it with pages. */
static enum whole_outcome enter_madvise_populate(void)
{
	madvise(to, MEMORY_BYTES, MADV_DONTNEED);
	return whole_judge(advise(MADV_POPULATE_WRITE), MEMORY_BYTES, true);
}

static bool can_populate(void)
{
	return make_memory() && enter_madvise_populate() == WHOLE;
}

static enum whole_outcome enter_madvise_cold(void)
{
	memset(to, 1, MEMORY_BYTES);
	return whole_judge(advise(MADV_COLD), MEMORY_BYTES, true);
}

const struct whole_case whole_pages[] = {
	{"splice-to-file", make_pipes, enter_splice_to_file, NULL, true},
	{"splice-from-file", make_pipes, enter_splice_from_file, NULL, true},
	{"splice-pipes", make_pipes, enter_splice_pipes, NULL, true},
	{"tee", make_pipes, enter_tee, NULL, true},
	{"vmsplice-to-pipe", make_pipes, enter_vmsplice_to, NULL, true},
	{"vmsplice-from-pipe", make_pipes, enter_vmsplice_from, NULL, true},
	{"process_vm_readv", make_memory, enter_vm_readv, NULL, true},
	{"process_vm_writev", make_memory, enter_vm_writev, NULL, true},
	{"process_madvise-populate", can_populate, enter_madvise_populate, NULL, true},
	{"process_madvise-cold", make_memory, enter_madvise_cold, NULL, true},
};
const size_t whole_pages_count = sizeof(whole_pages) / sizeof(*whole_pages);
