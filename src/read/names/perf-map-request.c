/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/perf-map-request.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/runtimes/hotspot/hotspot-attach.h"
#include "src/read/runtimes/hotspot/hotspot-structs.h"

#include <stdlib.h>

#define PAUSE_NS     (5 * NS_PER_SEC)
#define SOON_NS	     (NS_PER_SEC / 2) /* for one that only begins */
#define PAUSE_MAX_NS (60 * NS_PER_SEC)

enum {
	PATIENCE = 50, /* it is kept busy for a fiftieth of the time at most */
};

struct perf_map_request {
	struct address_space *space;
	struct hotspot_attach attach;
	enum hotspot_answer answer; /* the last one; PENDING: none yet */
	uint64_t generation;	    /* of the mappings that were looked at */
	bool is_looked, is_hotspot;
	size_t answered; /* so many places without a name had been met */
	size_t asked;	 /* the same, when it was asked last */
	uint64_t asked_ns, due_ns, pause_ns;
	bool is_last, is_over;
};

struct perf_map_request *perf_map_request_create(struct address_space *space)
{
	struct perf_map_request *request = mem_zalloc(sizeof(*request));
	request->space = space;
	request->pause_ns = SOON_NS;
	return request;
}

void perf_map_request_destroy(struct perf_map_request *request)
{
	if (!request)
		return;
	hotspot_attach_end(&request->attach);
	free(request);
}

/* Is there a libjvm.so with HotSpot's own variables? */
static bool find_hotspot(struct perf_map_request *request)
{
	uint64_t bias, generation = address_space_generation(request->space);
	if (request->is_hotspot ||
		(request->is_looked && generation == request->generation))
		return request->is_hotspot;
	request->is_looked = true;
	request->generation = generation;
	struct elf_variable table = {.name = hotspot_variables[HOTSPOT_TABLE]};
	const struct elf_image *image =
		address_space_image_named(request->space, "libjvm.so", &bias);
	if (image)
		elf_image_find_variables(image, &table, 1);
	request->is_hotspot = image && table.vaddr != 0;
	return request->is_hotspot;
}

static void take_answer(
	struct perf_map_request *request, enum hotspot_answer answer, uint64_t now_ns)
{
	uint64_t took_ns = now_ns - request->asked_ns;
	request->answer = answer;
	switch (answer) {
	case HOTSPOT_WRITTEN:
		request->answered = request->asked;
		request->pause_ns =
			took_ns * PATIENCE > PAUSE_NS ? took_ns * PATIENCE : PAUSE_NS;
		break;
	case HOTSPOT_NOT_READY:
	case HOTSPOT_SILENT:
		request->pause_ns *= 2;
		if (request->pause_ns > PAUSE_MAX_NS)
			request->pause_ns = PAUSE_MAX_NS;
		break;
	default:
		request->is_over = true;
		break;
	}
	request->due_ns = now_ns + request->pause_ns;
}

static bool wants(const struct perf_map_request *request, size_t nameless)
{
	return !request->is_over && nameless > request->answered;
}

bool perf_map_request_step(
	struct perf_map_request *request, size_t nameless, uint64_t now_ns)
{
	enum hotspot_answer answer;
	if (request->attach.is_pending) {
		answer = hotspot_attach_poll(&request->attach);
	} else {
		bool is_due = request->is_last || now_ns >= request->due_ns;
		if (!wants(request, nameless) || !is_due || !find_hotspot(request))
			return false;
		request->is_over = request->is_last;
		request->asked = nameless;
		request->asked_ns = now_ns;
		answer = hotspot_attach_begin(
			&request->attach, address_space_proc_dir(request->space)->fd);
	}
	if (answer == HOTSPOT_PENDING)
		return false;
	take_answer(request, answer, now_ns);
	return answer == HOTSPOT_WRITTEN;
}

void perf_map_request_last(struct perf_map_request *request)
{
	request->is_last = true;
}

bool perf_map_request_pending(const struct perf_map_request *request, size_t nameless)
{
	bool is_other = request->is_looked && !request->is_hotspot;
	return request->attach.is_pending ||
	       (request->is_last && !is_other && wants(request, nameless));
}

const char *perf_map_request_problem(
	const struct perf_map_request *request, size_t nameless)
{
	if (nameless == 0 || request->answered)
		return NULL;
	if (request->is_looked && !request->is_hotspot)
		return "--perf-map asks Java (HotSpot) only";
	switch (request->answer) {
	case HOTSPOT_TOO_OLD:
		return "--perf-map: this Java is older than 17 and cannot write it";
	case HOTSPOT_REFUSED:
		return "--perf-map: this Java does not listen "
		       "(-XX:+DisableAttachMechanism?)";
	case HOTSPOT_NOT_READY:
		return "--perf-map: this Java does not handle SIGQUIT (-Xrs?)";
	case HOTSPOT_SILENT:
		return "--perf-map: this Java did not answer in time";
	case HOTSPOT_FAILED:
		return "--perf-map: it has ended, or its /tmp cannot be reached";
	default:
		return NULL;
	}
}
