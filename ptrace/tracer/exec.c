/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target has called exec. It is noticed because its old memory is gone, and reported
   to the analyst with the new mappings. The analyst could read these itself, but only
   later, when a process that calls exec again and again has other mappings. */

#include "ptrace/tracer/tracing.h"
#include "src/base/clock.h"

#include <fcntl.h>
#include <unistd.h>

enum {
	/* How often the mappings are reported after an exec, a round apart: the dynamic
	   linker maps libraries after the first time. */
	TELLINGS = 3,
};

/* Read all of the file, or return 0. */
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
	struct tracing *tracing = sampling->tracing;
	struct snapshot *slot = tracing->slot;
	*slot = (struct snapshot){.kind = SNAPSHOT_MAPS, .tid = sampling->target.pid};
	slot->stack_length = (uint32_t)read_maps(
		&sampling->target, slot->stack, ring_stack_bytes(sampling->ring));
	tracing_lock(tracing);
	if (slot->stack_length == 0 || sampling_put(sampling, slot))
		sampling->maps_untold--;
	tracing_unlock(tracing);
}

/* A child of vfork(2), as posix_spawn(3) makes, has the memory of its parent until it calls exec;
   that memory lives on then, so nothing else tells. Of most children this is over at once. */
void sampling_await_exec(struct sampling *sampling, uint64_t now_ns)
{
	if (now_ns < sampling->exec_look_ns)
		return;
	if (!target_is_forked(&sampling->target))
		sampling->exec_seen = true;
	else if (now_ns > sampling->exec_often_ns)
		sampling->exec_look_ns = now_ns + NS_PER_SEC;
}

void sampling_exec(struct sampling *sampling)
{
	struct tracing *tracing = sampling->tracing;
	struct target fresh = sampling->target;
	fresh.mem_fd = -1;
	/* A process that is exiting has no memory either; its end will be noticed. */
	if (!target_open_memory(&fresh))
		return;
	struct snapshot record = {.kind = SNAPSHOT_EXEC, .tid = sampling->target.pid};
	tracing_lock(tracing);
	if (sampling_put(sampling, &record)) {
		/* Under the same number, because a sampler may be about to use it. That
		   must not read maps as memory, so MEMORY_TID is set before and reset
		   afterwards. */
		if (fresh.memory_tid)
			sampling->target.memory_tid = fresh.memory_tid;
		dup3(fresh.mem_fd, sampling->target.mem_fd, O_CLOEXEC);
		sampling->target.memory_tid = fresh.memory_tid;
		sampling->anywhere = target_mapped_address(&sampling->target);
		sampling->link = (struct stack_link){0};
		sampling->recipe_number = 0;
		if (sampling->target.maps_fd > 0) /* that of the memory that is gone */
			target_open_maps(&sampling->target);
		sampling->exec_seen = false;
		sampling->exec_look_ns = UINT64_MAX;
		sampling->maps_untold = TELLINGS;
		sampling->must_scan = true;
	}
	tracing_unlock(tracing);
	close(fresh.mem_fd);
	if (sampling->maps_untold)
		sampling_tell_maps(sampling);
}
