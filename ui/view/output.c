/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/output.h"

#include "src/base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct output *output_create(void)
{
	return mem_zalloc(sizeof(struct output));
}

void output_destroy(struct output *output)
{
	if (!output)
		return;
	for (size_t i = 0; i < OUTPUT_LINES; i++)
		free(output->lines[i]);
	free(output);
}

static void end_line(struct output *output)
{
	char line[CLEAN_MAX];

	clean_text(line, sizeof(line), output->pending, output->n_pending);
	output->n_pending = 0;
	if (output->end - output->first == OUTPUT_LINES)
		output->first++;

	char **slot = &output->lines[output->end++ % OUTPUT_LINES];
	free(*slot);
	*slot = mem_strdup(line);
}

static void add_byte(struct output *output, char byte)
{
	if (output->n_pending < sizeof(output->pending))
		output->pending[output->n_pending++] = byte;
}

void output_add(struct output *output, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n')
			end_line(output);
		/* the next text overwrites the line: a progress bar */
		else if (bytes[i] == '\r')
			output->n_pending = 0;
		else if (bytes[i] == '\t')
			do
				add_byte(output, ' ');
			while (output->n_pending % 8 != 0 &&
				output->n_pending < sizeof(output->pending));
		else if (bytes[i] != '\0')
			add_byte(output, bytes[i]);
	}
}

void output_read(struct output *output, int fd)
{
	char buffer[16384];
	ssize_t n;

	/* Limited, so that a command that writes without end does not keep the screen
	   from its keys. */
	for (int rounds = 0; rounds < 16; rounds++) {
		n = read(fd, buffer, sizeof(buffer));
		if (n > 0)
			output_add(output, buffer, (size_t)n);
		else if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		else {
			if (output->n_pending > 0)
				end_line(output);
			output->closed = true;
			return;
		}
	}
}

const char *output_line(const struct output *output, uint64_t n)
{
	assert(n >= output->first && n < output->end);
	return output->lines[n % OUTPUT_LINES];
}
