/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/analyst/mailbox.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void signal_fd(int fd)
{
	uint64_t one = 1;
	ssize_t ignored = write(fd, &one, sizeof(one));
	(void)ignored; /* full means signalled already */
}

static void clear_fd(int fd)
{
	uint64_t count;
	ssize_t ignored = read(fd, &count, sizeof(count));
	(void)ignored; /* empty means cleared already */
}

bool mailbox_init(struct mailbox *mailbox, struct error *err)
{
	*mailbox = (struct mailbox){
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	pthread_mutex_init(&mailbox->mutex, NULL);
	pthread_cond_init(&mailbox->added, NULL);
	if (mailbox->wake_fd < 0 || mailbox->ready_fd < 0 || mailbox->end_fd < 0)
		return error_errno(err, errno, "cannot open descriptors for the analyst");
	return true;
}

void mailbox_finish(struct mailbox *mailbox)
{
	report_destroy(mailbox->published);
	assembly_destroy(mailbox->published_assembly);
	code_lines_destroy(mailbox->published_lines);
	profile_unref(mailbox->assembly_request.profile);
	vec_free(&mailbox->rings);
	vec_free(&mailbox->marks);
	pthread_cond_destroy(&mailbox->added);
	pthread_mutex_destroy(&mailbox->mutex);
	if (mailbox->wake_fd >= 0)
		close(mailbox->wake_fd);
	if (mailbox->ready_fd >= 0)
		close(mailbox->ready_fd);
	if (mailbox->end_fd >= 0)
		close(mailbox->end_fd);
}

void mailbox_sleep(struct mailbox *mailbox, const int fds[2], int patience_ms)
{
	struct pollfd wait[] = {
		{.fd = mailbox->wake_fd, .events = POLLIN},
		{.fd = fds[0], .events = POLLIN},
		{.fd = fds[1], .events = POLLIN},
	};
	if (poll(wait, 3, patience_ms) > 0 && wait[0].revents)
		clear_fd(mailbox->wake_fd);
}

bool mailbox_take_request(struct mailbox *mailbox, struct report_request *request)
{
	pthread_mutex_lock(&mailbox->mutex);
	bool is_asked = mailbox->is_asked;
	if (is_asked)
		*request = mailbox->request;
	mailbox->is_asked = false;
	pthread_mutex_unlock(&mailbox->mutex);
	return is_asked;
}

bool mailbox_take_mark(struct mailbox *mailbox, struct time_mark *mark)
{
	pthread_mutex_lock(&mailbox->mutex);
	bool is_there = mailbox->marks.len > 0;
	if (is_there) {
		*mark = mailbox->marks.data[0];
		mailbox->marks.len--;
		memmove(mailbox->marks.data, mailbox->marks.data + 1,
			mailbox->marks.len * sizeof(*mark));
	}
	pthread_mutex_unlock(&mailbox->mutex);
	return is_there;
}

void mailbox_publish(struct mailbox *mailbox, struct report *report)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct report *unwanted = mailbox->published;
	mailbox->published = report;
	signal_fd(mailbox->ready_fd);
	pthread_mutex_unlock(&mailbox->mutex);
	report_destroy(unwanted);
}

bool mailbox_take_assembly_request(
	struct mailbox *mailbox, struct assembly_request *request)
{
	pthread_mutex_lock(&mailbox->mutex);
	*request = mailbox->assembly_request;
	mailbox->assembly_request.profile = NULL;
	pthread_mutex_unlock(&mailbox->mutex);
	return request->profile != NULL;
}

void mailbox_publish_assembly(struct mailbox *mailbox, struct assembly *assembly)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct assembly *unwanted = mailbox->published_assembly;
	mailbox->published_assembly = assembly;
	signal_fd(mailbox->ready_fd);
	pthread_mutex_unlock(&mailbox->mutex);
	assembly_destroy(unwanted);
}

void mailbox_publish_lines(struct mailbox *mailbox, struct code_lines *lines)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct code_lines *unwanted = mailbox->published_lines;
	mailbox->published_lines = lines;
	signal_fd(mailbox->ready_fd);
	pthread_mutex_unlock(&mailbox->mutex);
	code_lines_destroy(unwanted);
}

void mailbox_announce_end(struct mailbox *mailbox, bool ended)
{
	if (ended)
		signal_fd(mailbox->end_fd);
	else
		clear_fd(mailbox->end_fd);
}

struct addition *mailbox_addition(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct addition *addition = mailbox->addition;
	pthread_mutex_unlock(&mailbox->mutex);
	return addition;
}

void mailbox_added(struct mailbox *mailbox, struct addition *addition)
{
	pthread_mutex_lock(&mailbox->mutex);
	mailbox->addition = NULL;
	addition->done = true;
	pthread_cond_broadcast(&mailbox->added);
	pthread_mutex_unlock(&mailbox->mutex);
}

void mailbox_list_rings(struct mailbox *mailbox, const struct reader_link *link)
{
	pthread_mutex_lock(&mailbox->mutex);
	mailbox->rings.len = 0;
	vec_each (&link->subjects, subject)
		vec_push(&mailbox->rings, subject->ring);
	pthread_mutex_unlock(&mailbox->mutex);
}

void mailbox_wake(struct mailbox *mailbox)
{
	signal_fd(mailbox->wake_fd);
}

void mailbox_request(struct mailbox *mailbox, const struct report_request *request)
{
	pthread_mutex_lock(&mailbox->mutex);
	mailbox->request = *request;
	mailbox->is_asked = true;
	pthread_mutex_unlock(&mailbox->mutex);
	mailbox_wake(mailbox);
}

void mailbox_ask_assembly(struct mailbox *mailbox, const struct assembly_request *request)
{
	pthread_mutex_lock(&mailbox->mutex);
	const struct profile *unwanted = mailbox->assembly_request.profile;
	mailbox->assembly_request = *request;
	profile_ref(request->profile);
	pthread_mutex_unlock(&mailbox->mutex);
	profile_unref(unwanted);
	mailbox_wake(mailbox);
}

struct assembly *mailbox_take_assembly(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct assembly *assembly = mailbox->published_assembly;
	mailbox->published_assembly = NULL;
	pthread_mutex_unlock(&mailbox->mutex);
	return assembly;
}

struct code_lines *mailbox_take_lines(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct code_lines *lines = mailbox->published_lines;
	mailbox->published_lines = NULL;
	pthread_mutex_unlock(&mailbox->mutex);
	return lines;
}

void mailbox_mark(struct mailbox *mailbox, const struct time_mark *mark)
{
	pthread_mutex_lock(&mailbox->mutex);
	vec_push(&mailbox->marks, *mark);
	pthread_mutex_unlock(&mailbox->mutex);
	mailbox_wake(mailbox);
}

struct report *mailbox_take(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct report *report = mailbox->published;
	mailbox->published = NULL;
	clear_fd(mailbox->ready_fd);
	pthread_mutex_unlock(&mailbox->mutex);
	return report;
}

void mailbox_add(struct mailbox *mailbox, struct addition *addition)
{
	pthread_mutex_lock(&mailbox->mutex);
	while (mailbox->addition)
		pthread_cond_wait(&mailbox->added, &mailbox->mutex);
	mailbox->addition = addition;
	mailbox_wake(mailbox);
	while (!addition->done)
		pthread_cond_wait(&mailbox->added, &mailbox->mutex);
	pthread_mutex_unlock(&mailbox->mutex);
}

bool mailbox_reads(struct mailbox *mailbox, const struct ring *ring)
{
	bool reads = false;
	pthread_mutex_lock(&mailbox->mutex);
	vec_each (&mailbox->rings, known)
		reads |= *known == ring;
	pthread_mutex_unlock(&mailbox->mutex);
	return reads;
}
