/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target's file mapped, and stacks that pretend to be of code in it: the bytes are the
 * ELF file; registers and stack come from a hash of them. Unwind tables, code that is
 * read where there is none, and the search for return addresses. */

#include "tests/fuzz/fuzz.h"

#include "src/base/mem.h"
#include "src/facts/profile.h"
#include "src/read/unwind/unwinder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	STACK_WORDS = 256,
	STACK_BASE = 0x7e0000,
	WALKS = 4,
};

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t word(uint64_t code, size_t code_bytes, uint64_t *seed)
{
	uint64_t value = next_random(seed);
	switch (value % 4) {
	case 0:
	case 1:
		return code + (value >> 8) % code_bytes;
	case 2:
		return STACK_BASE + (value >> 8) % (STACK_WORDS * 8);
	default:
		return value >> (value / 4 % 64);
	}
}

static void fill(
	struct snapshot *snapshot, uint64_t code, size_t code_bytes, uint64_t *seed)
{
	for (size_t i = 0; i < STACK_WORDS; i++) {
		uint64_t value = word(code, code_bytes, seed);
		memcpy(snapshot->stack + i * 8, &value, sizeof(value));
	}
	snapshot->time_ns = 1; /* the mappings are not looked at again */
	snapshot->stack_address = STACK_BASE;
	snapshot->stack_length = STACK_WORDS * 8;
	snapshot->stack_cut = next_random(seed) % 2;
	/* of a thread that sleeps, two registers are known */
	snapshot->known.known =
		next_random(seed) % 2 ? ARCH_ALL : arch_bit(arch_sp) | arch_bit(arch_pc);
	for (unsigned i = 0; i < ARCH_REGISTERS; i++)
		snapshot->known.values[i] = word(code, code_bytes, seed);
	snapshot->known.values[arch_sp] = STACK_BASE + next_random(seed) % 64 * 8;
	snapshot->known.values[arch_pc] = code + next_random(seed) % code_bytes;
}

static void walk(uint64_t code, size_t code_bytes, uint64_t *seed)
{
	static struct snapshot *snapshot;
	static struct callchain chain;
	if (!snapshot)
		snapshot = mem_zalloc(sizeof(*snapshot) + STACK_WORDS * 8);
	struct profile *profile = profile_create();
	int proc_fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct address_space *space =
		address_space_create(proc_fd, profile, NULL, NULL, NULL);
	FUZZ_CHECK(space);
	struct unwinder *unwinder = unwinder_create(space, NULL);
	for (unsigned i = 0; i < WALKS; i++) {
		fill(snapshot, code, code_bytes, seed);
		unwinder_unwind(unwinder, snapshot, &chain);
		FUZZ_CHECK(chain.length >= 1 && chain.length <= CALLCHAIN_MAX);
		FUZZ_CHECK(chain.end < UNWIND_END_COUNT);
	}
	unwinder_destroy(unwinder);
	address_space_destroy(space);
	profile_unref(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 64)
		return 0;
	uint64_t seed = 88172645463325252u; /* xorshift64 (Marsaglia 2003) */
	for (size_t i = 0; i < size; i++)
		seed = (seed ^ bytes[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	seed |= 1;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	void *code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	FUZZ_CHECK(code != MAP_FAILED);
	walk((uint64_t)(uintptr_t)code, size, &seed);
	munmap(code, size);
	return 0;
}
