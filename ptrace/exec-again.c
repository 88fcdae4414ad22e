/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/exec-again.h"

#include "ptrace/capture.h"
#include "src/arch/arch-call.h"
#include "src/base/small-file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>

enum {
	PATH_BYTES = 32,	   /* of "/proc/TID/status" */
	STATUS_BYTES = 8 << 10,	   /* the list of groups can be long */
	VDSO_BYTES = 8 << 10,	   /* of the vDSO that are searched */
	AUXILIARY_BYTES = 1 << 10, /* AT_VECTOR_SIZE is about 50 pairs */
};

/* What the kernel put on the stack of the new program, and into its memory. */
struct new_program {
	uint64_t name, arguments, environment; /* for execve */
	uint64_t call_address; /* of an instruction that makes a system call */
};

static void proc_path(char path[PATH_BYTES], pid_t tid, const char *name)
{
	snprintf(path, PATH_BYTES, "/proc/%d/%s", (int)tid, name);
}

/* As much of SIZE bytes as there is. */
static ssize_t read_some(pid_t tid, uint64_t address, void *out, size_t size)
{
	struct iovec here = {out, size};
	struct iovec there = {(void *)(uintptr_t)address, size};
	return process_vm_readv(tid, &here, 1, &there, 1, 0);
}

static bool read_memory(pid_t tid, uint64_t address, void *out, size_t size)
{
	return read_some(tid, address, out, size) == (ssize_t)size;
}

/* A string of at most SIZE bytes with its end, which may lie near the end of a mapping. */
static bool read_string(pid_t tid, uint64_t address, char *out, size_t size)
{
	const size_t piece = 64; /* divides a page */
	for (size_t length = 0; length < size;) {
		size_t next = piece - (address + length) % piece;
		if (next > size - length)
			next = size - length;
		if (!read_memory(tid, address + length, out + length, next))
			return false;
		if (memchr(out + length, '\0', next))
			return true;
		length += next;
	}
	return false;
}

/* --- has it lost rights? ------------------------------------------------------------ */

/* FILE is asked for what the kernel has of it in memory, and no server of a file system. */
static bool look_at(int dir, const char *path, struct statx *file)
{
	return statx(dir, path, AT_STATX_DONT_SYNC,
		       STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID | STATX_INO,
		       file) == 0;
}

static bool lacks_id(const char *status, const char *label, uint32_t wanted)
{
	unsigned long long effective;
	return status_number(status, label, 1, 10, &effective) && effective != wanted;
}

static bool lacks_capabilities(const char *status, const char *exe)
{
	unsigned long long permitted;
	char value[64];
	return status_number(status, "\nCapPrm:", 0, 16, &permitted) && permitted == 0 &&
	       getxattr(exe, "security.capability", value, sizeof(value)) > 0;
}

static bool has_lost_rights(pid_t tid, const char *exe, const struct statx *file)
{
	char path[PATH_BYTES], status[STATUS_BYTES];
	unsigned long long renounced;
	proc_path(path, tid, "status");
	small_file_read(AT_FDCWD, path, status, sizeof(status));
	if (!status_number(status, "\nNoNewPrivs:", 0, 10, &renounced) || renounced)
		return false;
	bool set_group = (file->stx_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
	return ((file->stx_mode & S_ISUID) &&
		       lacks_id(status, "\nUid:", file->stx_uid)) ||
	       (set_group && lacks_id(status, "\nGid:", file->stx_gid)) ||
	       lacks_capabilities(status, exe);
}

/* --- the same call once more --------------------------------------------------------- */

/* Does NAME lead the thread to FILE? Not if the program is the interpreter of a script:
   then its arguments are not those of the call. */
static bool leads_to(pid_t tid, const char *name, const struct statx *file)
{
	char path[PATH_BYTES + PATH_MAX];
	struct statx found;
	int length = snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)tid,
		name[0] == '/' ? "root" : "cwd", name);
	return length > 0 && (size_t)length < sizeof(path) &&
	       look_at(AT_FDCWD, path, &found) && found.stx_ino == file->stx_ino &&
	       found.stx_dev_major == file->stx_dev_major &&
	       found.stx_dev_minor == file->stx_dev_minor;
}

/* The address of an instruction in the vDSO that makes a system call; 0 if none. It
   falls back to such calls for clocks that it cannot read itself. */
static uint64_t find_call(pid_t tid, uint64_t vdso)
{
	unsigned char code[VDSO_BYTES];
	struct iovec here = {code, sizeof(code)};
	struct iovec there = {(void *)(uintptr_t)vdso, sizeof(code)};
	ssize_t got =
		process_vm_readv(tid, &here, 1, &there, 1, 0); /* it may be shorter */
	for (ssize_t i = 0; i + ARCH_CALL_BYTES <= got; i++)
		if (arch_is_call(code + i))
			return vdso + (uint64_t)i;
	return 0;
}

static bool find_program(pid_t tid, uint64_t sp, struct new_program *program)
{
	char path[PATH_BYTES];
	uint64_t auxiliary[AUXILIARY_BYTES / sizeof(uint64_t)], count;
	proc_path(path, tid, "auxv");
	size_t got =
		small_file_read(AT_FDCWD, path, (char *)auxiliary, sizeof(auxiliary));
	if (!read_memory(tid, sp, &count, sizeof(count)))
		return false;
	/* argc, the arguments, NULL, the environment (System V ABI AMD64, 3.4.1) */
	program->arguments = sp + sizeof(count);
	program->environment = program->arguments + (count + 1) * sizeof(uint64_t);
	for (size_t i = 0; i + 1 < got / sizeof(*auxiliary); i += 2) {
		if (auxiliary[i] == AT_EXECFN)
			program->name = auxiliary[i + 1];
		else if (auxiliary[i] == AT_SYSINFO_EHDR)
			program->call_address = find_call(tid, auxiliary[i + 1]);
	}
	return program->name && program->call_address;
}

/* The call fails only if the file has just changed; then the thread goes on in the vDSO
   with no registers set, and ends by SIGSEGV instead of running without its rights. */
static bool ask(
	pid_t tid, const struct arch_regset *regset, const struct new_program *program)
{
	struct arch_regset again = *regset;
	struct arch_call call = {
		.number = SYS_execve,
		.arguments = {program->name, program->arguments, program->environment},
	};
	arch_ask_call_at(&again, &call, program->call_address);
	return capture_set_registers(tid, &again);
}

bool exec_again(pid_t tid, const struct arch_regset *regset)
{
	struct arch_call call;
	struct new_program program = {0};
	struct statx file;
	char exe[PATH_BYTES], name[PATH_MAX];
	if (!arch_left_call(regset, &call) || arch_call_result(regset) != 0 ||
		(call.number != SYS_execve && call.number != SYS_execveat))
		return false;
	proc_path(exe, tid, "exe");
	return look_at(AT_FDCWD, exe, &file) && has_lost_rights(tid, exe, &file) &&
	       find_program(tid, arch_regset_sp(regset), &program) &&
	       read_string(tid, program.name, name, sizeof(name)) &&
	       leads_to(tid, name, &file) && ask(tid, regset, &program);
}
