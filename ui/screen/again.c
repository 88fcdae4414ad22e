/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/again.h"

#include "ui/screen/screen.h"

#include <stdint.h>
#include <string.h>

/* A view by its number: a pointer is none in another process. */
struct packed {
	struct app_again again;
	uint32_t view;
};

size_t again_pack(const struct app_again *again, char *out, size_t size)
{
	struct packed packed = {.again = *again};
	packed.again.view = NULL;
	while (view_list[packed.view] &&
		strcmp(view_list[packed.view]->name, again->view) != 0)
		packed.view++;
	if (size < sizeof(packed))
		return 0;
	memcpy(out, &packed, sizeof(packed));
	return sizeof(packed);
}

/* Whatever the byte is. */
static void make_flag(bool *flag)
{
	unsigned char byte;
	memcpy(&byte, flag, sizeof(byte));
	*flag = byte != 0;
}

void again_unpack(struct app_again *again, const char *bytes, size_t size)
{
	struct packed packed;
	struct app_again *read = &packed.again;
	uint32_t view = 0;
	if (size != sizeof(packed))
		return;
	memcpy(&packed, bytes, sizeof(packed));
	bool *const flags[] = {&read->wanted, &read->wall, &read->side_by_side,
		&read->is_paused, &read->is_stuck, &read->naming.fold_inlines,
		&read->looks.pools, &read->looks.flipped, &read->looks.ascii,
		&read->looks.no_color, &read->looks.no_mouse, &read->looks.no_sync};
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		make_flag(flags[i]);
	while (view < packed.view && view_list[view])
		view++;
	read->view = view_list[view] ? view_list[view]->name : NULL;
	read->naming.edits[sizeof(read->naming.edits) - 1] = '\0';
	read->wanted = true;
	*again = *read;
}
