/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/perf/perf-rings.h"

#include "ptrace/perf/perf-open.h"
#include "src/base/mem.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CPUS_MOST = 8192, /* CONFIG_NR_CPUS is no more */
	ALL_BYTES = 32 << 20,
	RING_BYTES_MOST = 2 << 20,
	RING_BYTES_LEAST = 128 << 10, /* two of the longest records */
	WAKE_PART = 4,		      /* the reader wakes when such a part is full */
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static const unsigned char *records(const struct perf_ring *ring)
{
	return (const unsigned char *)ring->map + page_bytes();
}

/* An event that never happens. -1 and errno. */
static int open_carrier(int cpu, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)bytes / WAKE_PART,
	};
	return perf_open(&attr, 0, cpu);
}

static void close_all(struct perf_rings *rings)
{
	vec_each (&rings->rings, ring) {
		if (ring->map != MAP_FAILED)
			munmap(ring->map, page_bytes() + ring->bytes);
		close(ring->fd);
	}
	rings->rings.len = 0;
}

/* A ring of BYTES for each CPU. False and errno. */
static bool open_all(struct perf_rings *rings, size_t bytes)
{
	for (int cpu = 0; cpu < CPUS_MOST; cpu++) {
		int fd = open_carrier(cpu, bytes);
		if (fd < 0 && errno == ENODEV) /* it is off */
			continue;
		if (fd < 0)
			return errno == EINVAL && rings->rings.len > 0; /* no more CPUs */
		void *map = mmap(NULL, page_bytes() + bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);
		vec_push(&rings->rings,
			(struct perf_ring){
				.cpu = cpu, .fd = fd, .map = map, .bytes = bytes});
		if (map == MAP_FAILED)
			return false;
		struct epoll_event ready = {.events = EPOLLIN};
		epoll_ctl(rings->epoll_fd, EPOLL_CTL_ADD, fd, &ready);
	}
	return true;
}

/* As large as is granted. False and errno. */
static bool open_granted(struct perf_rings *rings)
{
	size_t bytes = RING_BYTES_MOST, n_cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	while (bytes > RING_BYTES_LEAST * 4 && bytes * n_cpus > ALL_BYTES)
		bytes /= 2;
	while (!open_all(rings, bytes)) {
		int errnum = errno;
		bool is_memory =
			rings->rings.len > 0 && (errnum == EPERM || errnum == ENOMEM);
		close_all(rings);
		errno = is_memory ? ENOMEM : errnum;
		if (!is_memory || bytes <= RING_BYTES_LEAST)
			return false;
		bytes /= 2;
	}
	return true;
}

bool perf_rings_open(struct perf_rings *rings)
{
	*rings = (struct perf_rings){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	if (open_granted(rings)) {
		rings->joined = mem_alloc(PERF_RECORD_BYTES_MAX);
		return true;
	}
	int errnum = errno;
	perf_rings_close(rings);
	errno = errnum;
	return false;
}

void perf_rings_close(struct perf_rings *rings)
{
	close_all(rings);
	if (rings->epoll_fd > 0)
		close(rings->epoll_fd);
	vec_free(&rings->rings);
	vec_free(&rings->seen);
	free(rings->joined);
	*rings = (struct perf_rings){.epoll_fd = -1};
}

/* LENGTH bytes from AT on, in one piece. */
static const unsigned char *piece(struct perf_rings *rings, const struct perf_ring *ring,
	uint64_t at, size_t length)
{
	size_t start = at % ring->bytes, first = ring->bytes - start;
	if (length <= first)
		return records(ring) + start;
	memcpy(rings->joined, records(ring) + start, first);
	memcpy(rings->joined + first, records(ring), length - first);
	return rings->joined;
}

static uint64_t tail_of(const struct perf_ring *ring)
{
	return ((const struct perf_event_mmap_page *)ring->map)->data_tail;
}

static void look_at(struct perf_rings *rings, struct perf_ring *ring)
{
	struct perf_event_mmap_page *page = ring->map;
	uint64_t at = tail_of(ring), length, time_ns = 0;
	ring->head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (; at < ring->head; at += length) {
		size_t left = ring->head - at;
		struct perf_record record;
		length = perf_record_length(
			piece(rings, ring, at, sizeof(struct perf_event_header)), left);
		if (length == 0)
			return; /* the rest cannot be read */
		perf_record_read(piece(rings, ring, at, length), length, &record);
		if (record.kind == PERF_OTHER)
			continue;
		if (record.time_ns > time_ns) /* a loss has none */
			time_ns = record.time_ns;
		vec_push(&rings->seen,
			(struct perf_seen){
				.time_ns = time_ns,
				.at = at,
				.ring = (uint32_t)(ring - rings->rings.data),
				.length = (uint32_t)length,
				.kind = record.kind,
				.pid = record.pid,
				.tid = record.tid,
				.lost = record.lost,
			});
	}
}

/* Those of a ring stay in their order. */
static int by_time(const void *a, const void *b)
{
	const struct perf_seen *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void perf_rings_look(struct perf_rings *rings)
{
	rings->seen.len = 0;
	vec_each (&rings->rings, ring)
		look_at(rings, ring);
	if (rings->seen.len > 1)
		qsort(rings->seen.data, rings->seen.len, sizeof(*rings->seen.data),
			by_time);
}

void perf_rings_read(
	struct perf_rings *rings, const struct perf_seen *seen, struct perf_record *out)
{
	const struct perf_ring *ring = &rings->rings.data[seen->ring];
	perf_record_read(piece(rings, ring, seen->at, seen->length), seen->length, out);
}

void perf_rings_done(struct perf_rings *rings, size_t count)
{
	for (size_t i = count; i < rings->seen.len; i++) {
		const struct perf_seen *kept = &rings->seen.data[i];
		struct perf_ring *ring = &rings->rings.data[kept->ring];
		if (kept->at < ring->head)
			ring->head = kept->at;
	}
	vec_each (&rings->rings, ring) {
		struct perf_event_mmap_page *page = ring->map;
		__atomic_store_n(&page->data_tail, ring->head, __ATOMIC_RELEASE);
	}
	rings->seen.len = 0;
}
