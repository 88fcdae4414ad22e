/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/perf/perf-attr.h"

#include "ptrace/perf/perf-open.h"
#include "src/arch/arch.h"
#include "src/base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
	uint32_t type;
	uint64_t config;
} kinds[] = {
	[EVENT_CPU_TIME] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	[EVENT_PAGE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	[EVENT_CONTEXT_SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	[EVENT_CPU_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	[EVENT_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[EVENT_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[EVENT_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	[EVENT_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	[EVENT_FUNCTION] = {PERF_TYPE_BREAKPOINT, 0},
	[EVENT_WRITE] = {PERF_TYPE_BREAKPOINT, 0},
};

/* An address in the kernel is refused, since exclude_kernel is set; so is a file that is not
   mapped there. */
static void set_place(const struct perf_wish *wish, size_t part, char path[PERF_PATH_MAX],
	struct perf_event_attr *attr)
{
	const struct event_place *place = &wish->places.places[part];
	if (!wish->grant.uprobe_type) {
		attr->bp_type = place->bytes ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		attr->bp_addr = place->address;
		attr->bp_len = place->bytes ? place->bytes : sizeof(long);
		return;
	}
	snprintf(path, PERF_PATH_MAX, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)wish->pid, place->start, place->limit);
	attr->type = (uint32_t)wish->grant.uprobe_type;
	attr->uprobe_path = (uint64_t)(uintptr_t)path;
	attr->probe_offset = place->address - place->start + place->file_offset;
}

struct perf_event_attr perf_attr(
	const struct perf_wish *wish, size_t part, char path[PERF_PATH_MAX])
{
	bool has_places = event_has_places(wish->event.kind);
	struct perf_event_attr attr = {
		.type = kinds[wish->event.kind].type,
		.config = kinds[wish->event.kind].config,
		.sample_period = wish->event.kind == EVENT_CPU_TIME ? wish->period_ns
								    : wish->event.period,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = arch_perf_mask,
		.sample_stack_user = wish->stack_bytes,
		.read_format =
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = has_places || !wish->grant.with_kernel,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.inherit = !wish->grant.uprobe_type,
		/* not processes that it forks */
		.inherit_thread = !wish->grant.uprobe_type,
		.comm = 1,
		.comm_exec = 1,
		.sample_id_all = 1,
	};
	if (has_places)
		set_place(wish, part, path, &attr);
	return attr;
}

/* Rights are looked at before the path, of which there is no file. */
int perf_uprobe_type(void)
{
	char text[32] = "";
	small_file_read(AT_FDCWD, "/sys/bus/event_source/devices/uprobe/type", text,
		sizeof(text));
	struct perf_event_attr attr = {
		.type = (uint32_t)strtoul(text, NULL, 10),
		.uprobe_path = (uint64_t)(uintptr_t) "/proc/self/none",
	};
	if (attr.type == 0)
		return 0;
	int fd = perf_open(&attr, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENOENT ? (int)attr.type : 0;
}
