/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/ga.h"

/* The ends of names whose value is a secret, without "-", "_" and ".". */
static const char *const names[] = {
	"token",	 "password",	  "passwd",	"pass",	      "passphrase",
	"secret",	 "apikey",	  "accesskey",	"accesskeyid", "secretkey",
	"privatekey",	 "clientkeydata", "clientcertificatedata", "authorization",
	"credential",	 "credentials",	  "cookie",	"bearer",     "authkey",
	NULL,
};

/* How tokens begin that are known by their form; so many characters of a word must follow. */
static const struct {
	const char *begin;
	size_t more;
} forms[] = {
	{ "sha256~", 20 },     { "ghp_", 20 },	 { "gho_", 20 },  { "ghs_", 20 },
	{ "github_pat_", 20 }, { "glpat-", 16 }, { "AKIA", 16 },  { "ASIA", 16 },
	{ "nvapi-", 20 },      { "hf_", 20 },	 { "xoxb-", 16 }, { "xoxp-", 16 },
	{ "hvs.", 20 },	       { "eyJ", 30 },
};

/* The text that is read, and how far. */
struct reading {
	const char *text;
	size_t len, at;
	struct ga_str *out;
	bool found;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_of_token(char c)
{
	return is_word(c) || strchr("~+/=", c);
}

static size_t run_of(const struct reading *r, size_t at, bool (*is)(char c))
{
	size_t end = at;

	while (end < r->len && r->text[end] && is(r->text[end]))
		end++;
	return end - at;
}

static bool begins(const struct reading *r, size_t at, const char *with)
{
	return r->len - at >= strlen(with) && !memcmp(r->text + at, with, strlen(with));
}

/* Whether the value of the name is a secret. */
static bool is_secret(const char *name, size_t len)
{
	char plain[64];
	size_t n = 0, i;

	/* The end decides. */
	if (len > sizeof(plain) - 1) {
		name += len - (sizeof(plain) - 1);
		len = sizeof(plain) - 1;
	}
	for (i = 0; i < len; i++)
		if (isalnum((unsigned char)name[i]))
			plain[n++] = (char)tolower((unsigned char)name[i]);
	for (i = 0; names[i]; i++) {
		size_t end = strlen(names[i]);

		if (n >= end && !memcmp(plain + n - end, names[i], end))
			return true;
	}
	return false;
}

static void redact_to(struct reading *r, size_t end)
{
	ga_str_add(r->out, GA_REDACTED);
	r->found |= end - r->at != strlen(GA_REDACTED) || !begins(r, r->at, GA_REDACTED);
	r->at = end;
}

static void keep_to(struct reading *r, size_t end)
{
	ga_str_add_bytes(r->out, r->text + r->at, end - r->at);
	r->at = end;
}

/* Up to and with its last line, or all of the rest. */
static bool take_private_key(struct reading *r)
{
	static const char last[] = "PRIVATE KEY-----";
	const char *begin = r->text + r->at, *end;
	size_t left = r->len - r->at, first;

	if (!begins(r, r->at, "-----BEGIN "))
		return false;
	end = memmem(begin, left < 100 ? left : 100, last, strlen(last));
	if (!end)
		return false;
	first = (size_t)(end - begin) + strlen(last);
	end = memmem(begin + first, left - first, last, strlen(last));
	redact_to(r, end ? r->at + (size_t)(end - begin) + strlen(last) : r->len);
	return true;
}

static size_t skip_spaces(const struct reading *r, size_t at)
{
	while (at < r->len && (r->text[at] == ' ' || r->text[at] == '\t'))
		at++;
	return at;
}

/* Behind a quote that may be escaped (\"): its end, *quote and *slashes; or at, and *quote is 0. */
static size_t skip_quote(const struct reading *r, size_t at, char *quote, size_t *slashes)
{
	size_t end = at;

	while (end < r->len && r->text[end] == '\\')
		end++;
	*slashes = end - at;
	*quote = end < r->len && (r->text[end] == '"' || r->text[end] == '\'') ? r->text[end] : 0;
	return *quote ? end + 1 : at;
}

/* The end of a value in quotes: at its closing quote, with as many slashes as the opening one. */
static size_t end_of_quoted(const struct reading *r, size_t at, char quote, size_t slashes)
{
	size_t before = 0;

	for (; at < r->len; at++) {
		if (r->text[at] == quote && before == slashes)
			return at - slashes;
		before = r->text[at] == '\\' ? before + 1 : 0;
		/* \\ is a backslash, no escape of what follows. */
		if (!slashes && before == 2)
			before = 0;
	}
	return at;
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\r' || c == '"' || c == '\'';
}

static bool ends_value(char c)
{
	return isspace((unsigned char)c) || strchr(",;&}])\"'<>", c);
}

/* A word that is no secret, wherever it stands. */
static bool is_no_value(const char *text, size_t len)
{
	static const char *const words[] = { "null", "none", "true", "false", "~", NULL };
	size_t i;

	for (i = 0; words[i]; i++)
		if (len == strlen(words[i]) && !strncasecmp(text, words[i], len))
			return true;
	return !len;
}

/* NAME=VALUE, "NAME": "VALUE", --NAME VALUE. r->at is at the name, which has len bytes. */
static bool take_named(struct reading *r, size_t len)
{
	bool option = r->at + len < r->len && begins(r, r->at, "--") && r->text[r->at + len] == ' ';
	bool line = len >= 13 && !strncasecmp(r->text + r->at + len - 13, "authorization", 13);
	char quote;
	size_t slashes, at, end;

	if (!is_secret(r->text + r->at, len))
		return false;
	at = skip_quote(r, r->at + len, &quote, &slashes);
	at = skip_spaces(r, at);
	if (at < r->len && (r->text[at] == ':' || r->text[at] == '='))
		at++;
	else if (!option)
		return false;
	at = skip_quote(r, skip_spaces(r, at), &quote, &slashes);
	if (quote)
		end = end_of_quoted(r, at, quote, slashes);
	else
		for (end = at; end < r->len && !(line ? ends_line(r->text[end]) :
							ends_value(r->text[end]));
		     end++)
			;
	if (is_no_value(r->text + at, end - at))
		return false;
	keep_to(r, at);
	/* A private key in it has lines of its own. */
	if (!take_private_key(r))
		redact_to(r, end);
	return true;
}

/* "Bearer XXXX". */
static bool take_scheme(struct reading *r, size_t len)
{
	const char *word = r->text + r->at;
	size_t at = skip_spaces(r, r->at + len), n;

	if (!(len == 6 && !strncasecmp(word, "bearer", 6)) &&
	    !(len == 5 && !strncasecmp(word, "basic", 5)))
		return false;
	n = run_of(r, at, is_of_token);
	if (at == r->at + len || n < 8)
		return false;
	keep_to(r, at);
	redact_to(r, at + n);
	return true;
}

static bool take_form(struct reading *r)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(forms); i++) {
		size_t begin = strlen(forms[i].begin), more;

		if (!begins(r, r->at, forms[i].begin))
			continue;
		more = run_of(r, r->at + begin, is_word);
		if (more < forms[i].more)
			continue;
		redact_to(r, r->at + begin + more);
		return true;
	}
	return false;
}

/* ://USER:PASSWORD@ */
static bool take_url(struct reading *r)
{
	size_t at = r->at + 3, colon = 0;

	if (!begins(r, r->at, "://"))
		return false;
	for (; at < r->len && !isspace((unsigned char)r->text[at]) &&
	       !strchr("/\"'<>", r->text[at]);
	     at++) {
		if (r->text[at] == ':' && !colon)
			colon = at;
		if (r->text[at] != '@')
			continue;
		if (!colon || colon + 1 == at)
			return false;
		keep_to(r, colon + 1);
		redact_to(r, at);
		return true;
	}
	return false;
}

/* The length of the word, without a private key that begins in it. */
static size_t before_key(const struct reading *r, size_t word)
{
	static const char first[] = "-----BEGIN";
	const char *key = memmem(r->text + r->at + 1, word - 1, first, strlen(first));

	return key ? (size_t)(key - r->text) - r->at : word;
}

bool ga_redact(const char *text, size_t len, struct ga_str *out)
{
	struct reading r = { .text = text, .len = len, .out = out };

	while (r.at < r.len) {
		size_t word = run_of(&r, r.at, is_word);

		if (take_private_key(&r) || take_url(&r) || take_form(&r))
			continue;
		if (word && (take_scheme(&r, word) || take_named(&r, word)))
			continue;
		/* An escape (\n) is no letter of the word behind it. */
		if (word)
			keep_to(&r, r.at + before_key(&r, word));
		else
			keep_to(&r, r.at + 1 +
					    (text[r.at] == '\\' && r.at + 1 < len &&
					     isalpha((unsigned char)text[r.at + 1])));
	}
	return r.found;
}

/* Returns the JSON without secrets: a new reference, or json itself. secret: the JSON is the value
 * of a name whose value is one. */
static json_t *redact_value(json_t *json, bool secret, bool *found)
{
	bool kubernetes = ga_streq(json_string_value(json_object_get(json, "kind")), "Secret");
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_string(json)) {
		ga_autostr struct ga_str out = GA_STR_INIT;
		bool is;

		if (secret && json_string_length(json))
			ga_str_add(&out, GA_REDACTED);
		is = secret ? !ga_streq(json_string_value(json), out.buf) :
			      ga_redact(json_string_value(json), json_string_length(json), &out);
		*found |= is;
		return is ? json_stringn_nocheck(out.buf, out.len) : json;
	}
	json_object_foreach(json, key, value) {
		bool is = secret || is_secret(key, strlen(key)) ||
			  (kubernetes && (ga_streq(key, "data") || ga_streq(key, "stringData")));
		json_t *clean = redact_value(value, is, found);

		if (clean != value)
			json_object_set_new(json, key, clean);
	}
	json_array_foreach(json, i, value) {
		json_t *clean = redact_value(value, secret, found);

		if (clean != value)
			json_array_set_new(json, i, clean);
	}
	return json;
}

bool ga_redact_json(json_t **json)
{
	bool found = false;
	json_t *clean = redact_value(*json, false, &found);

	if (clean != *json) {
		json_decref(*json);
		*json = clean;
	}
	return found;
}
