/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-assembly: a little of the hand-written assembly of libcrypto and libgmp, for
   tests/tools/oracle: AVX code, frames that are aligned, registers used as they come, code
   without unwind tables. Declares what it needs itself, so that it can be built where only
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

int main(void)
{
	crypto();
	gmp();
	return 0;
}
