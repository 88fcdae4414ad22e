/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/analyst/reader-link.h"

#include "src/base/clock.h"
#include "src/base/packet.h"
#include "src/base/shared.h"
#include "src/base/worker/own-process.h"
#include "src/process/task.h"
#include "src/read/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVED_LONG_NS (10 * NS_PER_SEC)
#define QUIET_NS      (NS_PER_SEC / 2) /* before that nobody asks if it hangs */

enum {
	RECEIVE_BYTES = 256 << 10,
	SOCKET_BYTES = 1 << 20,
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pair(int fds[2])
{
	close_fd(&fds[0]);
	close_fd(&fds[1]);
}

static void end(struct reader_link *link)
{
	close_fd(&link->orders);
	close_fd(&link->facts);
	if (link->pid > 0)
		own_process_end(link->pid);
	link->pid = 0;
}

/* There is room for it: it is the first packet. */
static void send_options(const struct reader_link *link)
{
	struct reader_options options = link->options;
	const char *dirs = options.debug_dirs;
	options.debug_dirs = NULL; /* behind it */
	options.ring_bytes = ring_bytes_of_all();
	packet_send(link->orders, PACKET_AT_ONCE, &options, sizeof(options), dirs,
		dirs ? strlen(dirs) + 1 : 0, -1);
}

static bool begin(struct reader_link *link, struct error *err)
{
	int orders[2] = {-1, -1}, facts[2] = {-1, -1}, opener[2] = {-1, -1};
	int size = SOCKET_BYTES;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) != 0 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, facts) != 0 ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, opener) != 0) {
		close_pair(orders);
		close_pair(facts);
		return error_errno(err, errno, "cannot open a socket to the reader");
	}
	setsockopt(facts[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	link->orders = orders[0];
	send_options(link);
	const int fds[] = {[READER_ORDERS - OWN_PROCESS_SOCKET] = orders[1],
		[READER_FACTS - OWN_PROCESS_SOCKET] = facts[1],
		[READER_OPENER - OWN_PROCESS_SOCKET] = opener[1],
		[READER_WAKE - OWN_PROCESS_SOCKET] = link->wake,
		[READER_PULSE - OWN_PROCESS_SOCKET] = link->pulse_file};
	link->pid = own_process_begin(
		reader_kind.name, NULL, fds, READER_FDS_END - OWN_PROCESS_SOCKET);
	int errnum = errno;
	close(orders[1]);
	close(facts[1]);
	close(opener[1]);
	link->facts = facts[0];
	link->begun_ns = link->seen_ns = clock_monotonic_ns();
	link->knows_wait = false;
	link->bytes.len = 0;
	if (link->pid > 0 && opener_serve(link->opener, opener[0], err))
		return true;
	if (link->pid < 0) {
		close(opener[0]);
		error_errno(err, errnum, "cannot start the reader");
		link->pid = 0;
	}
	end(link);
	return false;
}

bool reader_link_init(
	struct reader_link *link, const struct reader_options *options, struct error *err)
{
	*link = (struct reader_link){
		.options = *options,
		.orders = -1,
		.facts = -1,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	link->pulse = shared_file_map(sizeof(*link->pulse), &link->pulse_file);
	if (link->wake < 0 || !link->pulse)
		return error_errno(err, errno, "cannot prepare the reader");
	const struct opener_options questions = {
		.debug_dirs = options->debug_dirs,
		.source_maps = options->source_maps,
	};
	link->opener = opener_create(&questions);
	return begin(link, err);
}

void reader_link_finish(struct reader_link *link)
{
	end(link);
	opener_destroy(link->opener);
	close_fd(&link->wake);
	close_fd(&link->pulse_file);
	shared_unmap((void *)link->pulse, sizeof(*link->pulse));
	vec_each (&link->subjects, subject)
		close_fd(&subject->proc_fd);
	vec_free(&link->subjects);
	vec_free(&link->bytes);
}

void reader_link_wake(const struct reader_link *link)
{
	uint64_t one = 1;
	ssize_t ignored = write(link->wake, &one, sizeof(one));
	(void)ignored; /* full means signalled already */
}

/* --- orders ---------------------------------------------------------------------------- */

void reader_link_send(struct reader_link *link, struct order *order, int fd)
{
	/* If there is no room, the reader hangs: another one is told all there is. So it is
	   if no order can be sent at all. */
	if (link->orders >= 0 &&
		!packet_send(link->orders, PACKET_AT_ONCE, order, order_bytes(order),
			NULL, 0, fd) &&
		errno != EAGAIN)
		shutdown(link->facts, SHUT_RDWR);
}

static void send_subject(
	struct reader_link *link, const struct reader_subject *subject, bool skips)
{
	struct order order = {.kind = ORDER_ADD,
		.subject = subject->number,
		.pid = subject->pid,
		.is_met = subject->is_met,
		.is_again = subject->was_told,
		.skips = skips};
	struct order ring = {.kind = ORDER_RING, .place = ring_place(subject->ring)};
	reader_link_send(link, &ring, ring_file(subject->ring));
	reader_link_send(link, &order, subject->proc_fd);
}

uint32_t reader_link_add(
	struct reader_link *link, pid_t pid, struct ring *ring, int proc_fd, bool is_met)
{
	struct reader_subject subject = {
		.number = ++link->next_number,
		.pid = pid,
		.ring = ring,
		.proc_fd = proc_fd < 0 ? -1 : fcntl(proc_fd, F_DUPFD_CLOEXEC, 3),
		.is_met = is_met,
	};
	if (subject.proc_fd >= 0)
		opener_add(link->opener, subject.proc_fd);
	vec_push(&link->subjects, subject);
	send_subject(link, &subject, false);
	return subject.number;
}

struct reader_subject *reader_link_find(struct reader_link *link, uint32_t number)
{
	vec_each (&link->subjects, subject)
		if (subject->number == number)
			return subject;
	return NULL;
}

void reader_link_remove(struct reader_link *link, uint32_t number)
{
	struct reader_subject *subject = reader_link_find(link, number);
	if (!subject)
		return;
	if (subject->proc_fd >= 0)
		opener_remove(link->opener, subject->proc_fd);
	close_fd(&subject->proc_fd);
	size_t after = (size_t)(link->subjects.data + link->subjects.len - subject) - 1;
	memmove(subject, subject + 1, after * sizeof(*subject));
	link->subjects.len--;
}

void reader_link_set_native(struct reader_link *link, enum native_frames native)
{
	struct order order = {.kind = ORDER_NATIVE, .native = native};
	if (native == link->options.native)
		return;
	link->options.native = native;
	reader_link_send(link, &order, -1);
}

/* --- facts ----------------------------------------------------------------------------- */

bool reader_link_receive(struct reader_link *link)
{
	if (link->facts < 0)
		return true; /* there is none to wait for */
	vec_reserve(&link->bytes, link->bytes.len + RECEIVE_BYTES);
	ssize_t got = recv(link->facts, link->bytes.data + link->bytes.len, RECEIVE_BYTES,
		MSG_DONTWAIT);
	if (got > 0)
		link->bytes.len += (size_t)got;
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void reader_link_used(struct reader_link *link, size_t used)
{
	link->bytes.len -= used;
	if (link->bytes.len > 0 && used > 0)
		memmove(link->bytes.data, link->bytes.data + used, link->bytes.len);
}

/* --- its end --------------------------------------------------------------------------- */

bool reader_link_is_silent(
	struct reader_link *link, uint64_t patience_ns, uint64_t now_ns)
{
	unsigned long pulse = atomic_load(link->pulse);
	if (pulse != link->seen_pulse || link->pid == 0) {
		link->seen_pulse = pulse;
		link->seen_ns = now_ns;
		link->knows_wait = false;
	}
	return now_ns - link->seen_ns >= patience_ns;
}

/* How long it has waited for a CPU; 0: not known. */
static uint64_t waited_ns(const struct reader_link *link)
{
	struct task_account account;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)link->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_read = fd >= 0 && task_read_account(fd, &account);
	close_fd(&fd);
	return is_read ? account.delay_ns : 0;
}

bool reader_link_hangs(struct reader_link *link, uint64_t patience_ns, uint64_t now_ns)
{
	if (!reader_link_is_silent(link, QUIET_NS, now_ns))
		return false;
	uint64_t all_ns = waited_ns(link);
	if (!link->knows_wait || all_ns < link->waited_ns)
		link->waited_ns = all_ns;
	link->knows_wait = true;
	return reader_link_is_silent(
		link, patience_ns + (all_ns - link->waited_ns), now_ns);
}

void reader_link_tend(const struct reader_link *link)
{
	siginfo_t info = {0};
	if (link->pid > 0 &&
		waitid(P_PID, (id_t)link->pid, &info, WSTOPPED | WNOHANG) == 0 &&
		info.si_pid != 0)
		kill(link->pid, SIGCONT);
}

bool reader_link_replace(struct reader_link *link, bool in_vain, unsigned most)
{
	bool was_soon = clock_monotonic_ns() - link->begun_ns < LIVED_LONG_NS;
	link->in_a_row = was_soon && in_vain ? link->in_a_row + 1 : 0;
	link->deaths++;
	end(link);
	if (link->in_a_row > most || !begin(link, NULL))
		return false;
	vec_each (&link->subjects, subject)
		if (!subject->has_ended)
			send_subject(link, subject, link->in_a_row > 1);
	return true;
}
