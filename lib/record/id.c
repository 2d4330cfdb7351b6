/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and names. */
#include "record/id.h"

#include <sys/random.h>

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

char *ga_id_new(void)
{
	char *id = ga_xcalloc(GA_ID_SIZE, 1);
	unsigned char bytes[GA_ID_SIZE - 1];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		abort(); /* cannot happen for so few bytes once the pool is ready */
	for (i = 0; i < sizeof(bytes); i++)
		id[i] = alphabet[bytes[i] & 31];
	return id;
}

bool ga_id_is_valid(const char *text)
{
	return strlen(text) == GA_ID_SIZE - 1 && strspn(text, alphabet) == GA_ID_SIZE - 1;
}

bool ga_name_is_valid(const char *text)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char rest[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(text);

	return len >= 1 && len <= 63 && strchr(first, text[0]) && strspn(text, rest) == len;
}
