/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sampler has preempted nobody who is known. If it is a child of a target that nobody has found
   yet, sampling of it begins here, in a spare ring, and this very instant is its first sample: many
   processes live no longer than until the next one. The lookout adopts it later, and tells main. */

#include "ptrace/tracer/sampler-private.h"

#include "src/base/clock.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

enum {
	PATIENCE_US =
		500, /* another one may be waiting for an exec to end, to open its memory */
};

static struct ring *take_spare(struct tracing *tracing)
{
	struct ring *ring = NULL;
	tracing_lock(tracing);
	/* The lookout goes through the list without the mutex, so it must not move. */
	if (tracing->spares.len && tracing->samplings.len < tracing->samplings.cap)
		ring = tracing->spares.data[--tracing->spares.len];
	tracing_unlock(tracing);
	return ring;
}

static void give_back(struct tracing *tracing, struct ring *ring)
{
	tracing_lock(tracing);
	vec_push(&tracing->spares, ring);
	tracing_unlock(tracing);
}

static void forget(struct sampling *sampling)
{
	threads_finish(&sampling->threads);
	target_close(&sampling->target);
	if (sampling->pidfd >= 0)
		close(sampling->pidfd);
	free(sampling->recipe);
	free(sampling);
}

/* NULL if it has ended, or may not be traced. */
static struct sampling *create(struct tracing *tracing, struct ring *ring, pid_t pid)
{
	struct sampling *sampling = mem_zalloc(sizeof(*sampling));
	*sampling = (struct sampling){
		.tracing = tracing,
		.target = {.pid = pid, .proc_fd = -1, .task_dir_fd = -1, .mem_fd = -1},
		.pidfd = pidfd_open(pid, 0),
		.ring = ring,
		.meter = ring_meter(ring),
		.hz = tracer_control_hz(tracing->control),
		.is_wall = tracer_control_wall(tracing->control),
		.is_born = true,
		.is_newborn = true,
	};
	sampling->budget = tracing->brief;
	threads_init(&sampling->threads);
	if (sampling->pidfd >= 0 && target_open_folders(&sampling->target) &&
		clock_getcpuclockid(pid, &sampling->target.cpu_clock) == 0)
		return sampling;
	forget(sampling);
	return NULL;
}

/* Its mappings, which nobody can read when it has ended; by the time main hears of it, it may have.
   False if there are none: it is ending. */
static bool tell_maps(struct sampler *sampler, const struct sampling *sampling)
{
	struct snapshot *slot = sampler->slot;
	*slot = (struct snapshot){.kind = SNAPSHOT_MAPS, .tid = sampling->target.pid};
	size_t room = ring_stack_bytes(sampling->ring), length = 0;
	int fd = openat(sampling->target.proc_fd, "maps", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;
	while (got > 0 && length < room) {
		got = read(fd, (char *)slot->stack + length, room - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	slot->time_ns = clock_monotonic_ns();
	slot->stack_length = (uint32_t)length;
	return got == 0 && length > 0 && ring_put(sampling->ring, slot);
}

/* All CPU time since its birth counts, so there is no base. */
static bool begin(
	struct sampler *sampler, struct sampling *sampling, struct preempted *found)
{
	struct tracing *tracing = sampler->tracing;
	uint64_t now_ns = clock_monotonic_ns();
	pid_t pid = sampling->target.pid;
	found->sampling = sampling;
	found->thread = threads_add(&sampling->threads, pid, false, now_ns);
	if (!threads_meet(&sampling->threads, found->thread, &sampling->target, now_ns) ||
		!thread_read_account(&sampling->threads, found->thread, &sampling->target,
			&found->account))
		return false;
	/* Last, because a ring that has a record cannot be used for another one. */
	if (!tell_maps(sampler, sampling))
		return false;
	meter_set(&sampling->meter->frequency_hz, sampling->hz);
	meter_set(&sampling->meter->began_ns, now_ns);
	meter_set(&sampling->meter->threads_seen, 1);
	found->thread->sampled.looked = found->thread->sampled.claimed = found->account;
	found->thread->sampled.claimed_on = sampler->seat->cpu + 1;
	found->is_alone = true;
	found->place = PLACE_EXACT;
	thread_claim(found->thread);
	sampler->link = sampling->link;
	sampling_copy_recipe(sampling, sampler->recipe, &sampler->recipe_number);
	tracing_lock(tracing);
	sampling_introduce(sampling, found->thread);
	vec_push(&tracing->samplings, sampling);
	tracing_unlock(tracing);
	tracing_poke(tracing);
	return true;
}

static void meet(struct sampler *sampler, struct preempted *found)
{
	struct tracing *tracing = sampler->tracing;
	uint64_t exec_start_ns = preempted_own_exec_start(sampler);
	births_look(&tracing->births, tracing_samples, tracing, clock_monotonic_ns());
	pid_t pid = births_preempted(
		&tracing->births, sampler->seat->cpu, exec_start_ns, &found->stat);
	const struct budget *brief = &tracing->brief;
	double chance =
		brief->rate_hz * brief->chance * (double)tracing->period_ns / NS_PER_SEC;
	if (chance < 0.999 && !schedule_decide(&sampler->seat->schedule, chance))
		return;
	struct ring *ring =
		pid && !tracing_samples(tracing, pid) ? take_spare(tracing) : NULL;
	if (!ring)
		return;
	births_drop(&tracing->births, pid);
	struct sampling *sampling = create(tracing, ring, pid);
	if (sampling && begin(sampler, sampling, found))
		return;
	*found = (struct preempted){0};
	if (sampling)
		forget(sampling);
	if (ring_waiting(ring) == 0)
		give_back(tracing, ring);
}

void newborn_find(struct sampler *sampler, struct preempted *found)
{
	struct tracing *tracing = sampler->tracing;
	struct timespec until =
		clock_to_timespec(clock_wall_ns() + PATIENCE_US * NS_PER_US);
	/* Who holds it may wait for our CPU, and gets it at our priority. */
	if (tracing->births.fd <= 0 || !tracer_control_hz(tracing->control) ||
		pthread_mutex_timedlock(&tracing->births_mutex, &until) != 0)
		return;
	meet(sampler, found);
	pthread_mutex_unlock(&tracing->births_mutex);
}
