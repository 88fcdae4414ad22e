/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.h, for what works. */

#include "src/base/worker/worker.h"

#include "src/base/packet.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine.h"
#include "src/base/worker/own-process.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	LIFE_CPU_S = 900, /* of one; a question may take 20 */
};

void worker_confine(const char *const *folders)
{
	own_process_confine(folders, 0);
	confine_time(LIFE_CPU_S);
	confine_reader_calls();
}

enum worker_arrival worker_await(
	void *out, size_t size, size_t *length, int *fd, bool wait)
{
	ssize_t got = packet_receive(OWN_PROCESS_SOCKET,
		wait ? PACKET_WAIT : PACKET_AT_ONCE, out, 0, out, size, fd);
	*length = got > 0 ? (size_t)got : 0;
	if (got == -1 && errno == EAGAIN)
		return WORKER_NOTHING_YET;
	return got == -1 ? WORKER_END : WORKER_PACKET;
}

void worker_answer(const void *packet, size_t length)
{
	if (!packet_send(OWN_PROCESS_SOCKET, PACKET_WAIT, packet, length, NULL, 0, -1))
		_exit(0);
}

void worker_set_alarm(unsigned seconds)
{
	struct itimerval alarm = {.it_value = {.tv_sec = (time_t)seconds}};
	setitimer(ITIMER_PROF, &alarm, NULL);
}
