/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/callgrind-events.h"

#include "src/count/import/recording.h"

#include <string.h>

const char *callgrind_word(const char **text, size_t *length)
{
	const char *word = *text + strspn(*text, " \t");
	*length = strcspn(word, " \t");
	*text = word + *length;
	return word;
}

/* We write what an event counts as "v : cpu in nanoseconds". Others give it a long name
   there, which is for people. */
void callgrind_events_describe(struct callgrind_events *events, const char *text)
{
	struct recording *recording = events->recording;
	const char *colon = strchr(text, ':');
	if (!colon || events->said.len >= RECORDING_TYPES_MAX)
		return;
	size_t length;
	const char *name = callgrind_word(&text, &length);
	const char *meaning = colon + 1 + strspn(colon + 1, " \t");
	const char *unit = strstr(meaning, " in ");
	if (!unit || strpbrk(unit + 4, " :"))
		return;
	vec_push(&events->said,
		(struct value_type){
			.type = recording_text(recording, name, length),
			.unit = recording_text(recording, meaning, strlen(meaning)),
		});
}

static struct value_type type_of(struct callgrind_events *events, const char *name)
{
	struct recording *recording = events->recording;
	vec_each (&events->said, said) {
		const char *in = strstr(said->unit, " in ");
		if (said->type == name && in)
			return (struct value_type){
				recording_text(
					recording, said->unit, (size_t)(in - said->unit)),
				profile_string(recording->profile, in + 4),
			};
	}
	return (struct value_type){name, profile_string(recording->profile, "count")};
}

bool callgrind_events_read(
	struct callgrind_events *events, const char *text, struct error *err)
{
	size_t length;
	events->types.len = 0;
	for (const char *word; word = callgrind_word(&text, &length), length;) {
		if (events->types.len == RECORDING_TYPES_MAX)
			return error_set(
				err, "names more than %d events", RECORDING_TYPES_MAX);
		vec_push(&events->types,
			type_of(events, recording_text(events->recording, word, length)));
	}
	return true;
}

void callgrind_events_finish(struct callgrind_events *events)
{
	vec_free(&events->types);
	vec_free(&events->said);
}
