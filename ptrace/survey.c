/* Where the time of every thread goes: on a CPU, waiting for one, or neither. Its
   schedstat says so exactly, and the search for running threads has read it anyway: of
   all of them when a survey is due. Told four times a second, of very many threads more
   seldom, and only of those whose accounts have changed. */

#include "ptrace/sampling.h"

#include "src/base/clock.h"

enum {
	SURVEY_EVERY_NS = 250 * 1000 * 1000,
	SURVEY_THREADS = 1000, /* so often; twice as many, half as often */
};

static bool has_room(const struct sampling *sampling)
{
	return ring_waiting(sampling->ring) * 2 < ring_slots(sampling->ring);
}

bool sampling_tell_account(struct sampling *sampling, struct tracee *tracee,
	const struct task_account *account, uint64_t now_ns)
{
	struct task_account *told = &tracee->told;
	/* Less than before: another thread goes by this number, after exec. */
	bool grown =
		account->cpu_ns >= told->cpu_ns && account->delay_ns >= told->delay_ns;
	bool changed =
		account->cpu_ns != told->cpu_ns || account->delay_ns != told->delay_ns;
	if (grown && changed) {
		struct snapshot *slot = ring_reserve(sampling->ring);
		if (!slot)
			return false;
		slot->kind = SNAPSHOT_ACCOUNT;
		slot->tid = tracee->tid;
		slot->from_ns = tracee->told_ns;
		slot->time_ns = now_ns;
		slot->cpu_ns = account->cpu_ns - told->cpu_ns;
		slot->runq_ns = account->delay_ns - told->delay_ns;
		sampling_commit(sampling);
	}
	*told = *account;
	tracee->told_ns = now_ns;
	return true;
}

static bool tell_survey(struct sampling *sampling, uint64_t time_ns)
{
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (!slot)
		return false;
	slot->kind = SNAPSHOT_SURVEY;
	slot->time_ns = time_ns;
	sampling_commit(sampling);
	return true;
}

bool sampling_survey_is_due(const struct sampling *sampling, uint64_t now_ns)
{
	uint64_t every_ns =
		SURVEY_EVERY_NS * (1 + sampling->tracees.len / SURVEY_THREADS);
	return sampling->survey_cursor == 0 && now_ns - sampling->survey_ns >= every_ns;
}

void sampling_survey(struct sampling *sampling, uint64_t now_ns)
{
	const struct tracees *tracees = &sampling->tracees;
	if (sampling_survey_is_due(sampling, now_ns))
		sampling->survey_ns = now_ns;
	else if (sampling->survey_cursor == 0)
		return;
	while (sampling->survey_cursor < tracees->len && has_room(sampling)) {
		struct tracee *tracee = tracees->data[sampling->survey_cursor++];
		if (!tracee->introduced) /* the ring was full when it was found */
			sampling_introduce(sampling, tracee);
		sampling_tell_account(sampling, tracee, &tracee->account, now_ns);
	}
	if (sampling->survey_cursor >= tracees->len &&
		tell_survey(sampling, sampling->survey_ns))
		sampling->survey_cursor = 0;
}

bool sampling_survey_last(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; i < sampling->tracees.len; i++) {
		struct tracee *tracee = sampling->tracees.data[i];
		struct task_account account;
		if (tracee->told_ns < now_ns &&
			tracee_read_account(tracee, sampling->target, &account) &&
			!sampling_tell_account(sampling, tracee, &account, now_ns))
			return false;
	}
	return tell_survey(sampling, now_ns);
}
