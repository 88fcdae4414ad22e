/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-assembly: a little of the hand-written assembly of libcrypto and libgmp, for
   tests/tools/oracle: AVX code, frames that are aligned, registers used as they come, code
   without unwind tables, and one function without a table that is too long to be followed to
   its end (as the matrix kernels of OpenBLAS). Declares what it needs itself, so that it can be built where only
   the libraries are: -l:libcrypto.so.3 -l:libgmp.so.10 */

#include <stddef.h>
#include <string.h>

enum {
	WORDS = 12,
	STATE_BYTES = 512, /* of a hash or a key schedule; none has as many */
};

int SHA1_Init(void *state);
int SHA1_Update(void *state, const void *data, size_t length);
int SHA256_Init(void *state);
int SHA256_Update(void *state, const void *data, size_t length);
int SHA512_Init(void *state);
int SHA512_Update(void *state, const void *data, size_t length);
int MD5_Init(void *state);
int MD5_Update(void *state, const void *data, size_t length);
int AES_set_encrypt_key(const unsigned char *key, int bits, void *schedule);
void AES_encrypt(const unsigned char *in, unsigned char *out, const void *schedule);

static void crypto(void)
{
	static const unsigned char text[300];
	_Alignas(64) unsigned char state[STATE_BYTES], block[16] = {0};
	SHA1_Init(state);
	SHA1_Update(state, text, sizeof(text));
	SHA256_Init(state);
	SHA256_Update(state, text, sizeof(text));
	SHA512_Init(state);
	SHA512_Update(state, text, sizeof(text));
	MD5_Init(state);
	MD5_Update(state, text, sizeof(text));
	AES_set_encrypt_key(text, 128, state);
	AES_encrypt(block, block, state);
}

/* mpz_t: "Integer Internals" in gmp's manual */
struct integer {
	int room, size;
	unsigned long *words;
};
void __gmpz_init(struct integer *);
int __gmpz_set_str(struct integer *, const char *, int);
void __gmpz_add(struct integer *, const struct integer *, const struct integer *);
void __gmpz_sub(struct integer *, const struct integer *, const struct integer *);
void __gmpz_mul(struct integer *, const struct integer *, const struct integer *);
void __gmpz_tdiv_q(struct integer *, const struct integer *, const struct integer *);
void __gmpz_gcd(struct integer *, const struct integer *, const struct integer *);

static void gmp(void)
{
	char digits[WORDS * 16 + 1] = {0};
	struct integer a, b, out;
	__gmpz_init(&a);
	__gmpz_init(&b);
	__gmpz_init(&out);
	memset(digits, '7', sizeof(digits) - 1);
	__gmpz_set_str(&a, digits, 16);
	digits[sizeof(digits) / 2] = '\0';
	__gmpz_set_str(&b, digits, 16);
	__gmpz_add(&out, &a, &b);
	__gmpz_sub(&out, &a, &b);
	__gmpz_mul(&out, &a, &b);
	__gmpz_mul(&out, &a, &a);
	__gmpz_tdiv_q(&out, &a, &b);
	__gmpz_gcd(&out, &a, &b);
}

/* Its frame is aligned, so only rbx tells where the return address is. */
unsigned long long_function(unsigned long n);
__asm__(".text\n"
	".type long_function, @function\n"
	"long_function:\n"
	"	sub $32, %rsp\n"
	"	mov %rbx, (%rsp)\n"
	"	mov %rbp, 8(%rsp)\n"
	"	mov %r12, 16(%rsp)\n"
	"	mov %rsp, %rbx\n"
	"	sub $8192, %rsp\n"
	"	and $-4096, %rsp\n"
	"	test %rdi, %rdi\n"
	"	jz 2f\n"
	"	.rept 1000\n"
	"	mov %rdi, %r12\n"
	"	lea 3(%rdi, %r12, 4), %rbp\n"
	"	mov %rbp, 8(%rsp)\n"
	"	test $1, %ebp\n"
	"	jz 1f\n"
	"	xor 8(%rsp), %rdi\n"
	"1:	add %rbp, %rdi\n"
	"	.endr\n"
	"2:	mov %rdi, %rax\n"
	"	mov %rbx, %rsp\n"
	"	mov (%rsp), %rbx\n"
	"	mov 8(%rsp), %rbp\n"
	"	mov 16(%rsp), %r12\n"
	"	add $32, %rsp\n"
	"	ret\n"
	".size long_function, . - long_function\n");

int main(void)
{
	long_function(1);
	crypto();
	gmp();
	return 0;
}
