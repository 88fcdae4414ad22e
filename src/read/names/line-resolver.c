/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/line-resolver.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/line-answer.h"
#include "src/read/names/line-reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IDLE_NS (20 * NS_PER_SEC) /* then the reader closes all files */

enum {
	IN_FLIGHT_MAX = 64,
	CARRIED_MOST = 64 << 10,  /* questions over a renewal */
	SHARE = 20,		  /* see line_resolver_ran */
	FEW = 100,		  /* the same */
	AT_ONCE_MAX = 100 * 1000, /* replies; one that was taken over may send for ever */
};

struct file {
	int fd; /* -1: useless */
	bool trusted;
	bool is_given;	/* the child has it */
	bool is_wanted; /* whatever its weight */
	uint64_t ran;	/* see line_resolver_ran */
	dev_t device;	/* these four are what it is known by */
	ino_t inode;
	off_t bytes;
	struct timespec changed;
};

struct line_resolver {
	struct line_reader *reader;
	bool in_hurry;
	bool is_resting;    /* the reader has closed its files */
	uint64_t active_ns; /* when it was last known to be busy */
	unsigned deaths;    /* see line_resolver_deaths */
	uint64_t ran;	    /* of all files, and of code without lines */
	VEC(struct file) files;

	/* Those before NEXT are answered, those before SENT are in flight, those before
	   STARTED are to be sent, and the others wait for line_resolver_start, or for weight. */
	VEC(struct line_question) questions;
	size_t next, sent, started;
	size_t suspects; /* those before were in flight when a child died */

	struct line_answer part; /* of the answer to the question at NEXT */
	VEC(struct line_answer) answers;
	size_t next_answer;

	struct code_lines *rows; /* what has come for a range at NEXT; NULL */
	VEC(struct code_lines *) ranges;
};

/* --- answers ----------------------------------------------------------------------- */

static const struct line_question *asked(const struct line_resolver *resolver)
{
	return &resolver->questions.data[resolver->next];
}

/* The question at NEXT is answered, by what has come of its answer. */
static void finish_answer(struct line_resolver *resolver)
{
	if (asked(resolver)->limit) {
		if (!resolver->rows)
			resolver->rows = line_answer_begin_rows(asked(resolver));
		vec_push(&resolver->ranges, resolver->rows);
		resolver->rows = NULL;
		resolver->next++;
		return;
	}
	struct line_answer answer = resolver->part;
	answer.location = resolver->questions.data[resolver->next++].location;
	vec_push(&resolver->answers, answer);
	resolver->part = (struct line_answer){0};
}

static void make_useless(struct line_resolver *resolver, const struct line_question *of)
{
	struct file *file = &resolver->files.data[of->file];
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void take_reply(
	struct line_resolver *resolver, const struct line_reply *reply, const char *text)
{
	if (resolver->next == resolver->sent)
		return; /* nobody asked */
	if (asked(resolver)->limit && reply->kind != LINE_REPLY_USELESS) {
		if (!resolver->rows)
			resolver->rows = line_answer_begin_rows(asked(resolver));
		if (line_answer_take_row(resolver->rows, reply, text))
			finish_answer(resolver);
		return;
	}
	if (reply->kind == LINE_REPLY_FRAME)
		line_answer_take(&resolver->part, reply, text);
	else if (reply->kind == LINE_REPLY_USELESS)
		make_useless(resolver, &resolver->questions.data[resolver->next]);
	if (reply->left == 0 || resolver->part.n_frames == LINE_FRAMES_MAX)
		finish_answer(resolver);
}

/* What is in flight has to be asked again. */
static void take_back(struct line_resolver *resolver)
{
	line_answer_finish(&resolver->part);
	code_lines_destroy(resolver->rows);
	resolver->rows = NULL;
	resolver->sent = resolver->next;
}

/* Which of the questions in flight killed the child is not known, because it keeps answers
   until they fill a packet. So the next child is asked these one by one; a question that
   kills this one, too, is guilty. */
static void replace_child(struct line_resolver *resolver)
{
	bool is_guilty = resolver->next < resolver->suspects &&
			 resolver->sent == resolver->next + 1;
	vec_each (&resolver->files, file)
		file->is_given = false;
	if (is_guilty) {
		resolver->deaths++;
		make_useless(resolver, asked(resolver));
	} else {
		resolver->suspects = resolver->sent;
	}
	take_back(resolver);
}

static void receive_all(struct line_resolver *resolver)
{
	struct line_reply reply;
	const char *text;
	unsigned left = AT_ONCE_MAX;
	enum worker_arrival arrival = WORKER_PACKET;
	while (left-- > 0 && arrival == WORKER_PACKET) {
		arrival = line_reader_receive(resolver->reader, &reply, &text);
		if (arrival == WORKER_PACKET)
			take_reply(resolver, &reply, text);
		else if (arrival == WORKER_END)
			replace_child(resolver);
	}
	if (line_reader_is_over(resolver->reader))
		take_back(resolver);
}

/* --- questions --------------------------------------------------------------------- */

static bool send_one(struct line_resolver *resolver, const struct line_question *question)
{
	struct file *file = &resolver->files.data[question->file];
	struct line_request request = {
		.vaddr = question->vaddr,
		.limit = question->limit,
		.file = question->file,
		.trusted = file->trusted,
		.in_hurry = resolver->in_hurry,
	};
	bool is_sent = line_reader_send(
		resolver->reader, &request, file->is_given ? -1 : file->fd);
	file->is_given |= is_sent;
	return is_sent;
}

static bool is_useless(
	const struct line_resolver *resolver, const struct line_question *question)
{
	return line_reader_is_over(resolver->reader) ||
	       resolver->files.data[question->file].fd < 0;
}

static bool may_send(const struct line_resolver *resolver)
{
	size_t limit = resolver->next < resolver->suspects ? 1 : IN_FLIGHT_MAX;
	return resolver->sent < resolver->started &&
	       resolver->sent - resolver->next < limit;
}

static void send_started(struct line_resolver *resolver)
{
	while (may_send(resolver)) {
		const struct line_question *question =
			&resolver->questions.data[resolver->sent];
		if (is_useless(resolver, question)) {
			if (resolver->sent > resolver->next)
				return; /* its turn will come */
			resolver->sent++;
			finish_answer(resolver);
		} else if (send_one(resolver, question)) {
			resolver->sent++;
		} else if (!line_reader_is_over(resolver->reader)) {
			return; /* the socket is full, or it has ended */
		} else {
			take_back(resolver);
		}
	}
}

/* Answered questions are not needed any more. */
static void drop_answered(struct line_resolver *resolver)
{
	if (resolver->next == 0 || !line_resolver_is_done(resolver))
		return;
	resolver->questions.len -= resolver->next;
	memmove(resolver->questions.data, resolver->questions.data + resolver->next,
		resolver->questions.len * sizeof(*resolver->questions.data));
	resolver->next = resolver->sent = resolver->started = resolver->suspects = 0;
}

static void rest(struct line_resolver *resolver)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (!line_resolver_is_done(resolver)) {
		resolver->active_ns = now_ns;
		resolver->is_resting = false;
	} else if (!resolver->is_resting && now_ns - resolver->active_ns > IDLE_NS) {
		struct line_request request = {.file = LINE_WIRE_REST};
		resolver->is_resting = line_reader_send(resolver->reader, &request, -1);
	}
}

void line_resolver_advance(struct line_resolver *resolver)
{
	if (!resolver)
		return;
	receive_all(resolver);
	send_started(resolver);
	rest(resolver);
	drop_answered(resolver);
}

/* --- life -------------------------------------------------------------------------- */

struct line_resolver *line_resolver_create(const char *debug_dirs)
{
	struct line_resolver *resolver = mem_zalloc(sizeof(*resolver));
	resolver->reader = line_reader_create(debug_dirs);
	resolver->is_resting = true;
	return resolver;
}

void line_resolver_hurry(struct line_resolver *resolver)
{
	if (resolver)
		resolver->in_hurry = true;
}

void line_resolver_destroy(struct line_resolver *resolver)
{
	struct line_answer answer;
	if (!resolver)
		return;
	line_reader_destroy(resolver->reader);
	line_answer_finish(&resolver->part);
	while (line_resolver_take(resolver, &answer))
		line_answer_finish(&answer);
	code_lines_destroy(resolver->rows);
	vec_each (&resolver->ranges, rows)
		code_lines_destroy(*rows);
	vec_free(&resolver->ranges);
	vec_each (&resolver->files, file)
		if (file->fd >= 0)
			close(file->fd);
	vec_free(&resolver->files);
	vec_free(&resolver->questions);
	vec_free(&resolver->answers);
	free(resolver);
}

static bool is_same(const struct file *a, const struct file *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec && a->trusted == b->trusted;
}

/* Every exec brings the same files again, and to unpack one anew takes long. */
uint32_t line_resolver_add_file(struct line_resolver *resolver, int fd, bool trusted)
{
	struct stat status;
	struct file file = {.fd = fd, .trusted = trusted, .is_wanted = !trusted};
	if (fstat(fd, &status) == 0) {
		file.device = status.st_dev;
		file.inode = status.st_ino;
		file.bytes = status.st_size;
		file.changed = status.st_ctim;
	}
	uint32_t id = 0;
	while (id < resolver->files.len &&
		!(file.inode && is_same(&file, &resolver->files.data[id])))
		id++;
	if (id == resolver->files.len)
		vec_push(&resolver->files, file);
	else
		close(fd);
	return id;
}

void line_resolver_want(struct line_resolver *resolver, uint32_t file)
{
	resolver->files.data[file].is_wanted = true;
}

void line_resolver_ran(struct line_resolver *resolver, uint32_t file)
{
	resolver->ran++;
	if (file < resolver->files.len)
		resolver->files.data[file].ran++;
}

/* --- asking ------------------------------------------------------------------------ */

void line_resolver_ask(
	struct line_resolver *resolver, const struct line_question *question)
{
	vec_push(&resolver->questions, *question);
}

/* Before those that wait: a person looks at this. */
void line_resolver_ask_range(
	struct line_resolver *resolver, const struct line_question *question)
{
	size_t at = resolver->sent;
	vec_push(&resolver->questions, *question);
	memmove(resolver->questions.data + at + 1, resolver->questions.data + at,
		(resolver->questions.len - 1 - at) * sizeof(*question));
	resolver->questions.data[at] = *question;
	resolver->started++;
	resolver->suspects += resolver->suspects > at;
	line_resolver_advance(resolver);
}

struct code_lines *line_resolver_take_range(struct line_resolver *resolver)
{
	if (!resolver || resolver->ranges.len == 0)
		return NULL;
	struct code_lines *rows = resolver->ranges.data[0];
	resolver->ranges.len--;
	memmove(resolver->ranges.data, resolver->ranges.data + 1,
		resolver->ranges.len * sizeof(rows));
	return rows;
}

static bool has_weight(
	const struct line_resolver *resolver, const struct line_question *question)
{
	const struct file *file = &resolver->files.data[question->file];
	return file->is_wanted || question->limit || resolver->ran < FEW ||
	       file->ran >= resolver->ran / SHARE;
}

void line_resolver_start(struct line_resolver *resolver)
{
	if (!resolver)
		return;
	struct line_question *questions = resolver->questions.data;
	for (size_t i = resolver->started; i < resolver->questions.len; i++) {
		struct line_question question = questions[i];
		if (!has_weight(resolver, &question))
			continue;
		questions[i] = questions[resolver->started];
		questions[resolver->started++] = question;
	}
	line_resolver_advance(resolver);
}

int line_resolver_fd(const struct line_resolver *resolver)
{
	return resolver ? line_reader_fd(resolver->reader) : -1;
}

bool line_resolver_take(struct line_resolver *resolver, struct line_answer *answer)
{
	if (!resolver)
		return false;
	bool found = resolver->next_answer < resolver->answers.len;
	if (found)
		*answer = resolver->answers.data[resolver->next_answer++];
	if (resolver->next_answer == resolver->answers.len)
		resolver->next_answer = resolver->answers.len = 0;
	return found;
}

bool line_resolver_is_done(const struct line_resolver *resolver)
{
	return !resolver || resolver->next == resolver->started;
}

void line_resolver_carry(const struct line_resolver *resolver, struct renewal *renewal)
{
	size_t len = resolver ? resolver->questions.len : 0;
	size_t first = resolver ? resolver->next : 0;
	if (len - first > CARRIED_MOST)
		first = len - CARRIED_MOST;
	for (size_t i = first; i < len; i++)
		if (!resolver->questions.data[i].limit)
			renewal_location(renewal, resolver->questions.data[i].location);
}

void line_resolver_renew(struct line_resolver *resolver, const struct renewal *renewal)
{
	if (!resolver)
		return;
	size_t kept = 0;
	drop_answered(resolver);
	vec_each (&resolver->questions, question)
		if (question->limit ||
			renewal_knows_location(renewal, &question->location))
			resolver->questions.data[kept++] = *question;
	resolver->questions.len = kept;
}

unsigned line_resolver_deaths(const struct line_resolver *resolver)
{
	return resolver ? resolver->deaths : 0;
}
