/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hotspot-method, hotspot-scopes: methods and compiled code of a made-up machine, as versions lay
   them out, and as nobody should. */

#include "tests/lib/made-java.h"
#include "tests/lib/unit.h"

#include "src/read/runtimes/hotspot/hotspot-method.h"
#include "src/read/runtimes/hotspot/hotspot-scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where things are in the memory, and in each other. */
enum {
	METHOD = 0x5000, /* two of them */
	OF_METHOD = 0x80,
	RECORD = 0x5200,
	OF_RECORD = 0x100,
	RECORD_HEADER = 56,
	CODE_BYTES = 40,
	POOL = 0x5400,
	POOL_HEADER = 80,
	POOL_LENGTH = 12,
	KLASS = 0x5600,
	SYMBOLS = 0x5800, /* 0x100 bytes for each */
	MUTABLE = 0x7000,
	IMMUTABLE = 0x7200,
	VERSION = 0x3020, /* a static field */
	FIRST_SEGMENT = 3,
};

/* The number of each symbol among the constants. */
enum {
	CLASS_NAME = 1,
	METHOD_NAME,
	SIGNATURE,
	SOURCE,
};

static void set_symbol(struct machine *machine, unsigned number, const char *text)
{
	size_t at = SYMBOLS + number * 0x100;
	size_t length = strlen(text);
	put(machine, at + (machine->is_new ? 4 : 0), length, 2);
	memcpy(machine->bytes + at + 6, text, length);
	put(machine, POOL + POOL_HEADER + number * 8, BASE + at, 8);
}

static void add_fields(struct machine *machine)
{
	bool is_new = machine->is_new;
	add_field(machine, "Method", "_constMethod", "ConstMethod*", false, 8);
	add_field(machine, "ConstMethod", "_constants", "ConstantPool*", false, 8);
	add_field(machine, "ConstMethod", "_constMethod_size", "int", false, 24);
	add_field(machine, "ConstMethod", is_new ? "_flags._flags" : "_flags",
		is_new ? "u4" : "u2", false, 28);
	add_field(machine, "ConstMethod", "_code_size", "u2", false, 34);
	add_field(machine, "ConstMethod", "_name_index", "u2", false, 36);
	add_field(machine, "ConstMethod", "_signature_index", "u2", false, 38);
	add_field(machine, "ConstantPool", "_pool_holder", "InstanceKlass*", false, 24);
	add_field(machine, "ConstantPool", "_length", "int", false, 60);
	add_field(machine, "Klass", "_name", "Symbol*", false, 24);
	add_field(machine, is_new ? "ConstantPool" : "InstanceKlass",
		"_source_file_name_index", "u2", false, 54);
	add_field(machine, "Symbol", "_length", is_new ? "u2" : "unsigned short", false,
		is_new ? 4 : 0);
	add_field(machine, "Symbol", "_body", "", false, 6);
	add_field(machine, "Abstract_VM_Version", "_vm_major_version", "int", true,
		BASE + VERSION);
	add_size(machine, "ConstMethod", RECORD_HEADER);
	add_size(machine, "ConstantPool", POOL_HEADER);
	put(machine, VERSION, is_new ? 25 : 17, 4);
}

/* With methods "work" and the same once more. */
static struct machine *make_java(bool is_new)
{
	struct machine *machine = make_machine(is_new);
	add_fields(machine);
	for (size_t i = 0; i < 2; i++) {
		size_t record = RECORD + i * OF_RECORD;
		put(machine, METHOD + i * OF_METHOD + 8, BASE + record, 8);
		put(machine, record + 8, BASE + POOL, 8);
		put(machine, record + 24, 16, 4); /* 128 bytes in all */
		put(machine, record + 28, 1, 2);
		put(machine, record + 34, CODE_BYTES, 2);
		put(machine, record + 36, METHOD_NAME, 2);
		put(machine, record + 38, SIGNATURE, 2);
	}
	put(machine, POOL + 24, BASE + KLASS, 8);
	put(machine, POOL + 60, POOL_LENGTH, 4);
	put(machine, (is_new ? POOL : KLASS) + 54, SOURCE, 2);
	put(machine, KLASS + 24, BASE + SYMBOLS + CLASS_NAME * 0x100, 8);
	set_symbol(machine, CLASS_NAME, "some/where/Outer$Inner");
	set_symbol(machine, METHOD_NAME, "work");
	set_symbol(machine, SIGNATURE, "(J[[Ljava/lang/String;Lx/C;Z)V");
	set_symbol(machine, SOURCE, "Outer.java");
	return machine;
}

static void set_lines(struct machine *machine, const unsigned char *table, size_t length)
{
	memcpy(machine->bytes + RECORD + RECORD_HEADER + CODE_BYTES, table, length);
}

/* The names of the method; false if it has none. */
static bool names_of(struct machine *machine, struct hotspot_names *names)
{
	struct hotspot_method method;
	struct hotspot_methods *methods =
		hotspot_methods_create(&machine->memory, machine->addresses);
	bool is_named = methods && hotspot_read_method(methods, BASE + METHOD, &method) &&
			hotspot_name_method(methods, &method, names);
	hotspot_methods_destroy(methods);
	return is_named;
}

static void test_names(void **state)
{
	(void)state;
	static const struct {
		const char *of, *name, *signature;
		const char *package, *expected;
	} names[] = {
		{"some/where/Outer$Inner", "work", "(J[[Ljava/lang/String;Lx/C;Z)V",
			"some.where",
			"some.where.Outer$Inner.work(long, String[][], C, boolean)"},
		{"App", "<init>", "()V", "", "App.<init>()"},
		{"App", "f", "(BCDFIS[J)[I", "",
			"App.f(byte, char, double, float, int, short, long[])"},
		{"App$$Lambda$14+0x0000000800c03000", "run", "()V", "",
			"App$$Lambda.run()"},
		{"a/App$$Lambda+0x00007f0000001000", "get", "()LApp;", "a",
			"a.App$$Lambda.get()"},
		{"java/lang/invoke/LambdaForm$MH+0x0000000800c03000", "invoke",
			"(Ljava/lang/Object;)V", "java.lang.invoke",
			"java.lang.invoke.LambdaForm$MH.invoke(Object)"},
	};
	for (size_t i = 0; i < 2 * sizeof(names) / sizeof(*names); i++) {
		struct machine *machine = make_java(i % 2);
		struct hotspot_names got;
		set_symbol(machine, CLASS_NAME, names[i / 2].of);
		set_symbol(machine, METHOD_NAME, names[i / 2].name);
		set_symbol(machine, SIGNATURE, names[i / 2].signature);
		assert_true(names_of(machine, &got));
		assert_string_equal(got.name, names[i / 2].expected);
		assert_string_equal(got.package, names[i / 2].package);
		assert_string_equal(got.file, "Outer.java");
		free(machine);
	}
}

/* What is no method has no name; one whose class has no source file has no file. */
static void test_what_is_not_named(void **state)
{
	(void)state;
	static const struct {
		size_t at;
		uint64_t value;
		size_t bytes;
	} changes[] = {
		{METHOD + 8, 0, 8},
		{METHOD + 8, 0x10, 8}, /* no record */
		{RECORD + 8, 0, 8},
		{RECORD + 8, 0x10, 8}, /* no constants */
		{RECORD + 24, 1, 4},
		{RECORD + 24, UINT32_MAX, 4},
		{RECORD + 34, UINT16_MAX, 2}, /* more bytecode than there is room */
		{RECORD + 36, 0, 2},
		{RECORD + 36, POOL_LENGTH, 2},
		{RECORD + 38, METHOD_NAME, 2}, /* types of parameters that are none */
		{POOL + 24, 0, 8},
		{POOL + 24, 0x10, 8},
		{KLASS + 24, 0, 8},
		{POOL + POOL_HEADER + METHOD_NAME * 8, 0x10, 8},
	};
	static const char *const signatures[] = {
		"", "V", "(", "(J", "(L)V", "(Lx", "(Q)V", "([)V"};
	static const char *const wrong_names[] = {"", "a.b", "a;b", "a/b", "[I"};
	struct hotspot_names got;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct machine *machine = make_java(true);
		assert_true(names_of(machine, &got));
		put(machine, changes[i].at, changes[i].value, changes[i].bytes);
		assert_false(names_of(machine, &got));
		free(machine);
	}
	for (size_t i = 0; i < sizeof(signatures) / sizeof(*signatures); i++) {
		struct machine *machine = make_java(true);
		set_symbol(machine, SIGNATURE, signatures[i]);
		assert_false(names_of(machine, &got));
		free(machine);
	}
	for (size_t i = 0; i < sizeof(wrong_names) / sizeof(*wrong_names); i++) {
		struct machine *machine = make_java(true);
		set_symbol(machine, METHOD_NAME, wrong_names[i]);
		assert_false(names_of(machine, &got));
		free(machine);
	}
	struct machine *machine = make_java(true);
	put(machine, POOL + 54, 0, 2);
	assert_true(names_of(machine, &got));
	assert_string_equal(got.file, "");
	free(machine);
}

/* Bytecode 0 is of line 10, 4 of line 12, 30 of line 300, 36 of line 9. */
static const unsigned char lines_17[] = {
	255, 0, 20, 4 << 3 | 2, 255, 52, 192, 6, 255, 12, 197, 6, 0};
static const unsigned char lines_25[] = {
	255, 1, 21, 4 << 3 | 2, 255, 53, 193, 7, 255, 13, 198, 7, 0};

static void test_lines(void **state)
{
	(void)state;
	static const struct {
		int32_t bci;
		uint32_t line;
	} expected[] = {{-1, 0}, {0, 10}, {3, 10}, {4, 12}, {29, 12}, {30, 300}, {36, 9},
		{39, 9}};
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_java(is_new);
		struct hotspot_method method;
		set_lines(machine, is_new ? lines_25 : lines_17, sizeof(lines_17));
		struct hotspot_methods *methods =
			hotspot_methods_create(&machine->memory, machine->addresses);
		assert_true(hotspot_read_method(methods, BASE + METHOD, &method));
		for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
			assert_int_equal(
				hotspot_method_line(methods, &method, expected[i].bci),
				expected[i].line);
		uint64_t code = BASE + RECORD + RECORD_HEADER;
		assert_int_equal(hotspot_method_bci(methods, &method, code - 1), -1);
		assert_int_equal(hotspot_method_bci(methods, &method, code + 5), 5);
		assert_int_equal(
			hotspot_method_bci(methods, &method, code + CODE_BYTES), -1);
		put(machine, RECORD + 28, 0, 2); /* it has none */
		assert_true(hotspot_read_method(methods, BASE + METHOD, &method));
		assert_int_equal(hotspot_method_line(methods, &method, 4), 0);
		hotspot_methods_destroy(methods);
		free(machine);
	}
}

/* --- compiled code -------------------------------------------------------------------- */

enum {
	PLACES = 6,
	PLACE_BYTES = 16,
	COMPLETE = 12,
};

/* Compiled code: see places below. Returns where it begins. */
static uint64_t compile(struct machine *machine)
{
	bool is_new = machine->is_new;
	uint64_t start = add_code(machine, FIRST_SEGMENT, 8, "nmethod", 6, COMPLETE);
	size_t blob = CODE + FIRST_SEGMENT * SEGMENT + (is_new ? 8 : 16);
	add_field(machine, is_new ? "nmethod" : "CompiledMethod", "_method", "Method*",
		false, 40);
	add_field(machine, "nmethod", "_entry_bci", "int", false, 48);
	add_field(machine, "nmethod", "_compile_id", "int", false, 52);
	add_field(machine, "nmethod", "_scopes_pcs_offset", "int", false, 56);
	add_field(machine, "nmethod", "_state", "volatile signed char", false, 38);
	add_field(machine, "Method", "_code", "nmethod*", false, 64);
	add_field(machine, "PcDesc", "_pc_offset", "int", false, 0);
	add_field(machine, "PcDesc", "_scope_decode_offset", "int", false, 4);
	add_size(machine, "PcDesc", PLACE_BYTES);
	if (is_new) {
		add_field(machine, "nmethod", "_scopes_data_offset", "int", false, 60);
		add_field(machine, "nmethod", "_immutable_data", "address", false, 64);
		add_field(machine, "nmethod", "_immutable_data_size", "int", false, 72);
		add_field(machine, "CodeBlob", "_mutable_data", "address", false, 80);
		add_field(machine, "CodeBlob", "_mutable_data_size", "int", false, 88);
		add_field(machine, "CodeBlob", "_relocation_size", "int", false, 92);
	} else {
		add_field(machine, "nmethod", "_dependencies_offset", "int", false, 60);
		add_field(machine, "nmethod", "_metadata_offset", "int", false, 64);
		add_field(machine, "CompiledMethod", "_scopes_data_begin", "address",
			false, 72);
	}
	/* The methods, the scopes and the places, in this order if they follow the code. */
	size_t methods = is_new ? MUTABLE + 24 : blob + 0x200;
	size_t scopes = is_new ? IMMUTABLE + 8 + PLACES * PLACE_BYTES : methods + 16;
	size_t places = is_new ? IMMUTABLE + 8 : scopes + 64;
	put(machine, blob + 40, BASE + METHOD, 8);
	put(machine, blob + 48, UINT32_MAX, 4);
	put(machine, blob + 52, 77, 4);
	if (is_new) {
		put(machine, blob + 56, places - IMMUTABLE, 4);
		put(machine, blob + 60, scopes - IMMUTABLE, 4);
		put(machine, blob + 64, BASE + IMMUTABLE, 8);
		put(machine, blob + 72, scopes + 64 - IMMUTABLE, 4);
		put(machine, blob + 80, BASE + MUTABLE, 8);
		put(machine, blob + 88, 24 + 16, 4);
		put(machine, blob + 92, 24, 4);
	} else {
		put(machine, blob + 56, places - blob, 4);
		put(machine, blob + 60, places + PLACES * PLACE_BYTES - blob, 4);
		put(machine, blob + 64, methods - blob, 4);
		put(machine, blob + 72, BASE + scopes, 8);
	}
	put(machine, methods, BASE + METHOD, 8);
	put(machine, methods + 8, BASE + METHOD + OF_METHOD, 8);
	/* Each scope: the one outside of it, its method, its bytecode and 1. */
	unsigned one = is_new;
	const unsigned char bytes[] = {9, (unsigned char)(0 + one),
		(unsigned char)(1 + one), (unsigned char)(5 + one), /* 1: METHOD at 4 */
		(unsigned char)(1 + one), (unsigned char)(2 + one),
		(unsigned char)(8 + one), /* 4: the second at 7, inlined there */
		(unsigned char)(0 + one), (unsigned char)(1 + one),
		(unsigned char)(0 + one), /* 7: METHOD where it is entered */
		(unsigned char)(10 + one), (unsigned char)(1 + one),
		(unsigned char)(1 + one), /* 10: inlined into itself */
		(unsigned char)(1 + one), (unsigned char)(3 + one),
		(unsigned char)(1 + one)}; /* 13: a third method */
	memcpy(machine->bytes + scopes, bytes, sizeof(bytes));
	static const int32_t table[PLACES][2] = {
		{-1, 0}, {40, 1}, {60, 4}, {80, 7}, {100, 1}, {INT32_MAX, 0}};
	for (size_t i = 0; i < PLACES; i++) {
		put(machine, places + i * PLACE_BYTES, (uint32_t)table[i][0], 4);
		put(machine, places + i * PLACE_BYTES + 4, (uint32_t)table[i][1], 4);
	}
	return start;
}

static size_t first_place(const struct machine *machine)
{
	return machine->is_new ? IMMUTABLE + 8
			       : CODE + FIRST_SEGMENT * SEGMENT + 16 + 0x200 + 16 + 64;
}

/* The scopes at OFFSET of the code, as text: "1:4" is the first method at 4. */
static const char *scopes_at(struct machine *machine, uint64_t start, unsigned offset,
	bool is_return, size_t most)
{
	static char text[256];
	struct hotspot_scope out[8];
	struct hotspot_code code;
	struct hotspot_compiled compiled;
	struct hotspot *hotspot = hotspot_create(&machine->memory, machine->addresses);
	struct hotspot_scopes *scopes = hotspot_scopes_create(
		&machine->memory, machine->addresses, machine->is_new);
	assert_non_null(hotspot);
	assert_non_null(scopes);
	size_t used = 0, n = 0;
	text[0] = '\0';
	if (hotspot_find_code(hotspot, start + offset, &code) &&
		hotspot_read_compiled(scopes, &code, &compiled))
		n = hotspot_scopes_at(
			scopes, &compiled, start + offset, is_return, out, most);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d:%d",
			i ? " " : "",
			out[i].method == BASE + METHOD		     ? 1
			: out[i].method == BASE + METHOD + OF_METHOD ? 2
								     : 0,
			out[i].bci);
	hotspot_destroy(hotspot);
	hotspot_scopes_destroy(scopes);
	return text;
}

static void test_scopes(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_java(is_new);
		uint64_t start = compile(machine);
		assert_string_equal(scopes_at(machine, start, 40, true, 8), "1:4");
		assert_string_equal(scopes_at(machine, start, 60, true, 8), "2:7 1:4");
		assert_string_equal(scopes_at(machine, start, 80, true, 8), "1:0");
		/* in between, where it has no frame yet, and where it leaves */
		assert_string_equal(scopes_at(machine, start, 41, false, 8), "2:7 1:4");
		assert_string_equal(scopes_at(machine, start, COMPLETE, false, 8), "1:4");
		assert_string_equal(
			scopes_at(machine, start, COMPLETE - 1, false, 8), "1:0");
		assert_string_equal(scopes_at(machine, start, 101, false, 8), "1:4");
		/* of more than there is room for the first ones, and the last */
		assert_string_equal(scopes_at(machine, start, 60, true, 1), "1:4");
		/* entered in a loop */
		size_t blob = CODE + FIRST_SEGMENT * SEGMENT + (is_new ? 8 : 16);
		put(machine, blob + 48, 21, 4);
		assert_string_equal(scopes_at(machine, start, 1, false, 8), "1:21");
		/* a native method */
		put(machine, blob + 60,
			first_place(machine) - (is_new ? IMMUTABLE : blob), 4);
		assert_string_equal(scopes_at(machine, start, 60, true, 8), "1:-1");
		free(machine);
	}
}

static void test_scopes_of_much_code(void **state)
{
	(void)state;
	struct machine *machine = make_java(true);
	uint64_t start = compile(machine);
	size_t blob = CODE + FIRST_SEGMENT * SEGMENT + 8;
	enum {
		MANY = 500
	};
	/* The scopes lie behind them now, moved to another place. */
	put(machine, blob + 64, BASE + MAP + 0x400 - 8, 8);
	put(machine, blob + 60, 8 + MANY * PLACE_BYTES, 4);
	put(machine, blob + 72, 8 + MANY * PLACE_BYTES + 64, 4);
	size_t places = MAP + 0x400;
	for (unsigned i = 0; i < MANY; i++) {
		put(machine, places + i * PLACE_BYTES, i == 0 ? UINT32_MAX : i * 2, 4);
		put(machine, places + i * PLACE_BYTES + 4, i % 2 ? 1 : 4, 4);
	}
	memcpy(machine->bytes + places + MANY * PLACE_BYTES,
		machine->bytes + IMMUTABLE + 8 + PLACES * PLACE_BYTES, 64);
	for (unsigned at = COMPLETE; at < 800; at++)
		assert_string_equal(scopes_at(machine, start, at, false, 8),
			(at + 1) / 2 % 2 ? "1:4" : "2:7 1:4");
	free(machine);
}

/* Records that lead nowhere, or in a circle. */
static void test_scopes_that_are_none(void **state)
{
	(void)state;
	static const uint32_t scopes[] = {10, 13, 64, 63, 1 << 20, UINT32_MAX};
	for (int is_new = 0; is_new < 2; is_new++)
		for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
			struct machine *machine = make_java(is_new);
			uint64_t start = compile(machine);
			put(machine, first_place(machine) + 2 * PLACE_BYTES + 4,
				scopes[i], 4);
			assert_string_equal(scopes_at(machine, start, 60, true, 8), "");
			free(machine);
		}
	struct machine *machine = make_java(true);
	uint64_t start = compile(machine);
	size_t blob = CODE + FIRST_SEGMENT * SEGMENT + 8;
	put(machine, blob + 40, 0, 8); /* its class was unloaded */
	assert_string_equal(scopes_at(machine, start, 60, true, 8), "");
	put(machine, blob + 40, BASE + METHOD, 8);
	put(machine, blob + 64, 0x10, 8); /* nothing can be read there */
	assert_string_equal(scopes_at(machine, start, 60, true, 8), "1:-1");
	put(machine, blob + 72, 0, 4); /* ends before it begins */
	assert_string_equal(scopes_at(machine, start, 60, true, 8), "");
	free(machine);
}

/* Code in use is that of its method; of other code nothing is known. */
static void test_code_and_its_method(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_java(is_new);
		uint64_t start = compile(machine);
		size_t blob = CODE + FIRST_SEGMENT * SEGMENT + (is_new ? 8 : 16);
		struct hotspot_code code;
		struct hotspot_compiled compiled;
		struct hotspot *hotspot =
			hotspot_create(&machine->memory, machine->addresses);
		struct hotspot_scopes *scopes = hotspot_scopes_create(
			&machine->memory, machine->addresses, is_new);
		assert_true(hotspot_find_code(hotspot, start, &code));
		assert_true(hotspot_read_compiled(scopes, &code, &compiled));
		assert_false(hotspot_has_its_method(scopes, &compiled));
		put(machine, METHOD + 64, BASE + blob, 8);
		assert_true(hotspot_has_its_method(scopes, &compiled));
		put(machine, METHOD + 64, 0, 8);
		put(machine, blob + 38, 1, 1); /* not in use any more */
		assert_true(hotspot_has_its_method(scopes, &compiled));
		hotspot_destroy(hotspot);
		hotspot_scopes_destroy(scopes);
		free(machine);
	}
}

/* Another class of the same shape, at the same place, and the object that stands for it. */
static void test_one_method_from_another(void **state)
{
	(void)state;
	struct machine *machine = make_java(true);
	add_field(machine, "Klass", "_java_mirror", "OopHandle", false, 112);
	put(machine, KLASS + 112, BASE + MUTABLE, 8);
	put(machine, MUTABLE, 0x12345678, 8);
	struct hotspot_methods *methods =
		hotspot_methods_create(&machine->memory, machine->addresses);
	struct hotspot_method one, other;
	assert_true(hotspot_read_method(methods, BASE + METHOD, &one));
	assert_true(hotspot_read_method(methods, BASE + METHOD, &other));
	assert_memory_equal(&one, &other, sizeof(one));
	set_symbol(machine, METHOD_NAME, "rest");
	assert_true(hotspot_read_method(methods, BASE + METHOD, &other));
	assert_memory_not_equal(&one, &other, sizeof(one));
	assert_true(hotspot_is_mirror(methods, &one, 0x12345678));
	assert_false(hotspot_is_mirror(methods, &one, 0x12345680));
	assert_false(hotspot_is_mirror(methods, &one, 0));
	put(machine, MUTABLE, UINT64_C(0x12345678) << 16 | 0x5a, 8); /* ZGC's */
	assert_true(hotspot_is_mirror(methods, &one, 0x12345678));
	hotspot_methods_destroy(methods);
	free(machine);
}

/* Without one of the fields there are no names; with what one version lacks there are. */
static void test_each_field_is_needed(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_java(is_new);
		unsigned methods_end = machine->n_entries;
		compile(machine);
		unsigned first = methods_end - 14;
		for (unsigned i = first; i < machine->n_entries; i++) {
			size_t name = TABLE + STRIDE * i + 8;
			uint64_t was;
			memcpy(&was, machine->bytes + name, 8);
			put(machine, name, BASE + TEXTS, 8);
			struct hotspot_methods *methods = hotspot_methods_create(
				&machine->memory, machine->addresses);
			struct hotspot_scopes *scopes = hotspot_scopes_create(
				&machine->memory, machine->addresses, false);
			if (i < methods_end)
				assert_null(methods);
			else
				assert_null(scopes);
			hotspot_methods_destroy(methods);
			hotspot_scopes_destroy(scopes);
			put(machine, name, was, 8);
		}
		free(machine);
	}
}

/* Whatever is there, an answer comes soon. */
static void test_any_bytes(void **state)
{
	(void)state;
	srandom(1);
	unsigned named = 0, placed = 0;
	for (int round = 0; round < 3000; round++) {
		struct machine *machine = make_java(round % 2);
		uint64_t start = compile(machine);
		for (int i = 0; i < 40; i++) {
			size_t where = METHOD + (size_t)random() % (BYTES - METHOD);
			machine->bytes[where] = (unsigned char)random();
		}
		struct hotspot_names names;
		struct hotspot_method method;
		struct hotspot_methods *methods =
			hotspot_methods_create(&machine->memory, machine->addresses);
		named += names_of(machine, &names);
		if (hotspot_read_method(methods, BASE + METHOD, &method))
			hotspot_method_line(methods, &method, (int32_t)random() % 40);
		placed += *scopes_at(machine, start, 60, true, 8) != '\0';
		assert_true(machine->reads < 50000);
		hotspot_methods_destroy(methods);
		free(machine);
	}
	assert_true(named > 100 && named < 3000);
	assert_true(placed > 100 && placed < 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_what_is_not_named),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_scopes_of_much_code),
		cmocka_unit_test(test_scopes_that_are_none),
		cmocka_unit_test(test_code_and_its_method),
		cmocka_unit_test(test_one_method_from_another),
		cmocka_unit_test(test_each_field_is_needed),
		cmocka_unit_test(test_any_bytes),
	};
	return unit_run(tests);
}
