/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls without another process: between memory, devices and unnamed files. */

#include "whole-calls.h"

#include "work.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MEGABYTE = 1 << 20,
	ZEROS_BYTES = 8 << 20,
	FILE_BYTES = 8 << 20,
	GUARD = 64,
	HARDWARE_BYTES = 256,
};

static unsigned char buffer[FILE_BYTES + GUARD];

/* --- random bytes, zeros --------------------------------------------------------- */

/* Has each part of it been written to, and nothing behind it? 16 bytes that happen to be
   the old ones do not come up. */
static bool is_overwritten(size_t length)
{
	for (size_t at = 0; at < length; at += 16)
		if (buffer[at] == 0x5a && memcmp(buffer + at, buffer + at + 1, 15) == 0)
			return false;
	return buffer[length] == 0x5a;
}

static bool is_zero(size_t length)
{
	return buffer[0] == 0 && memcmp(buffer, buffer + 1, length - 1) == 0 &&
	       buffer[length] == 0x5a;
}

static void soil(size_t length)
{
	memset(buffer, 0x5a, length + GUARD);
}

static bool no_preparation(void)
{
	return true;
}

static enum whole_outcome enter_getrandom(void)
{
	soil(MEGABYTE);
	long result = call(SYS_getrandom, (long)buffer, MEGABYTE, 0, 0, 0, 0);
	bool whole = result == MEGABYTE;
	return whole_judge(result, MEGABYTE, !whole || is_overwritten(MEGABYTE));
}

static int zero_fd = -1, random_fd = -1;

static bool open_zero(void)
{
	return zero_fd >= 0 || (zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC)) >= 0;
}

static bool open_random(void)
{
	return random_fd >= 0 ||
	       (random_fd = open("/dev/urandom", O_RDWR | O_CLOEXEC)) >= 0;
}

static enum whole_outcome enter_read_zero(void)
{
	soil(ZEROS_BYTES);
	long result = call(SYS_read, zero_fd, (long)buffer, ZEROS_BYTES, 0, 0, 0);
	bool whole = result == ZEROS_BYTES;
	return whole_judge(result, ZEROS_BYTES, !whole || is_zero(ZEROS_BYTES));
}

static enum whole_outcome enter_readv_zero(void)
{
	struct iovec pieces[PIECES];
	soil(ZEROS_BYTES);
	whole_cut_up(pieces, buffer, ZEROS_BYTES);
	long result = call(SYS_readv, zero_fd, (long)pieces, PIECES, 0, 0, 0);
	bool whole = result == ZEROS_BYTES;
	return whole_judge(result, ZEROS_BYTES, !whole || is_zero(ZEROS_BYTES));
}

static enum whole_outcome enter_read_random(void)
{
	soil(MEGABYTE);
	long result = call(SYS_read, random_fd, (long)buffer, MEGABYTE, 0, 0, 0);
	bool whole = result == MEGABYTE;
	return whole_judge(result, MEGABYTE, !whole || is_overwritten(MEGABYTE));
}

/* It may take some 50 us a byte. */
static int hardware_fd = -1;

static bool open_hardware(void)
{
	hardware_fd = open("/dev/hwrng", O_RDONLY | O_CLOEXEC);
	return hardware_fd >= 0 && read(hardware_fd, buffer, 1) == 1;
}

static enum whole_outcome enter_read_hardware(void)
{
	soil(HARDWARE_BYTES);
	long result = call(SYS_read, hardware_fd, (long)buffer, HARDWARE_BYTES, 0, 0, 0);
	bool whole = result == HARDWARE_BYTES;
	return whole_judge(
		result, HARDWARE_BYTES, !whole || is_overwritten(HARDWARE_BYTES));
}

static enum whole_outcome preadv_random(long number, long position)
{
	struct iovec pieces[PIECES];
	soil(MEGABYTE);
	whole_cut_up(pieces, buffer, MEGABYTE);
	long result = call(
		number, random_fd, (long)pieces, PIECES, position, position >> 32, 0);
	bool whole = result == MEGABYTE;
	return whole_judge(result, MEGABYTE, !whole || is_overwritten(MEGABYTE));
}

static enum whole_outcome enter_preadv_random(void)
{
	return preadv_random(SYS_preadv, 12345);
}

/* From where the file stands. */
static enum whole_outcome enter_preadv2_random(void)
{
	return preadv_random(SYS_preadv2, -1);
}

static enum whole_outcome enter_write_random(void)
{
	long result = call(SYS_write, random_fd, (long)buffer, MEGABYTE, 0, 0, 0);
	return whole_judge(result, MEGABYTE, true);
}

/* --- from file to file ----------------------------------------------------------- */

static int from_fd = -1, to_fd = -1;
static unsigned char *from, *to;

static bool make_files(void)
{
	if (from_fd >= 0)
		return true;
	from_fd = memfd_create("from", MFD_CLOEXEC);
	to_fd = memfd_create("to", MFD_CLOEXEC);
	if (from_fd < 0 || to_fd < 0 || ftruncate(from_fd, FILE_BYTES) != 0 ||
		ftruncate(to_fd, FILE_BYTES) != 0)
		return false;
	from = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, from_fd, 0);
	to = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, to_fd, 0);
	stream_fill(from, 0, FILE_BYTES);
	return from != MAP_FAILED && to != MAP_FAILED;
}

static bool is_copied(size_t length)
{
	bool same = memcmp(from, to, length) == 0;
	memset(to, 0, length);
	return same;
}

static enum whole_outcome enter_sendfile(void)
{
	lseek(from_fd, 0, SEEK_SET);
	lseek(to_fd, 0, SEEK_SET);
	long result = call(SYS_sendfile, to_fd, from_fd, 0, FILE_BYTES, 0, 0);
	bool good = result < 0 ||
		    (is_copied((size_t)result) && lseek(from_fd, 0, SEEK_CUR) == result &&
			    lseek(to_fd, 0, SEEK_CUR) == result);
	return whole_judge(result, FILE_BYTES, good);
}

/* Up to the end of the file, which is before what was asked for. */
static enum whole_outcome enter_sendfile_offset(void)
{
	off_t offset = 4096;
	const long there = FILE_BYTES - 4096;
	lseek(from_fd, 77, SEEK_SET);
	lseek(to_fd, 4096, SEEK_SET);
	long result =
		call(SYS_sendfile, to_fd, from_fd, (long)&offset, 2 * FILE_BYTES, 0, 0);
	bool good = result < 0 || (memcmp(from + 4096, to + 4096, (size_t)result) == 0 &&
					  offset == 4096 + result &&
					  lseek(from_fd, 0, SEEK_CUR) == 77 &&
					  lseek(to_fd, 0, SEEK_CUR) == offset);
	memset(to, 0, FILE_BYTES);
	return whole_judge(result, there, good);
}

static enum whole_outcome enter_copy_file_range(void)
{
	loff_t in = 0, out = 0;
	long result = call(SYS_copy_file_range, from_fd, (long)&in, to_fd, (long)&out,
		FILE_BYTES, 0);
	bool good = result < 0 ||
		    (is_copied((size_t)result) && in == result && out == result);
	return whole_judge(result, FILE_BYTES, good);
}

/* The end of a file, before what was asked for: short by nature. */
static enum whole_outcome enter_read_file(void)
{
	lseek(from_fd, FILE_BYTES - 4096, SEEK_SET);
	long result = call(SYS_read, from_fd, (long)buffer, MEGABYTE, 0, 0, 0);
	return whole_judge(result, 4096, stream_is(buffer, FILE_BYTES - 4096, 4096));
}

/* --- bpf ------------------------------------------------------------------------- */

#define INSTRUCTION(operation, register_number, jump, number)                     \
	{                                                                         \
		.code = (operation), .dst_reg = (register_number), .off = (jump), \
		.imm = (number)                                                   \
	}

/* A loop that the verifier goes through turn by turn, for a ms or so. */
static const struct bpf_insn program[] = {
	INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0),
	INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0),
	INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 1),
	INSTRUCTION(BPF_JMP | BPF_JLT | BPF_K, 6, -2, 1000),
	INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0),
};

static long load(void)
{
	union bpf_attr attributes;
	memset(&attributes, 0, sizeof(attributes));
	attributes.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attributes.insns = (uint64_t)(uintptr_t)program;
	attributes.insn_cnt = sizeof(program) / sizeof(*program);
	attributes.license = (uint64_t)(uintptr_t) "GPL";
	return call(
		SYS_bpf, BPF_PROG_LOAD, (long)&attributes, sizeof(attributes), 0, 0, 0);
}

static int program_fd = -1;

static bool can_load(void)
{
	if (program_fd < 0)
		program_fd = (int)load();
	return program_fd >= 0;
}

static enum whole_outcome enter_bpf_load(void)
{
	long fd = load();
	if (fd < 0)
		return whole_judge(fd, 0, true);
	close((int)fd);
	return whole_judge(0, 0, true);
}

static enum whole_outcome enter_bpf_test(void)
{
	static unsigned char packet[64];
	union bpf_attr attributes;
	memset(&attributes, 0, sizeof(attributes));
	attributes.test.prog_fd = (uint32_t)program_fd;
	attributes.test.data_in = (uint64_t)(uintptr_t)packet;
	attributes.test.data_size_in = sizeof(packet);
	attributes.test.repeat = 500;
	long result = call(SYS_bpf, BPF_PROG_TEST_RUN, (long)&attributes,
		sizeof(attributes), 0, 0, 0);
	return whole_judge(result, 0, true);
}

/* --- userfaultfd ------------------------------------------------------------------ */

enum {
	FAULTY_PAGES = 16,
	PAGE_BYTES = 4096,
};

static int faults_fd = -1;
static char *faulty;

/* Another process, of the same memory, waits for one page after the other. A thread would
   take signals that are meant for the process. */
static int fault(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0;; i = (i + 1) % FAULTY_PAGES) {
		if (i == 0 &&
			madvise(faulty, FAULTY_PAGES * PAGE_BYTES, MADV_DONTNEED) != 0)
			return 1;
		(void)*(volatile char *)(faulty + i * PAGE_BYTES);
	}
}

static bool can_be_told_of_faults(void)
{
	static char stack[64 * 1024];
	struct uffdio_api api = {.api = UFFD_API};
	faults_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	faulty = mmap(NULL, FAULTY_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register all = {
		.range = {(uintptr_t)faulty, FAULTY_PAGES * PAGE_BYTES},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	return faults_fd >= 0 && faulty != MAP_FAILED &&
	       ioctl(faults_fd, UFFDIO_API, &api) == 0 &&
	       ioctl(faults_fd, UFFDIO_REGISTER, &all) == 0 &&
	       clone(fault, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) > 0;
}

static enum whole_outcome enter_read_fault(void)
{
	struct uffd_msg told = {0};
	long result = call(SYS_read, faults_fd, (long)&told, (long)sizeof(told), 0, 0, 0);
	bool good = told.event == UFFD_EVENT_PAGEFAULT;
	struct uffdio_copy page = {
		.dst = told.arg.pagefault.address & ~(uint64_t)(PAGE_BYTES - 1),
		.src = (uintptr_t)buffer,
		.len = PAGE_BYTES,
	};
	if (result > 0)
		good = good && ioctl(faults_fd, UFFDIO_COPY, &page) == 0;
	return whole_judge(result, sizeof(told), good);
}

const struct whole_case whole_memory[] = {
	{"getrandom", no_preparation, enter_getrandom, NULL, false},
	{"read-zero", open_zero, enter_read_zero, NULL, false},
	{"readv-zero", open_zero, enter_readv_zero, NULL, false},
	{"read-random", open_random, enter_read_random, NULL, false},
	{"preadv-random", open_random, enter_preadv_random, NULL, false},
	{"preadv2-random", open_random, enter_preadv2_random, NULL, false},
	{"read-hwrng", open_hardware, enter_read_hardware, NULL, false},
	{"write-random", open_random, enter_write_random, NULL, false},
	{"sendfile", make_files, enter_sendfile, NULL, false},
	{"sendfile-offset", make_files, enter_sendfile_offset, NULL, false},
	{"copy_file_range", make_files, enter_copy_file_range, NULL, false},
	{"bpf-load", can_load, enter_bpf_load, NULL, false},
	{"bpf-test", can_load, enter_bpf_test, NULL, false},
	{"read-userfaultfd", can_be_told_of_faults, enter_read_fault, NULL, false},
	{"ordinary-end", make_files, enter_read_file, NULL, false},
};
const size_t whole_memory_count = sizeof(whole_memory) / sizeof(*whole_memory);
