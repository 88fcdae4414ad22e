/* Wall clock: what the threads do that do not run. None of them is stopped. A thread that
   fell asleep has its stack copied once (asleep.h); while its count of time slices stands
   still it is still there, and a look that is due anyway (running.h) tells so. Those who
   sleep on are looked at in turn (rota.h), and then for all ticks since their last turn.
   What is known is told when it changes, and now and then, in records without a stack. */

#include "ptrace/sampling.h"

#include "ptrace/asleep.h"
#include "src/base/clock.h"
#include "src/model/advice.h"

#include <string.h>

enum {
	/* Stacks copied in one tick (about 10 us each). A thread that is not its turn yet
	   keeps its time until it is. */
	COPIES_MAX = 32,
	TELL_EVERY_NS = 200 * 1000 * 1000,
};

void sampling_charge(struct sampling *sampling, struct tracee *tracee,
	struct snapshot *slot, enum thread_state state, uint64_t now_ns)
{
	struct tracee_wait *wait = &tracee->wait;
	slot->state = state;
	slot->waited_ns = slot->wall_ns = slot->looks = 0;
	if (!sampling->wall)
		return;
	if (now_ns < wait->steady_ns)
		now_ns = wait->steady_ns;
	slot->waited_ns = wait->steady_ns - wait->told_ns;
	slot->wall_ns = now_ns - wait->steady_ns;
	slot->looks = wait->looks;
	*wait = (struct tracee_wait){
		.told_ns = now_ns,
		.steady_ns = now_ns,
		.state = state,
		.slices = tracee->account.slices,
		.tick = sampling->tick,
	};
}

bool sampling_tell_wait(struct sampling *sampling, struct tracee *tracee,
	enum thread_state state, uint64_t now_ns)
{
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (!slot)
		return false; /* the next record tells of this time, too */
	slot->kind = SNAPSHOT_WAIT;
	slot->tid = tracee->tid;
	slot->time_ns = now_ns;
	slot->cpu_ns = 0;
	sampling_charge(sampling, tracee, slot, state, now_ns);
	sampling_commit(sampling);
	return true;
}

static void tell_asleep(struct sampling *sampling, struct tracee *tracee, uint64_t now_ns)
{
	const struct target *target = sampling->target;
	int fd = tracee_syscall_fd(tracee, target);
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (fd < 0 || !slot)
		return;
	char task_state = tracee->group_stopped ? 'T' : tracee->task_state;
	switch (asleep_copy(target, tracee->tid, fd, task_state,
		advice_bytes(tracee->habit.reach, ring_stack_bytes(sampling->ring)),
		slot)) {
	case ASLEEP_AWAKE:
		return;
	case ASLEEP_NO_MEMORY:
		sampling_renew(sampling);
		return;
	case ASLEEP_COPIED:
		break;
	}
	slot->kind = SNAPSHOT_SAMPLE;
	slot->tid = tracee->tid;
	slot->time_ns = now_ns;
	slot->cpu_ns = slot->stop_ns = 0;
	memcpy(slot->name, tracee->name, sizeof(slot->name));
	sampling_charge(sampling, tracee, slot, THREAD_BLOCKED, now_ns);
	meter_add(&sampling->meter->samples, 1);
	meter_add(&sampling->meter->asleep_copied, 1);
	sampling_commit(sampling);
}

/* Still as last told? */
static bool is_steady(const struct tracee *tracee)
{
	if (tracee->wait.state == THREAD_BLOCKED)
		return tracee->look == LOOK_ASLEEP &&
		       tracee->wait.slices == tracee->account.slices;
	return tracee->wait.state == THREAD_RUNNABLE && tracee->look == LOOK_RUNNABLE;
}

static void keep(struct sampling *sampling, struct tracee *tracee, uint64_t now_ns)
{
	struct tracee_wait *wait = &tracee->wait;
	if (now_ns > wait->steady_ns)
		wait->steady_ns = now_ns;
	wait->looks += sampling->tick - wait->tick;
	wait->tick = sampling->tick;
	if (now_ns - wait->told_ns >= TELL_EVERY_NS)
		sampling_tell_wait(sampling, tracee, wait->state, now_ns);
}

void sampling_wait_tick(struct sampling *sampling, uint64_t now_ns)
{
	const struct tracees *tracees = &sampling->tracees;
	size_t copies = 0;
	for (size_t left = tracees->len; left > 0; left--) {
		if (sampling->wait_cursor >= tracees->len)
			sampling->wait_cursor = 0;
		struct tracee *tracee = tracees->data[sampling->wait_cursor++];
		if (tracee->looked_ns != now_ns)
			continue;
		if (is_steady(tracee))
			keep(sampling, tracee, now_ns);
		else if (tracee->look == LOOK_RUNNABLE)
			sampling_tell_wait(sampling, tracee, THREAD_RUNNABLE, now_ns);
		else if (tracee->look == LOOK_ASLEEP && copies++ < COPIES_MAX)
			tell_asleep(sampling, tracee, now_ns);
	}
	/* The next tick begins elsewhere, so that all get their turn to be copied. */
	sampling->wait_cursor += COPIES_MAX;
}

void sampling_wait_rebase(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; i < sampling->tracees.len; i++) {
		struct tracee *tracee = sampling->tracees.data[i];
		struct tracee_wait before = tracee->wait;
		tracee->wait = (struct tracee_wait){
			.told_ns = now_ns,
			.steady_ns = now_ns,
			.tick = sampling->tick,
		};
		/* One that is stopped has said where, and will not say it again. */
		if (tracee->group_stopped) {
			tracee->wait.state = before.state;
			tracee->wait.slices = before.slices;
		}
	}
}

bool sampling_wait_flush(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; sampling->wall && i < sampling->tracees.len; i++) {
		struct tracee *tracee = sampling->tracees.data[i];
		if (tracee->wait.told_ns < now_ns &&
			!sampling_tell_wait(sampling, tracee, tracee->wait.state, now_ns))
			return false;
	}
	return true;
}
