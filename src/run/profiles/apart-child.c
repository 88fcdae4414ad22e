/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/apart-child.h"

#include "src/base/packet.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine.h"
#include "src/count/import/import.h"
#include "src/count/import/recording-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- what is read ---------------------------------------------------------------------- */

/* Each reader closes what it has read. */
static int from_begin(int fd)
{
	lseek(fd, 0, SEEK_SET);
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* /etc/mtab has lines with a number at the end. What is in a folder was not named by anybody, so
   folded stacks are read there by their name only. */
static bool has_name_of_its_format(const char *format, const char *path)
{
	static const char *const suffixes[] = {".folded", ".collapsed", ".folded.gz",
		".collapsed.gz", ".txt", ".txt.gz"};
	size_t length = strlen(path);
	if (strcmp(format, IMPORT_FOLDED) != 0)
		return true;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);
		if (length > suffix && strcmp(path + length - suffix, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* Do the samples of ONE count what those of RECORDING do? If there are none yet, it is said
   that they will. */
static bool same_types(
	struct recording *recording, const struct recording *one, struct error *err)
{
	struct value_type types[RECORDING_TYPES_MAX];
	size_t n = one->origin->types.len;
	for (size_t i = 0; i < n; i++) {
		const struct value_type *type = &one->origin->types.data[i];
		types[i] = (struct value_type){
			profile_string(recording->profile, type->type),
			profile_string(recording->profile, type->unit)};
	}
	return n == 0 || recording_types(recording, types, n, err);
}

/* A file that turns out to be damaged at its end must not leave its begin behind, so each
   is read on its own before. */
static bool is_whole(
	struct recording *recording, int fd, const char *path, struct error *err)
{
	struct recording alone;
	const char *format = import_format_of(from_begin(fd));
	if (format && !has_name_of_its_format(format, path))
		return error_set(err,
			"%s: in a folder, folded stacks are called .folded, .collapsed "
			"or "
			".txt",
			path);
	recording_init(&alone);
	/* at the same time, so they share what there is */
	size_t used = recording_bytes(recording);
	alone.most_read_bytes -= used < RECORDING_READ_MAX ? used : RECORDING_READ_MAX;
	bool whole = import_file(&alone, from_begin(fd), path, err);
	if (whole && !same_types(recording, &alone, err))
		whole = error_prefix(err, "%s", path);
	recording_finish(&alone);
	return whole;
}

static struct apart_answer read_found(
	struct recording *recording, int fd, const char *path)
{
	struct apart_answer answer = {.added = APART_LEFT_OUT};
	if (is_whole(recording, fd, path, &answer.why))
		answer.added = import_file(recording, from_begin(fd), path, &answer.why)
				       ? APART_ADDED
				       : APART_FAILED;
	close(fd);
	return answer;
}

static struct apart_answer answer_to(
	struct recording *recording, const struct apart_order_packet *packet, int fd)
{
	struct apart_answer answer = {.added = APART_FAILED};
	if (packet->order == ORDER_READ_FOUND)
		return read_found(recording, fd, packet->name);
	const char *format = packet->order == ORDER_LOOK ? import_format_of(fd) : NULL;
	if (packet->order == ORDER_LOOK
			? format && has_name_of_its_format(format, packet->name)
			: import_file(recording, fd, packet->name, &answer.why))
		answer.added = APART_ADDED;
	return answer;
}

/* --- main ------------------------------------------------------------------------------ */

static void tell(int socket, const void *bytes, size_t length)
{
	while (send(socket, bytes, length, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(0); /* nobody listens any more */
}

struct giver {
	int socket;
	size_t length;
	char packet[APART_PACKET_BYTES];
};

static bool pass_on(void *context, void *bytes, size_t length)
{
	struct giver *giver = context;
	for (const char *at = bytes; length > 0;) {
		size_t room = sizeof(giver->packet) - giver->length;
		size_t part = length < room ? length : room;
		memcpy(giver->packet + giver->length, at, part);
		giver->length += part;
		at += part;
		length -= part;
		if (part < room)
			break;
		tell(giver->socket, giver->packet, giver->length);
		giver->length = 0;
	}
	return true;
}

/* What reading has taken is given back before main takes as much. */
static void give(struct recording *recording, int socket)
{
	struct giver giver = {.socket = socket};
	const struct recording_stream stream = {pass_on, &giver};
	recording_close(recording);
	malloc_trim(0);
	recording_give(recording, &stream);
	if (giver.length > 0)
		tell(socket, giver.packet, giver.length);
}

static void begin(struct recording *recording, size_t most_bytes)
{
	recording_init(recording);
	recording->most_bytes = most_bytes;
}

static void serve(const char *argument)
{
	const char *const none[] = {NULL};
	size_t most_bytes = strtoull(argument, NULL, 10);
	struct apart_order_packet packet;
	struct recording recording;
	int fd;
	setpgid(0, getpgid(getppid())); /* a profile may come from the terminal */
	confine_time(APART_CPU_S);
	confine_memory((size_t)APART_MEMORY_MIB << 20);
	own_process_confine(none, 0);
	confine_reader_process_calls();
	begin(&recording, most_bytes);
	while (packet_receive(OWN_PROCESS_SOCKET, PACKET_WAIT, &packet, sizeof(packet),
		       NULL, 0, &fd) == 0) {
		if (packet.order == ORDER_TAKE) {
			give(&recording, OWN_PROCESS_SOCKET);
			recording_finish(&recording);
			begin(&recording, most_bytes);
			continue;
		}
		const struct apart_answer answer = answer_to(&recording, &packet, fd);
		tell(OWN_PROCESS_SOCKET, &answer, sizeof(answer));
	}
}

const struct own_process_kind apart_kind = {"cproftop-import", serve};
