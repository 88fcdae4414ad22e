/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/copier.h"

#include "ptrace/prompt-thread.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/memory.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A thread that reads. It frees this struct itself if it was abandoned. */
struct reader {
	struct copier *copier;
	sem_t asked, answered;
	int memory;
	size_t length;
	uint64_t address;
	ssize_t got;
	int errnum;
	bool is_stuck;	       /* it was abandoned because it took too long */
	_Atomic bool is_ready; /* it has started, and waits */
	_Atomic bool is_left;  /* it was abandoned */
	unsigned char bytes[COPIER_BYTES];
};

/* Freed by the last of those that use it: its owner, and readers that were abandoned. */
struct copier {
	struct reader *reader; /* NULL: none yet */
	_Atomic unsigned stuck;
	_Atomic unsigned users;
};

static void drop(struct copier *copier)
{
	if (atomic_fetch_sub(&copier->users, 1) == 1)
		free(copier);
}

static void *reader_main(void *argument)
{
	struct reader *reader = argument;
	prctl(PR_SET_NAME, "copier");
	prompt_thread(); /* a thread of the target is stopped while it reads */
	reader->is_ready = true;
	for (;;) {
		while (sem_wait(&reader->asked) != 0)
			;
		if (reader->is_left)
			break;
		reader->got = memory_read(
			reader->memory, reader->bytes, reader->length, reader->address);
		reader->errnum = errno;
		sem_post(&reader->answered); /* without effect if abandoned */
	}
	if (reader->is_stuck)
		atomic_fetch_sub(&reader->copier->stuck, 1);
	drop(reader->copier);
	free(reader);
	return NULL;
}

static bool create_thread(struct reader *reader, bool prompt)
{
	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 * 1024);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	if (prompt)
		prompt_attributes(&small);
	bool created = pthread_create(&thread, &small, reader_main, reader) == 0;
	pthread_attr_destroy(&small);
	return created;
}

static struct reader *start(struct copier *copier)
{
	struct reader *reader = mem_zalloc(sizeof(*reader));
	reader->copier = copier;
	reader->memory = -1;
	sem_init(&reader->asked, 0, 0);
	sem_init(&reader->answered, 0, 0);
	if (create_thread(reader, true) || create_thread(reader, false)) {
		atomic_fetch_add(&copier->users, 1);
		return reader;
	}
	free(reader);
	return NULL;
}

struct copier *copier_create(void)
{
	struct copier *copier = mem_zalloc(sizeof(*copier));
	copier->users = 1;
	return copier;
}

void copier_prepare(struct copier *copier)
{
	if (!copier->reader && copier->stuck < COPIER_STUCK_MOST)
		copier->reader = start(copier);
}

bool copier_is_ready(const struct copier *copier)
{
	return copier->reader && copier->reader->is_ready;
}

static void leave(struct copier *copier)
{
	struct reader *reader = copier->reader;
	copier->reader = NULL;
	if (!reader)
		return;
	reader->is_left = true;
	sem_post(&reader->asked); /* after this post the reader may free itself */
}

static ssize_t refuse(int errnum)
{
	errno = errnum;
	return -1;
}

static ssize_t read_within(uint64_t patience_us, struct copier *copier, int memory,
	void *out, size_t length, uint64_t address)
{
	struct reader *reader = copier->reader;
	if (!copier_is_ready(copier))
		return refuse(ETIMEDOUT);
	reader->memory = memory;
	reader->length = length < COPIER_BYTES ? length : COPIER_BYTES;
	reader->address = address;
	sem_post(&reader->asked);
	struct timespec deadline = clock_deadline(patience_us * NS_PER_US);
	while (sem_clockwait(&reader->answered, CLOCK_MONOTONIC, &deadline) != 0) {
		if (errno != ETIMEDOUT)
			continue;
		reader->is_stuck = true;
		atomic_fetch_add(&copier->stuck, 1);
		leave(copier);
		return refuse(ETIMEDOUT);
	}
	if (reader->got > 0)
		memcpy(out, reader->bytes, (size_t)reader->got);
	errno = reader->errnum;
	return reader->got;
}

ssize_t copier_read(
	struct copier *copier, int memory, void *out, size_t length, uint64_t address)
{
	return read_within(COPIER_PATIENCE_US, copier, memory, out, length, address);
}

void copier_destroy(struct copier *copier)
{
	leave(copier);
	drop(copier);
}

static ssize_t slow_read(
	void *context, int memory, void *out, size_t length, uint64_t address)
{
	return copier_read(context, memory, out, length, address);
}

static ssize_t contended_read(
	void *context, int memory, void *out, size_t length, uint64_t address)
{
	return read_within(COPIER_CONTENDED_US, context, memory, out, length, address);
}

struct capture_memory copier_memory(struct copier *copier, const struct target *target,
	const struct thread_sampled *sampled, const struct stack_link *link)
{
	return (struct capture_memory){
		.memory = target_memory(target),
		.bounds = sampled->bounds,
		.far = sampled->far,
		.thread_pointer = sampled->habit.thread_pointer,
		.link = link,
		.slow = slow_read,
		.context = copier,
	};
}

void copier_expect_contention(struct capture_memory *memory)
{
	memory->is_contended = true;
	memory->slow = contended_read;
}
