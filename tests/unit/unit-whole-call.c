/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls are completed and how the rest of one is asked for: what can be decided
   without a process. The rest is tests/e2e/e2e-whole-calls. */

#include "tests/lib/unit.h"

#include "ptrace/call/call-rest.h"
#include "ptrace/call/call-rule.h"
#include "ptrace/call/call-vector.h"
#include "src/arch/arch-call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* --- registers ------------------------------------------------------------------- */

static struct arch_regset regset_of(const struct user_regs_struct *r)
{
	struct arch_regset regset = {.size = sizeof(*r)};
	memcpy(regset.bytes, r, sizeof(*r));
	return regset;
}

static struct user_regs_struct registers_of(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	return r;
}

static const struct user_regs_struct leaving_a_write = {
	.r15 = 15,
	.r14 = 14,
	.r13 = 13,
	.r12 = 12,
	.rbp = 0x7ffc00001000,
	.rbx = 3,
	.r11 = 0x246,
	.r10 = 10,
	.r9 = 9,
	.r8 = 8,
	.rax = 4096,
	.rcx = 0x401002,
	.rdx = 65536,
	.rsi = 0x500000,
	.rdi = 7,
	.orig_rax = SYS_write,
	.rip = 0x401002,
	.cs = 0x33,
	.eflags = 0x246,
	.rsp = 0x7ffc00000800,
	.ss = 0x2b,
	.fs_base = 0x7f0000000740,
};

static void test_a_call_is_read_from_registers(void **state)
{
	(void)state;
	struct arch_regset regset = regset_of(&leaving_a_write);
	struct arch_call call;
	assert_true(arch_left_call(&regset, &call));
	assert_int_equal(call.number, SYS_write);
	const uint64_t arguments[] = {7, 0x500000, 65536, 10, 8, 9};
	assert_memory_equal(call.arguments, arguments, sizeof(arguments));
	assert_int_equal(arch_call_result(&regset), 4096);
	assert_int_equal(arch_call_address(&regset), 0x401000);

	struct user_regs_struct by_interrupt = leaving_a_write;
	by_interrupt.orig_rax = (unsigned long long)-1;
	regset = regset_of(&by_interrupt);
	assert_false(arch_left_call(&regset, &call));

	regset.size = 17 * 4; /* of a 32-bit task */
	assert_false(arch_left_call(&regset, &call));
}

static void test_other_ways_into_the_kernel_are_known(void **state)
{
	(void)state;
	assert_true(arch_is_call((const unsigned char *)"\x0f\x05"));  /* syscall */
	assert_false(arch_is_call((const unsigned char *)"\xcd\x80")); /* int $0x80 */
	assert_false(arch_is_call((const unsigned char *)"\x0f\x34")); /* sysenter */
}

static void test_another_call_is_asked_for(void **state)
{
	(void)state;
	struct arch_regset regset = regset_of(&leaving_a_write);
	const struct arch_call rest = {SYS_sendto, {1, 2, 3, 4, 5, 6}};
	arch_ask_call(&regset, &rest);
	struct user_regs_struct wanted = leaving_a_write, got = registers_of(&regset);
	wanted.rip -= 2;
	wanted.rax = SYS_sendto;
	wanted.orig_rax = (unsigned long long)-1;
	wanted.rdi = 1;
	wanted.rsi = 2;
	wanted.rdx = 3;
	wanted.r10 = 4;
	wanted.r8 = 5;
	wanted.r9 = 6;
	assert_memory_equal(&got, &wanted, sizeof(got));
}

static void test_only_the_result_changes_in_the_end(void **state)
{
	(void)state;
	struct arch_regset regset = regset_of(&leaving_a_write);
	struct user_regs_struct wanted = leaving_a_write, got;
	arch_set_call_result(&regset, -EPIPE);
	wanted.rax = (unsigned long long)-EPIPE;
	got = registers_of(&regset);
	assert_memory_equal(&got, &wanted, sizeof(got));

	arch_forget_call(&regset);
	wanted.orig_rax = (unsigned long long)-1;
	got = registers_of(&regset);
	assert_memory_equal(&got, &wanted, sizeof(got));
}

/* --- rules ----------------------------------------------------------------------- */

static void test_calls_that_are_never_short_have_a_rule(void **state)
{
	(void)state;
	const struct {
		struct arch_call call;
		bool has_rule;
	} table[] = {
		{{SYS_getrandom, {1, 2, 0}}, true},
		{{SYS_read, {0, 1, 2}}, true},
		{{SYS_getdents64, {0, 1, 2}}, false},
		{{SYS_preadv2, {0, 1, 2, -1UL, -1UL, 0}}, true},
		{{SYS_preadv2, {0, 1, 2, -1UL, -1UL, RWF_NOWAIT}}, false},
		{{SYS_pwritev2, {0, 1, 2, -1UL, -1UL, 0}}, true},
		{{SYS_tee, {0, 1, 2, 0}}, false},
		{{SYS_splice, {0, 0, 1, 0, 2, SPLICE_F_MOVE}}, true},
		{{SYS_splice, {0, 0, 1, 0, 2, 1 << 10}}, false},
		{{SYS_sendto, {0, 1, 2, 0}}, true},
		{{SYS_sendto, {0, 1, 2, MSG_NOSIGNAL | MSG_MORE}}, true},
		{{SYS_sendto, {0, 1, 2, MSG_DONTWAIT}}, false},
		{{SYS_sendto, {0, 1, 2, MSG_OOB}}, false},
		{{SYS_sendto, {0, 1, 2, MSG_ZEROCOPY}}, false},
		{{SYS_recvfrom, {0, 1, 2, 0}}, false},
		{{SYS_recvfrom, {0, 1, 2, MSG_WAITALL}}, true},
		{{SYS_recvfrom, {0, 1, 2, MSG_WAITALL | MSG_PEEK}}, false},
		{{SYS_recvmsg, {0, 1, MSG_WAITALL}}, true},
		{{SYS_recvmsg, {0, 1, 0}}, false},
		{{SYS_recvmmsg, {0, 1, 2, 0, 0}}, true},
		{{SYS_recvmmsg, {0, 1, 2, MSG_WAITFORONE, 0}}, false},
		{{SYS_recvmmsg, {0, 1, 2, 0, 0x7000}}, true},
		{{SYS_bpf, {BPF_PROG_LOAD}}, true},
		{{SYS_bpf, {BPF_MAP_CREATE}}, false},
		{{SYS_io_getevents, {0, 1, 2, 3, 0}}, true},
		{{SYS_io_getevents, {0, 1, 2, 3, 0x7000}}, false}, /* a time limit */
		{{SYS_io_uring_enter, {3, 8, 8, IORING_ENTER_GETEVENTS}}, true},
		{{SYS_io_uring_enter, {3, 8, 8, 0}}, false}, /* does not wait */
		{{SYS_io_uring_enter, {3, 8, 8, IORING_ENTER_GETEVENTS | 1 << 20}},
			false},
		{{-1, {0}}, false},
	};
	for (size_t i = 0; i < COUNT(table); i++)
		assert_int_equal(
			call_rule_find(&table[i].call) != NULL, table[i].has_rule);
}

static void test_less_than_asked_is_cut(void **state)
{
	(void)state;
	const struct arch_call read_call = {SYS_read, {0, 1, 100}};
	const struct arch_call load_call = {SYS_bpf, {BPF_PROG_LOAD}};
	const struct call_rule *of_read = call_rule_find(&read_call);
	const struct call_rule *of_load = call_rule_find(&load_call);
	assert_true(call_was_cut(of_read, 1, 100));
	assert_true(call_was_cut(of_read, 99, 100));
	assert_false(call_was_cut(of_read, 100, 100));
	assert_false(call_was_cut(of_read, 0, 100)); /* the end of a file */
	assert_false(call_was_cut(of_read, -EINTR, 100));
	assert_false(call_was_cut(of_read, -512, 100)); /* the kernel restarts it */
	assert_true(call_was_cut(of_load, -EAGAIN, 0));
	assert_true(call_was_cut(of_load, -EINTR, 0));
	assert_false(call_was_cut(of_load, 5, 0));
	assert_false(call_was_cut(of_load, -EACCES, 0));
	/* One that submits less does not wait. */
	const struct arch_call wait_call = {
		SYS_io_uring_enter, {3, 8, 8, IORING_ENTER_GETEVENTS}};
	const struct call_rule *of_wait = call_rule_find(&wait_call);
	assert_true(call_was_cut(of_wait, 8, 8));
	assert_true(call_was_cut(of_wait, 0, 0));
	assert_false(call_was_cut(of_wait, 7, 8));
	assert_false(call_was_cut(of_wait, -EINTR, 0));
}

static void test_the_rest_is_what_is_left(void **state)
{
	(void)state;
	const struct {
		struct arch_call call;
		uint64_t asked, done;
		struct arch_call rest;
	} table[] = {
		{{SYS_getrandom, {0x1000, 100, 2}}, 100, 30,
			{SYS_getrandom, {0x1000 + 30, 70, 2}}},
		{{SYS_pread64, {3, 0x1000, 100, 5000}}, 100, 1,
			{SYS_pread64, {3, 0x1001, 99, 5001}}},
		{{SYS_sendto, {3, 0x1000, 100, MSG_MORE, 0, 0}}, 100, 60,
			{SYS_sendto, {3, 0x1000 + 60, 40, MSG_MORE, 0, 0}}},
		/* The kernel has moved what the pointers lead to. */
		{{SYS_sendfile, {4, 3, 0x9000, 100}}, 100, 30,
			{SYS_sendfile, {4, 3, 0x9000, 70}}},
		{{SYS_copy_file_range, {3, 0x9000, 4, 0x9008, 100, 0}}, 100, 99,
			{SYS_copy_file_range, {3, 0x9000, 4, 0x9008, 1, 0}}},
		/* It does not wait for what is not in the pipe yet. */
		{{SYS_splice, {3, 0, 4, 0x9000, 100, SPLICE_F_MORE}}, 100, 30,
			{SYS_splice, {3, 0, 4, 0x9000, 70,
					     SPLICE_F_MORE | SPLICE_F_NONBLOCK}}},
		/* Counted in messages; the count is an unsigned int. */
		{{SYS_sendmmsg, {3, 0x1000, 0x500000008, 0}}, 8, 3,
			{SYS_sendmmsg, {3, 0x1000 + 3 * sizeof(struct mmsghdr), 5, 0}}},
		/* The least, and the room for more. */
		{{SYS_io_getevents, {7, 6, 16, 0x1000, 0}}, 6, 2,
			{SYS_io_getevents,
				{7, 4, 14, 0x1000 + 2 * sizeof(struct io_event), 0}}},
		/* What was submitted is: only the wait is made again. */
		{{SYS_io_uring_enter, {3, 8, 6, IORING_ENTER_GETEVENTS}}, 8, 8,
			{SYS_io_uring_enter, {3, 0, 6, IORING_ENTER_GETEVENTS}}},
		/* No call does more than this at once. */
		{{SYS_write, {3, 0x1000, 0x100000000}}, 0x7ffff000, 0x1000,
			{SYS_write, {3, 0x2000, 0x7fffe000}}},
	};
	for (size_t i = 0; i < COUNT(table); i++) {
		struct arch_call rest = table[i].call;
		const struct call_rule *rule = call_rule_find(&rest);
		assert_int_equal(call_asked(rule, &rest), table[i].asked);
		call_advance(rule, &rest, table[i].done);
		assert_memory_equal(&rest, &table[i].rest, sizeof(rest));
	}
}

static void test_a_piece_of_a_vector_is_a_call_of_its_own(void **state)
{
	(void)state;
	const struct {
		struct arch_call call, piece;
	} table[] = {
		{{SYS_readv, {3, 0x9000, 4}}, {SYS_read, {3, 0x1234, 56}}},
		{{SYS_preadv, {3, 0x9000, 4, 5000}},
			{SYS_pread64, {3, 0x1234, 56, 5010}}},
		{{SYS_writev, {3, 0x9000, 4}}, {SYS_write, {3, 0x1234, 56}}},
		{{SYS_preadv2, {3, 0x9000, 4, -1UL, -1UL}}, {SYS_read, {3, 0x1234, 56}}},
		{{SYS_pwritev2, {3, 0x9000, 4, -1UL, -1UL}},
			{SYS_write, {3, 0x1234, 56}}},
		{{SYS_sendmsg, {3, 0x9000, MSG_MORE}},
			{SYS_sendto, {3, 0x1234, 56, MSG_MORE}}},
		{{SYS_recvmsg, {3, 0x9000, MSG_WAITALL}},
			{SYS_recvfrom, {3, 0x1234, 56, MSG_WAITALL}}},
	};
	for (size_t i = 0; i < COUNT(table); i++) {
		struct arch_call piece = call_piece(
			call_rule_find(&table[i].call), &table[i].call, 10, 0x1234, 56);
		assert_memory_equal(&piece, &table[i].piece, sizeof(piece));
	}
}

static void test_the_rest_raises_no_sigpipe(void **state)
{
	(void)state;
	const struct arch_call as_write = {SYS_write, {3, 0x1000, 100}};
	const struct arch_call as_send = {SYS_sendto, {3, 0x1000, 100, MSG_NOSIGNAL}};
	struct arch_call call = as_write;
	call_without_sigpipe(&call, DESCRIPTOR_PIPE, true);
	assert_memory_equal(&call, &as_write, sizeof(call));
	call_without_sigpipe(&call, DESCRIPTOR_TCP, false);
	assert_memory_equal(&call, &as_write, sizeof(call));
	call_without_sigpipe(&call, DESCRIPTOR_TCP, true);
	assert_memory_equal(&call, &as_send, sizeof(call));
	call.arguments[3] = 0;
	call_without_sigpipe(&call, DESCRIPTOR_UNIX_STREAM, false);
	assert_memory_equal(&call, &as_send, sizeof(call));
}

/* --- vectors, in the memory of this process -------------------------------------- */

static int own_memory(void)
{
	return open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
}

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static void test_a_place_in_a_vector_is_found(void **state)
{
	(void)state;
	char a[10], b[20], c[5];
	const struct iovec entries[] = {{a, 0}, {a, sizeof(a)}, {NULL, 0}, {b, sizeof(b)},
		{c, sizeof(c)}, {c, 0}};
	struct call_vector vector;
	uint64_t total;
	int mem_fd = own_memory();
	assert_true(mem_fd >= 0);
	assert_true(
		call_vector_begin(&vector, mem_fd, address_of(entries), COUNT(entries)));
	assert_int_equal(vector.piece, address_of(a));
	assert_true(call_vector_total(&vector, mem_fd, &total));
	assert_int_equal(total, 35);

	assert_true(call_vector_advance(&vector, mem_fd, 4));
	assert_int_equal(vector.piece, address_of(a + 4));
	assert_int_equal(vector.length, 6);
	assert_true(call_vector_advance(&vector, mem_fd, 6)); /* to the next */
	assert_int_equal(vector.piece, address_of(b));
	assert_true(call_vector_advance(&vector, mem_fd, 22)); /* over one */
	assert_int_equal(vector.piece, address_of(c + 2));
	assert_int_equal(vector.length, 3);
	assert_true(call_vector_total(&vector, mem_fd, &total));
	assert_int_equal(total, 3);
	assert_false(call_vector_advance(&vector, mem_fd, 3)); /* there is no more */
	close(mem_fd);
}

/* The kernel leaves there what is left. With nothing, the rest would wait for ever. */
static void test_a_time_limit_that_has_passed_ends_a_call(void **state)
{
	(void)state;
	struct timespec left = {0, 1};
	struct arch_call timed = {SYS_recvmmsg, {3, 0x1000, 8, 0, address_of(&left)}};
	const struct arch_call other = {SYS_write, {3, 0x1000, 8}};
	const struct call_rule *rule = call_rule_find(&timed);
	int mem_fd = own_memory();
	assert_true(call_rest_has_time(rule, &timed, mem_fd));
	left = (struct timespec){1, 0};
	assert_true(call_rest_has_time(rule, &timed, mem_fd));
	left = (struct timespec){0, 0};
	assert_false(call_rest_has_time(rule, &timed, mem_fd));
	timed.arguments[4] = 1; /* not readable */
	assert_false(call_rest_has_time(rule, &timed, mem_fd));
	timed.arguments[4] = 0;
	assert_true(call_rest_has_time(rule, &timed, mem_fd));
	assert_true(call_rest_has_time(call_rule_find(&other), &other, mem_fd));
	close(mem_fd);
}

static void test_what_is_no_vector_is_refused(void **state)
{
	(void)state;
	struct iovec one = {&one, 8};
	struct call_vector vector;
	int mem_fd = own_memory();
	assert_false(call_vector_begin(&vector, mem_fd, 1, 1)); /* not readable */
	assert_false(call_vector_begin(&vector, mem_fd, address_of(&one), 1025));
	assert_false(call_vector_begin(&vector, mem_fd, address_of(&one), 0));
	close(mem_fd);
}

static void test_a_message_leads_to_its_vector(void **state)
{
	(void)state;
	char byte, control_data[64];
	struct iovec one = {&byte, 1};
	struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
	uint64_t entries, count;
	bool control;
	int mem_fd = own_memory();
	assert_true(call_vector_of_message(
		mem_fd, address_of(&message), &entries, &count, &control));
	assert_int_equal(entries, address_of(&one));
	assert_int_equal(count, 1);
	assert_false(control);
	message.msg_control = control_data; /* received: 0 bytes of it */
	assert_true(call_vector_of_message(
		mem_fd, address_of(&message), &entries, &count, &control));
	assert_true(control);
	close(mem_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_read_from_registers),
		cmocka_unit_test(test_other_ways_into_the_kernel_are_known),
		cmocka_unit_test(test_another_call_is_asked_for),
		cmocka_unit_test(test_only_the_result_changes_in_the_end),
		cmocka_unit_test(test_calls_that_are_never_short_have_a_rule),
		cmocka_unit_test(test_less_than_asked_is_cut),
		cmocka_unit_test(test_the_rest_is_what_is_left),
		cmocka_unit_test(test_a_piece_of_a_vector_is_a_call_of_its_own),
		cmocka_unit_test(test_the_rest_raises_no_sigpipe),
		cmocka_unit_test(test_a_place_in_a_vector_is_found),
		cmocka_unit_test(test_a_time_limit_that_has_passed_ends_a_call),
		cmocka_unit_test(test_what_is_no_vector_is_refused),
		cmocka_unit_test(test_a_message_leads_to_its_vector),
	};
	return unit_run(tests);
}
