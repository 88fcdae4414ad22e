/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/locks/lock.h"

#include <stdlib.h>

void lock_parts_add(struct lock_parts *parts, uint64_t id, const char *name, uint64_t ns)
{
	const uint32_t *place = idmap_get(&parts->places, id, 0);
	if (place) {
		parts->data[*place].ns += ns;
		parts->data[*place].name = name;
		return;
	}
	idmap_put(&parts->places, id, 0, (uint32_t)parts->len);
	vec_push(parts, (struct lock_part){id, name, ns});
}

static int compare_parts(const void *a, const void *b)
{
	const struct lock_part *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

void lock_parts_sort(struct lock_parts *parts)
{
	idmap_finish(&parts->places);
	parts->places = (struct idmap){0};
	if (parts->len)
		qsort(parts->data, parts->len, sizeof(*parts->data), compare_parts);
}
