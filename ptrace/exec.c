/* The target runs another program: noticed by its memory, which is gone, and told with
   the new mappings. The analyst could read those itself, but it comes later, and a
   process that makes one exec after the other has others then. */

#include "ptrace/sampling.h"

#include "src/base/clock.h"

#include <fcntl.h>
#include <unistd.h>

enum {
	/* So often they are told after an exec, at a sample each: what the dynamic linker
	   maps comes after the first. */
	TELLINGS = 3
};

/* All of it, or nothing. */
static size_t read_maps(const struct target *target, void *out, size_t size)
{
	size_t length = 0;
	int fd = openat(target->proc_fd, "maps", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;
	while (got > 0 && length < size) {
		got = read(fd, (char *)out + length, size - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return got == 0 ? length : 0;
}

void sampling_tell_maps(struct sampling *sampling)
{
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (!slot)
		return;
	sampling->maps_untold--;
	slot->kind = SNAPSHOT_MAPS;
	slot->tid = sampling->target->pid;
	slot->time_ns = clock_monotonic_ns();
	slot->stack_length = (uint32_t)read_maps(
		sampling->target, slot->stack, ring_stack_bytes(sampling->ring));
	if (slot->stack_length > 0)
		sampling_commit(sampling);
}

void sampling_renew(struct sampling *sampling)
{
	/* A process on its way out has no memory either: then its exit will tell. */
	if (!target_open_memory(sampling->target))
		return;
	int errnum;
	sampling_scan(sampling, false, &errnum);
	struct snapshot *slot = ring_reserve(sampling->ring);
	sampling->exec_untold = !slot;
	if (!slot)
		return;
	slot->kind = SNAPSHOT_EXEC;
	slot->tid = sampling->target->pid;
	slot->time_ns = clock_monotonic_ns();
	sampling_commit(sampling);
	sampling->maps_untold = TELLINGS;
	sampling_tell_maps(sampling);
}
