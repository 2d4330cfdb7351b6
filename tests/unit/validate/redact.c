/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in texts and JSON, and texts that have none. */
#include "validate/redact.h"

#include <stdlib.h>
#include <string.h>

#include "record/rec.h"
#include "t.h"

#define KEY \
	"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n" \
	"-----END OPENSSH PRIVATE KEY-----"
#define JWT "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"

static const struct {
	const char *text, *clean; /* clean NULL: nothing is taken out */
} cases[] = {
	{ "password=hunter2", "password=REDACTED" },
	{ "Password: hunter2, and more", "Password: REDACTED, and more" },
	{ "AccountingStoragePass=/run/munge", "AccountingStoragePass=REDACTED" },
	{ "--token abcd --name x", "--token REDACTED --name x" },
	{ "export AWS_SECRET_ACCESS_KEY='a b'", "export AWS_SECRET_ACCESS_KEY='REDACTED'" },
	{ "    client-key-data: LS0tLS1CRUdJTg==\n    x: y",
	  "    client-key-data: REDACTED\n    x: y" },
	{ "    token: abc\n", "    token: REDACTED\n" },
	{ "{\"token\":\"a\\\"b\",\"x\":1}", "{\"token\":\"REDACTED\",\"x\":1}" },
	{ "{\"token\":\"a\\\\\",\"x\":1}", "{\"token\":\"REDACTED\",\"x\":1}" },
	{ "\"{\\\"token\\\":\\\"abc\\\",\\\"x\\\":1}\"",
	  "\"{\\\"token\\\":\\\"REDACTED\\\",\\\"x\\\":1}\"" },
	{ "Authorization: Digest username=a, response=b\nHost: c",
	  "Authorization: REDACTED\nHost: c" },
	{ "curl -H 'Authorization: Bearer abcdefgh12'", "curl -H 'Authorization: REDACTED'" },
	{ "sent Bearer abcdefgh12 to it", "sent Bearer REDACTED to it" },
	{ "postgres://slurm:pa55@db:5432/x", "postgres://slurm:REDACTED@db:5432/x" },
	{ "before " KEY " after", "before REDACTED after" },
	{ "before -----BEGIN RSA PRIVATE KEY-----\nabc", "before REDACTED" },
	{ "a\\n" KEY, "a\\nREDACTED" },
	{ "x" KEY, "xREDACTED" },
	{ "key: \"" KEY "\"", "key: \"REDACTED\"" },
	{ "privateKey: " KEY "\nnext", "privateKey: REDACTED\nnext" },
	{ "it is " JWT ".", "it is REDACTED" },
	{ "\\n" JWT "\\n", "\\nREDACTED\\n" },
	{ "oc login sha256~abcdefghijklmnopqrstuvwxyz", "oc login REDACTED" },
	{ "AKIAABCDEFGHIJKLMNOP", "REDACTED" },
	{ "nvapi-abcdefghijklmnopqrstuvw", "REDACTED" },
	{ "password=", NULL },
	{ "\"token\": null", NULL },
	{ "the token is old", NULL },
	{ "token_count=5", NULL },
	{ "bearer of news", NULL },
	{ "http://a@b/c and http://b:80/", NULL },
	{ "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL },
	{ "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", NULL },
	{ "secret", NULL },
	{ "\\", NULL },
	{ "token", NULL },
	{ "token=\"", NULL },
	{ "://", NULL },
	{ "", NULL },
};

static const struct {
	const char *json, *clean;
} jsons[] = {
	{ "{\"name\":\"a\",\"token\":\"b\",\"n\":1}",
	  "{\"name\":\"a\",\"token\":\"REDACTED\",\"n\":1}" },
	{ "{\"secret\":{\"x\":[\"b\",{\"y\":\"c\"}],\"n\":1}}",
	  "{\"secret\":{\"x\":[\"REDACTED\",{\"y\":\"REDACTED\"}],\"n\":1}}" },
	{ "[\"password=b\",\"c\"]", "[\"password=REDACTED\",\"c\"]" },
	{ "{\"kind\":\"Secret\",\"data\":{\"x\":\"YmFzZTY0\"}}",
	  "{\"kind\":\"Secret\",\"data\":{\"x\":\"REDACTED\"}}" },
	{ "{\"kind\":\"Job\",\"data\":{\"x\":\"YmFzZTY0\"}}", NULL },
	{ "{\"token\":\"\",\"password\":null}", NULL },
	{ "[{\"state\":\"running\",\"slots\":[1,2]}]", NULL },
};

static void redact_one(size_t i)
{
	const char *text = cases[i].text, *clean = cases[i].clean ? cases[i].clean : text;
	ga_autostr struct ga_str out = GA_STR_INIT, again = GA_STR_INIT;
	bool found = ga_redact(text, strlen(text), &out);

	t_str(out.buf, clean, "case %zu", i);
	t_int(found, cases[i].clean != NULL, "case %zu: whether there is one", i);
	t_ok(!ga_redact(out.buf, out.len, &again) && !strcmp(out.buf, again.buf),
	     "case %zu: a second time changes nothing", i);
}

static void redact_json(size_t i)
{
	ga_autojson json_t *json = json_loads(jsons[i].json, 0, NULL);
	ga_autostr struct ga_str out = GA_STR_INIT;
	bool found = ga_redact_json(&json);

	ga_rec_dump(json, &out);
	t_str(out.buf, jsons[i].clean ? jsons[i].clean : jsons[i].json, "JSON %s", jsons[i].json);
	t_int(found, jsons[i].clean != NULL, "whether there is one");
}

int main(void)
{
	ga_autojson json_t *text = json_string("Bearer abcdefgh12");
	ga_autostr struct ga_str out = GA_STR_INIT;
	char bytes[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		redact_one(i);
	for (i = 0; i < sizeof(jsons) / sizeof(*jsons); i++)
		redact_json(i);
	t_ok(ga_redact_json(&text), "a JSON that is a text");
	t_str(json_string_value(text), "Bearer REDACTED", "is another text then");
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	ga_redact(bytes, sizeof(bytes), &out);
	t_ok(out.len == sizeof(bytes) && !memcmp(out.buf, bytes, out.len),
	     "all other bytes stay as they are");
	return t_done();
}
