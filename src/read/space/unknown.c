/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/unknown.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Where a process may have memory: above what the kernel keeps free, below what it
   keeps for itself. Most words of a stack are smaller numbers. */
#define LOWEST	((uint64_t)64 << 10)
#define HIGHEST ((uint64_t)1 << 47)

void unknown_begin(struct unknown *unknown, const struct proc_dir *dir)
{
	char name[PROC_DIR_TASK_BYTES + 8];
	snprintf(name, sizeof(name), "%smaps", dir->task);
	*unknown = (struct unknown){.maps_fd = -1};
	int fd = ask_opener_open(dir->fd, name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && map_query_is_answered(fd))
		unknown->maps_fd = fd;
	else if (fd >= 0)
		close(fd);
}

void unknown_finish(struct unknown *unknown)
{
	if (unknown->maps_fd >= 0)
		close(unknown->maps_fd);
	unknown->maps_fd = -1;
}

void unknown_read(struct unknown *unknown, uint64_t now_ns)
{
	unknown->read_ns = now_ns;
	unknown->n = unknown->n_nothings = 0;
}

static bool is_nothing(
	const struct unknown *unknown, uint64_t address, uint64_t sample_ns)
{
	uint32_t n = unknown->n_nothings < UNKNOWN_NOTHINGS ? unknown->n_nothings
							    : UNKNOWN_NOTHINGS;
	for (const struct nothing *known = unknown->nothings;
		known < unknown->nothings + n; known++)
		if (address >= known->start && address < known->limit &&
			sample_ns <= known->since_ns)
			return true;
	return false;
}

void unknown_note(struct unknown *unknown, uint64_t address, uint64_t sample_ns)
{
	if (unknown->maps_fd >= 0 && address >= LOWEST && address < HIGHEST &&
		sample_ns > unknown->read_ns && unknown->n < UNKNOWN_PLACES &&
		!is_nothing(unknown, address, sample_ns)) {
		unknown->sample_ns = sample_ns;
		unknown->places[unknown->n++] = address;
	}
}

bool unknown_ask(struct unknown *unknown, struct map_query *answer)
{
	while (unknown->n > 0) {
		uint64_t address = unknown->places[--unknown->n], limit = HIGHEST;
		uint64_t now_ns = clock_monotonic_ns();
		if (is_nothing(unknown, address, unknown->sample_ns))
			continue;
		if (map_query(unknown->maps_fd, address, MAP_QUERY_OR_NEXT, answer)) {
			bool is_next = answer->start > address;
			if (!is_next && answer->permissions)
				return true;
			limit = is_next ? answer->start : answer->limit;
		} else if (errno != ENOENT) { /* the program runs no longer */
			unknown->n = 0;
			break;
		}
		unknown->nothings[unknown->n_nothings++ % UNKNOWN_NOTHINGS] =
			(struct nothing){address, limit, now_ns};
	}
	return false;
}
