/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that wait for a number of completions: of io_uring, and of the older asynchronous
   I/O. What completes late are timers; what is done in the midst of a wait are chains. */

#include "whole-calls.h"

#include "work.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Not in all versions of linux/io_uring.h. */
#define ABSOLUTE_TIMER (1U << 5)
#define SINGLE_ISSUER  (1U << 12)
#define DEFERRED       (1U << 13)
#define REGISTER_RINGS 20
#define MOST_SUBMITTED 2048U
#define TIMERS	       8U

enum entries {
	CHAIN,	 /* by other threads of the kernel, one after the other */
	WORKERS, /* by those, at once */
	POLLS,	 /* of timers */
};

struct ring {
	unsigned count; /* submitted, and waited for */
	enum entries what;
	unsigned setup, flags; /* of io_uring_setup, of io_uring_enter */
	bool is_limited;       /* has an absolute time limit, far away */
	bool is_registered;    /* enters it by its index */
	int fd, index;
	struct io_uring_sqe *entries;
	char *queues;
	struct io_uring_params parameters;
	uint64_t submitted;
};

static int timers[TIMERS];

static bool make_timers(void)
{
	for (unsigned i = 0; i < TIMERS; i++)
		if (timers[i] <= 0 &&
			(timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) < 0)
			return false;
	return true;
}

/* They end one after the other. */
static void set_timers(void)
{
	for (unsigned i = 0; i < TIMERS; i++) {
		struct itimerspec when = {.it_value = {0, (long)((i + 1) * 30 * US)}};
		timerfd_settime(timers[i], 0, &when, NULL);
	}
}

static void *map(int fd, size_t bytes, off_t what)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);
}

static bool make_ring(struct ring *ring)
{
	struct io_uring_params *p = &ring->parameters;
	p->flags = ring->setup;
	ring->fd = (int)syscall(SYS_io_uring_setup, ring->count, p);
	if (ring->fd < 0 || !(p->features & IORING_FEAT_SINGLE_MMAP) || !make_timers())
		return false;
	size_t submissions = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	size_t completions = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	ring->queues =
		map(ring->fd, submissions > completions ? submissions : completions,
			IORING_OFF_SQ_RING);
	ring->entries =
		map(ring->fd, p->sq_entries * sizeof(*ring->entries), IORING_OFF_SQES);
	struct io_uring_rsrc_update one = {.offset = -1U, .data = (unsigned)ring->fd};
	bool registered = !ring->is_registered || syscall(SYS_io_uring_register, ring->fd,
							  REGISTER_RINGS, &one, 1) == 1;
	ring->index = ring->is_registered ? (int)one.offset : ring->fd;
	return ring->queues != MAP_FAILED && ring->entries != MAP_FAILED && registered;
}

static _Atomic unsigned *queue_word(struct ring *ring, unsigned offset)
{
	return (_Atomic unsigned *)(void *)(ring->queues + offset);
}

static void fill(struct ring *ring)
{
	struct io_uring_params *p = &ring->parameters;
	_Atomic unsigned *tail = queue_word(ring, p->sq_off.tail);
	unsigned *array = (unsigned *)(void *)(ring->queues + p->sq_off.array);
	if (ring->what == POLLS)
		set_timers();
	for (unsigned i = 0; i < ring->count; i++) {
		unsigned at = (*tail + i) & (p->sq_entries - 1);
		struct io_uring_sqe entry = {
			.opcode = IORING_OP_NOP, .user_data = ring->submitted++};
		if (ring->what != POLLS)
			entry.flags = IOSQE_ASYNC;
		if (ring->what == CHAIN && i + 1 < ring->count)
			entry.flags |= IOSQE_IO_LINK;
		if (ring->what == POLLS) {
			entry.opcode = IORING_OP_POLL_ADD;
			entry.fd = timers[i];
			entry.poll32_events = POLLIN;
		}
		ring->entries[at] = entry;
		array[at] = at;
	}
	*tail += ring->count;
}

/* Take COUNT completions, waiting for those that are not there; whether they are those of
   what was submitted last. */
static bool take(struct ring *ring, unsigned count)
{
	struct io_uring_params *p = &ring->parameters;
	_Atomic unsigned *head = queue_word(ring, p->cq_off.head);
	_Atomic unsigned *tail = queue_word(ring, p->cq_off.tail);
	const struct io_uring_cqe *all = (void *)(ring->queues + p->cq_off.cqes);
	bool good = true;
	while (*tail - *head < count)
		syscall(SYS_io_uring_enter, ring->fd, 0, count, IORING_ENTER_GETEVENTS,
			NULL, 0);
	for (unsigned i = 0; i < count; i++, ++*head) {
		const struct io_uring_cqe *one = &all[*head & (p->cq_entries - 1)];
		good = good && one->res >= 0 &&
		       one->user_data >= ring->submitted - count &&
		       one->user_data < ring->submitted;
	}
	return good;
}

static long ready(struct ring *ring)
{
	struct io_uring_params *p = &ring->parameters;
	return (long)(*queue_word(ring, p->cq_off.tail) -
		      *queue_word(ring, p->cq_off.head));
}

static long submit_and_wait(struct ring *ring)
{
	struct __kernel_timespec never = {.tv_sec = 1LL << 40};
	struct io_uring_getevents_arg limit = {.ts = (uintptr_t)&never};
	unsigned flags = IORING_ENTER_GETEVENTS | ring->flags;
	if (ring->is_registered)
		flags |= IORING_ENTER_REGISTERED_RING;
	if (ring->is_limited)
		flags |= IORING_ENTER_EXT_ARG | ABSOLUTE_TIMER;
	return call(SYS_io_uring_enter, ring->index, ring->count, ring->count, flags,
		ring->is_limited ? (long)&limit : 0,
		ring->is_limited ? (long)sizeof(limit) : 0);
}

static enum whole_outcome enter_ring(struct ring *ring)
{
	fill(ring);
	long result = submit_and_wait(ring);
	long came = ready(ring);
	bool good = result == (long)ring->count;
	if (result < 0)
		return whole_judge(result, 0, true);
	good = take(ring, ring->count) && good;
	return whole_judge(
		came < ring->count ? came : (long)ring->count, ring->count, good);
}

#define RING(name, ...)                               \
	static struct ring ring_##name = __VA_ARGS__; \
	static bool prepare_##name(void)              \
	{                                             \
		return make_ring(&ring_##name);       \
	}                                             \
	static enum whole_outcome enter_##name(void)  \
	{                                             \
		return enter_ring(&ring_##name);      \
	}

RING(chain, {.count = 256, .what = CHAIN})
RING(workers, {.count = 64, .what = WORKERS})
RING(polls, {.count = TIMERS, .what = POLLS})
RING(deferred, {.count = TIMERS, .what = POLLS, .setup = SINGLE_ISSUER | DEFERRED})
RING(registered, {.count = TIMERS, .what = POLLS, .is_registered = true})
RING(limited, {.count = TIMERS, .what = POLLS, .is_limited = true})
RING(by_kernel, {.count = TIMERS,
			.what = POLLS,
			.setup = IORING_SETUP_SQPOLL,
			.flags = IORING_ENTER_SQ_WAKEUP})

/* Such a limit is known since Linux 6.12. */
static bool prepare_limit(void)
{
	return prepare_limited() && syscall(SYS_io_uring_enter, ring_limited.fd, 0, 0,
					    ABSOLUTE_TIMER, NULL, 0) == 0;
}

/* --- asynchronous I/O ------------------------------------------------------------- */

static aio_context_t context;

static bool make_context(void)
{
	return make_timers() &&
	       (context || syscall(SYS_io_setup, 2 * TIMERS, &context) == 0);
}

static enum whole_outcome get_events(long number)
{
	static struct iocb requests[TIMERS], *pointers[TIMERS];
	static struct io_event events[2 * TIMERS];
	set_timers();
	memset(events, 0, sizeof(events));
	for (unsigned i = 0; i < TIMERS; i++) {
		requests[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_POLL,
			.aio_fildes = (unsigned)timers[i],
			.aio_buf = POLLIN,
			.aio_data = i + 1};
		pointers[i] = &requests[i];
	}
	if (syscall(SYS_io_submit, context, (long)TIMERS, pointers) != TIMERS)
		return WHOLE_FAILED;
	long result = call(number, (long)context, TIMERS, 2 * TIMERS, (long)events, 0, 0);
	uint64_t seen = 0;
	for (long have = result > 0 ? result : 0; have < TIMERS;) {
		long more = syscall(SYS_io_getevents, context, 1L, TIMERS - have,
			events + have, NULL);
		have += more > 0 ? more : 0;
	}
	for (unsigned i = 0; i < TIMERS; i++)
		seen |= 1U << events[i].data;
	return whole_judge(result, TIMERS, seen == (1U << (TIMERS + 1)) - 2);
}

static enum whole_outcome enter_getevents(void)
{
	return get_events(SYS_io_getevents);
}

static enum whole_outcome enter_pgetevents(void)
{
	return get_events(SYS_io_pgetevents);
}

const struct whole_case whole_rings[] = {
	{"ring-chain", prepare_chain, enter_chain, NULL, false},
	{"ring-workers", prepare_workers, enter_workers, NULL, false},
	{"ring-polls", prepare_polls, enter_polls, NULL, false},
	{"ring-deferred", prepare_deferred, enter_deferred, NULL, false},
	{"ring-registered", prepare_registered, enter_registered, NULL, false},
	{"ring-limited", prepare_limit, enter_limited, NULL, false},
	{"ring-by-kernel", prepare_by_kernel, enter_by_kernel, NULL, false},
	{"io_getevents", make_context, enter_getevents, NULL, false},
	{"io_pgetevents", make_context, enter_pgetevents, NULL, true},
};
const size_t whole_rings_count = sizeof(whole_rings) / sizeof(*whole_rings);
