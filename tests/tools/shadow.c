/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/shadow.h"

#include "src/arch/arch.h"

#include <string.h>

void shadow_finish(struct shadow *shadow)
{
	vec_free(&shadow->entries);
	idmap_finish(&shadow->returned);
}

#ifdef __aarch64__
/* bl; blr, and those that check a signature */
bool shadow_is_call(const unsigned char *code, size_t length)
{
	uint32_t word;
	if (length < sizeof(word))
		return false;
	memcpy(&word, code, sizeof(word));
	return word >> 26 == 0x25 || (word & 0xfefff000) == 0xd63f0000;
}
#else
bool shadow_is_call(const unsigned char *code, size_t length)
{
	size_t at = 0;
	for (; at + 1 < length; at++) {
		unsigned char c = code[at];
		bool prefix = c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 ||
			      c == 0x2e || c == 0x3e || (c & 0xf0) == 0x40;
		if (!prefix)
			break;
	}
	if (at + 1 >= length)
		return false;
	return code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
}
#endif

void shadow_step(struct shadow *shadow, uint64_t sp, uint64_t pc, uint64_t return_pc)
{
	size_t n = shadow->entries.len;
	struct shadow_entry *entries = shadow->entries.data;
	while (n > 0 && entries[n - 1].slot != 0 && entries[n - 1].slot < sp)
		n--;
	bool is_level = !ARCH_CALL_PUSHES && n > 0 && entries[n - 1].slot == sp;
	bool has_returned = is_level && entries[n - 1].pc == pc;
	if (has_returned && !idmap_get(&shadow->returned, sp, pc))
		idmap_put(&shadow->returned, sp, pc, 1);
	bool has_jumped = is_level && idmap_get(&shadow->returned, sp, pc);
	shadow->entries.len = has_returned || has_jumped ? n - 1 : n;
	if (return_pc)
		vec_push(&shadow->entries,
			((struct shadow_entry){.slot = sp, .pc = return_pc}));
}

void shadow_signal(struct shadow *shadow, uint64_t interrupted, uint64_t saved_at,
	uint64_t sp, uint64_t restorer)
{
	vec_push(&shadow->entries, ((struct shadow_entry){
					   .pc = interrupted,
					   .saved_at = saved_at,
				   }));
	vec_push(&shadow->entries, ((struct shadow_entry){
					   .slot = sp,
					   .pc = restorer,
					   .is_restorer = true,
				   }));
}

void shadow_sigreturn(struct shadow *shadow)
{
	size_t n = shadow->entries.len;
	while (n > 0 && shadow->entries.data[n - 1].slot != 0)
		n--;
	shadow->entries.len = n > 0 ? n - 1 : 0;
}

void shadow_chain(const struct shadow *shadow, uint64_t pc, struct callchain *out)
{
	out->end = UNWIND_ROOT;
	out->broken_at = 0;
	out->length = 0;
	out->frames[out->length++] = (struct frame){.pc = pc, .is_activation = true};
	for (size_t i = shadow->entries.len; i-- > 0 && out->length < CALLCHAIN_MAX;) {
		const struct shadow_entry *entry = &shadow->entries.data[i];
		out->frames[out->length++] = (struct frame){
			.pc = entry->pc,
			.is_activation = entry->slot == 0 || entry->is_restorer,
		};
	}
}
