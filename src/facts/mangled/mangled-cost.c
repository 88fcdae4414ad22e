/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/mangled/mangled-cost.h"

#include <stddef.h>
#include <string.h>

#define ENDLESS (UINT64_C(1) << 40)

enum {
	/* So few substitutions take 2^20 steps whatever they stand for. */
	FEW_SUBSTITUTIONS = 20,
	D_MAX_BYTES = 1024,
	D_DOUBLINGS = 10,
	NODES_MAX = 2048, /* libiberty reads no names that need more */
	/* A name of 16 KiB has 3,000 lists at most, each of which costs so many steps. */
	LIFETIMES_MAX = 62 * 62,
};

static uint64_t at_most(uint64_t cost)
{
	return cost < ENDLESS ? cost : ENDLESS;
}

/* --- Rust --------------------------------------------------------------------------- */

/* The number in base 62 at TEXT, up to a "_": 0 if there is none; LIFETIMES_MAX if it is
   that or more, whose end need not be known. */
static uint64_t lifetimes_at(const char *text)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t value = 0;
	size_t length = strspn(text, digits);
	if (text[length] != '_')
		return 0;
	for (size_t i = 0; i < length && value < LIFETIMES_MAX; i++)
		value = value * 62 + (uint64_t)(strchr(digits, text[i]) - digits);
	return value;
}

bool mangled_rust_is_suspect(const char *symbol)
{
	if (strncmp(symbol, "_R", 2) != 0)
		return false;
	for (const char *at = strchr(symbol, 'G'); at; at = strchr(at + 1, 'G'))
		if ((at[-1] == 'F' || at[-1] == 'D') &&
			lifetimes_at(at + 1) >= LIFETIMES_MAX)
			return true;
	return false;
}

/* --- D ------------------------------------------------------------------------------ */

bool mangled_d_is_suspect(const char *symbol)
{
	size_t doublings = 0, length = strlen(symbol);
	for (const char *at = symbol; *at; at++)
		doublings += strchr("FUWVRY", *at) ? 2 : *at == 'Q';
	return length > D_MAX_BYTES || doublings > 2 * D_DOUBLINGS;
}

/* --- C++ ---------------------------------------------------------------------------- */

/* How often LETTER, digits, and END come in SYMBOL, as "S_" and "S1A_". */
static size_t count_references(const char *symbol, char letter, const char *end)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t count = 0, length = strlen(end);
	for (const char *at = strchr(symbol, letter); at; at = strchr(at + 1, letter))
		count += strncmp(at + 1 + strspn(at + 1, digits), end, length) == 0;
	return count;
}

uint64_t mangled_parse_cost(const char *symbol)
{
	size_t parsed_twice =
		strstr(symbol, "cv") ? count_references(symbol, 'T', "_I") : 0;
	return parsed_twice < 40 ? UINT64_C(1) << parsed_twice : ENDLESS;
}

bool mangled_may_have_packs(const char *symbol)
{
	static const char *const marks[] = {"Dp", "sp", "sZ", "sP"};
	bool may_have = false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		may_have |= strstr(symbol, marks[i]) != NULL;
	return may_have && count_references(symbol, 'S', "_") > FEW_SUBSTITUTIONS;
}

struct tree {
	const struct demangle_component *nodes;
	struct {
		uint64_t walk;	   /* steps to walk through all of it */
		uint64_t searches; /* steps of all searches for packs in it */
		enum {
			NEW,
			OPEN,
			DONE
		} state;
	} costs[NODES_MAX];
};

/* What is below NODE, as d_find_pack of libiberty sees it. */
static void children_of(const struct demangle_component *node,
	const struct demangle_component *children[2])
{
	children[0] = children[1] = NULL;
	switch (node->type) {
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		return;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		children[0] = node->u.s_unary_num.sub;
		return;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		children[0] = node->u.s_extended_operator.name;
		return;
	case DEMANGLE_COMPONENT_CTOR:
		children[0] = node->u.s_ctor.name;
		return;
	case DEMANGLE_COMPONENT_DTOR:
		children[0] = node->u.s_dtor.name;
		return;
	default:
		children[0] = node->u.s_binary.left;
		children[1] = node->u.s_binary.right;
	}
}

/* The index of NODE in TREE, whose costs are known then; NODES_MAX if it has none. */
static size_t measure(struct tree *tree, const struct demangle_component *node)
{
	const struct demangle_component *children[2];
	ptrdiff_t place = node - tree->nodes;
	if (place < 0 || place >= NODES_MAX || tree->costs[place].state == OPEN)
		return NODES_MAX;
	if (tree->costs[place].state == DONE)
		return (size_t)place;
	uint64_t walk = 1, searches = 0;
	tree->costs[place].state = OPEN;
	children_of(node, children);
	for (size_t i = 0; i < 2; i++) {
		size_t child = children[i] ? measure(tree, children[i]) : NODES_MAX;
		if (children[i] && child == NODES_MAX)
			walk = ENDLESS;
		if (child == NODES_MAX)
			continue;
		walk = at_most(walk + tree->costs[child].walk);
		searches = at_most(searches + tree->costs[child].searches);
	}
	/* Of packs in expressions (sizeof...) as of types. */
	if (node->type == DEMANGLE_COMPONENT_PACK_EXPANSION ||
		node->type == DEMANGLE_COMPONENT_UNARY)
		searches = at_most(searches + walk);
	tree->costs[place].walk = walk;
	tree->costs[place].searches = searches;
	tree->costs[place].state = DONE;
	return (size_t)place;
}

uint64_t mangled_tree_cost(const struct demangle_component *root, const void *nodes)
{
	struct tree tree = {.nodes = nodes};
	size_t place = measure(&tree, root);
	return place == NODES_MAX
		       ? ENDLESS
		       : at_most(tree.costs[place].walk + tree.costs[place].searches);
}
