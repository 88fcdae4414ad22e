/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/line-resolver.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/names/line-reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IDLE_NS (20 * NS_PER_SEC) /* then the reader closes all files */

struct file {
	int fd; /* -1: useless */
	bool trusted;
	dev_t device; /* these four are what it is known by */
	ino_t inode;
	off_t bytes;
	struct timespec changed;
};

struct question {
	uint64_t vaddr;
	uint32_t file, cookie;
};

struct line_resolver {
	pthread_t thread;
	bool has_thread;
	bool is_urgent; /* before there is a thread */

	pthread_mutex_t mutex; /* of what follows; held for a copy, never for work */
	pthread_cond_t asked, answered;
	VEC(struct file) files;
	VEC(struct question) questions;
	size_t next_question; /* those before it were taken */
	VEC(struct line_answer) answers;
	size_t next_answer;
	bool quit, busy;
	unsigned deaths; /* see line_resolver_deaths */

	struct line_reader *reader; /* the thread's alone */
};

/* --- the thread ------------------------------------------------------------------ */

/* Wait for questions, and take as many as the reader takes at once; 0 when it is time to
   end. Holds the mutex. */
static size_t next_questions(struct line_resolver *resolver, struct question *questions)
{
	bool idle = false;
	while (!resolver->quit && resolver->next_question == resolver->questions.len) {
		resolver->busy = false;
		pthread_cond_signal(&resolver->answered);
		if (idle) {
			pthread_cond_wait(&resolver->asked, &resolver->mutex);
			continue;
		}
		struct timespec deadline = clock_deadline(IDLE_NS);
		if (pthread_cond_timedwait(
			    &resolver->asked, &resolver->mutex, &deadline) != 0) {
			pthread_mutex_unlock(&resolver->mutex);
			line_reader_rest(resolver->reader);
			pthread_mutex_lock(&resolver->mutex);
			idle = true;
		}
	}
	if (resolver->quit)
		return 0;
	resolver->busy = true;
	size_t count = resolver->questions.len - resolver->next_question;
	if (count > LINE_READER_QUESTIONS_MAX)
		count = LINE_READER_QUESTIONS_MAX;
	memcpy(questions, resolver->questions.data + resolver->next_question,
		count * sizeof(*questions));
	resolver->next_question += count;
	if (resolver->next_question == resolver->questions.len)
		resolver->next_question = resolver->questions.len = 0;
	return count;
}

/* Holds the mutex. */
static void ask_reader(
	struct line_resolver *resolver, const struct question *questions, size_t count)
{
	struct line_reader_question asked[LINE_READER_QUESTIONS_MAX];
	for (size_t i = 0; i < count; i++) {
		const struct file *file = &resolver->files.data[questions[i].file];
		asked[i] = (struct line_reader_question){
			.vaddr = questions[i].vaddr,
			.file = questions[i].file,
			.fd = file->fd,
			.trusted = file->trusted,
			.in_hurry = resolver->is_urgent,
		};
	}
	pthread_mutex_unlock(&resolver->mutex);
	line_reader_ask(resolver->reader, asked, count);
	pthread_mutex_lock(&resolver->mutex);
}

static struct line_answer pack(
	uint32_t cookie, const struct line_frame *frames, size_t count)
{
	struct line_answer answer = {.cookie = cookie, .n_frames = (uint32_t)count};
	if (count == 0)
		return answer;
	answer.frames = mem_alloc(count * sizeof(*answer.frames));
	for (size_t i = 0; i < count; i++)
		answer.frames[i] = (struct line_answer_frame){
			.name = mem_strdup(frames[i].name),
			.file = mem_strdup(frames[i].file),
			.line = frames[i].line,
			.start_line = frames[i].start_line,
		};
	return answer;
}

/* Take the reader's answer to QUESTION. Holds the mutex, but not while it waits. */
static void take_from_reader(
	struct line_resolver *resolver, const struct question *question)
{
	struct line_frame frames[LINE_FRAMES_MAX];
	bool useless;
	pthread_mutex_unlock(&resolver->mutex);
	size_t count = line_reader_answer(resolver->reader, frames, &useless);
	struct line_answer answer = pack(question->cookie, frames, count);
	pthread_mutex_lock(&resolver->mutex);
	vec_push(&resolver->answers, answer);
	struct file *file = &resolver->files.data[question->file];
	if (useless && file->fd >= 0) {
		close(file->fd);
		file->fd = -1;
	}
	resolver->deaths = line_reader_deaths(resolver->reader);
}

static void release(struct line_resolver *resolver)
{
	struct line_answer answer;
	line_reader_destroy(resolver->reader);
	while (line_resolver_take(resolver, &answer))
		line_answer_finish(&answer);
	vec_each (&resolver->files, file)
		if (file->fd >= 0)
			close(file->fd);
	vec_free(&resolver->files);
	vec_free(&resolver->questions);
	vec_free(&resolver->answers);
	pthread_cond_destroy(&resolver->asked);
	pthread_cond_destroy(&resolver->answered);
	pthread_mutex_destroy(&resolver->mutex);
	free(resolver);
}

static void *resolver_main(void *argument)
{
	struct line_resolver *resolver = argument;
	prctl(PR_SET_NAME, "lines");
	pthread_mutex_lock(&resolver->mutex);
	struct question questions[LINE_READER_QUESTIONS_MAX];
	size_t count;
	while ((count = next_questions(resolver, questions)) > 0) {
		ask_reader(resolver, questions, count);
		for (size_t i = 0; i < count && !resolver->quit; i++)
			take_from_reader(resolver, &questions[i]);
	}
	pthread_mutex_unlock(&resolver->mutex);
	return NULL;
}

/* --- life -------------------------------------------------------------------------- */

struct line_resolver *line_resolver_create(void)
{
	struct line_resolver *resolver = mem_zalloc(sizeof(*resolver));
	pthread_mutex_init(&resolver->mutex, NULL);
	clock_condition_init(&resolver->asked);
	clock_condition_init(&resolver->answered);
	resolver->reader = line_reader_create();
	return resolver;
}

void line_resolver_hurry(struct line_resolver *resolver)
{
	resolver->is_urgent = true;
}

void line_resolver_destroy(struct line_resolver *resolver)
{
	if (!resolver)
		return;
	if (resolver->has_thread) {
		pthread_mutex_lock(&resolver->mutex);
		resolver->quit = true;
		pthread_cond_signal(&resolver->asked);
		pthread_mutex_unlock(&resolver->mutex);
		line_reader_cancel(resolver->reader);
		pthread_join(resolver->thread, NULL);
	}
	release(resolver);
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
	struct file file = {.fd = fd, .trusted = trusted};
	if (fstat(fd, &status) == 0) {
		file.device = status.st_dev;
		file.inode = status.st_ino;
		file.bytes = status.st_size;
		file.changed = status.st_ctim;
	}
	pthread_mutex_lock(&resolver->mutex);
	uint32_t id = 0;
	while (id < resolver->files.len &&
		!(file.inode && is_same(&file, &resolver->files.data[id])))
		id++;
	if (id == resolver->files.len)
		vec_push(&resolver->files, file);
	else
		close(fd);
	pthread_mutex_unlock(&resolver->mutex);
	return id;
}

/* --- questions and answers --------------------------------------------------------- */

void line_resolver_ask(
	struct line_resolver *resolver, uint32_t file, uint64_t vaddr, uint32_t cookie)
{
	pthread_mutex_lock(&resolver->mutex);
	vec_push(&resolver->questions,
		(struct question){.vaddr = vaddr, .file = file, .cookie = cookie});
	resolver->busy = true;
	pthread_cond_signal(&resolver->asked);
	if (!resolver->has_thread)
		resolver->has_thread = pthread_create(&resolver->thread, NULL,
					       resolver_main, resolver) == 0;
	if (!resolver->has_thread) { /* no lines then */
		resolver->questions.len = 0;
		resolver->busy = false;
	}
	pthread_mutex_unlock(&resolver->mutex);
}

bool line_resolver_take(struct line_resolver *resolver, struct line_answer *answer)
{
	pthread_mutex_lock(&resolver->mutex);
	bool found = resolver->next_answer < resolver->answers.len;
	if (found)
		*answer = resolver->answers.data[resolver->next_answer++];
	if (resolver->next_answer == resolver->answers.len)
		resolver->next_answer = resolver->answers.len = 0;
	pthread_mutex_unlock(&resolver->mutex);
	return found;
}

void line_answer_finish(struct line_answer *answer)
{
	for (uint32_t i = 0; i < answer->n_frames; i++) {
		free(answer->frames[i].name);
		free(answer->frames[i].file);
	}
	free(answer->frames);
	*answer = (struct line_answer){0};
}

unsigned line_resolver_deaths(struct line_resolver *resolver)
{
	pthread_mutex_lock(&resolver->mutex);
	unsigned deaths = resolver->deaths;
	pthread_mutex_unlock(&resolver->mutex);
	return deaths;
}

bool line_resolver_wait(struct line_resolver *resolver, uint64_t limit_ns)
{
	struct timespec deadline = clock_deadline(limit_ns);
	pthread_mutex_lock(&resolver->mutex);
	while (resolver->busy && pthread_cond_timedwait(&resolver->answered,
					 &resolver->mutex, &deadline) == 0)
		;
	bool done = !resolver->busy;
	pthread_mutex_unlock(&resolver->mutex);
	return done;
}
