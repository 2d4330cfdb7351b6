/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a kubectl document, one item at a time. A scanner that knows only strings and depth finds
 * the start and end of each item. Each item is parsed alone. The rest of the document, with 0 in
 * place of each item, is parsed at the end, so that malformed input never passes.
 */
#include "exchange/kube/kube.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/rec.h"
#include "record/schema.h"
#include "record/size.h"

struct scan {
	const char *name;
	ga_kube_each each;
	void *arg;
	struct ga_str rest, item;
	char key[8];	 /* the last text at depth 1, cut to this size */
	size_t key_len;
	size_t depth, items;
	bool in_text, escaped, in_items, in_item, items_come;
	uint64_t bytes;
};

static int bad(const struct scan *s, struct ga_err *err, const char *why)
{
	return ga_fail(err, GA_BADREC, "%s: %s", s->name, why);
}

static int too_long(const struct scan *s, struct ga_err *err, const char *what)
{
	(void)bad(s, err, what);
	return ga_hint(err, "give them in parts: kubectl get … -l KEY=VALUE -o json");
}

static int item_done(struct scan *s, struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *json = NULL;

	s->in_item = false;
	if (++s->items > GA_KUBE_ITEMS)
		return too_long(s, err, "more than 100000 items");
	json = json_loadb(s->item.buf, s->item.len, JSON_REJECT_DUPLICATES, &why);
	if (!json)
		return ga_fail(err, GA_BADREC, "%s, item %zu: not JSON: %s", s->name, s->items,
			       why.text);
	ga_str_clear(&s->item);
	ga_str_addc(&s->rest, '0');
	if (s->each(json, s->items, s->arg, err) < 0)
		return ga_wrap(err, "%s, item %zu", s->name, s->items);
	return 0;
}

static void in_text(struct scan *s, char c)
{
	if (s->escaped) {
		s->escaped = false;
	} else if (c == '\\') {
		s->escaped = true;
	} else if (c == '"') {
		s->in_text = false;
		return;
	}
	if (s->depth == 1 && s->key_len < sizeof(s->key))
		s->key[s->key_len++] = c;
}

/* Tracks brackets, colons and commas outside of texts and items. */
static void structure(struct scan *s, char c)
{
	switch (c) {
	case '"':
		s->in_text = true;
		if (s->depth == 1)
			s->key_len = 0;
		break;
	case ':':
		if (s->depth == 1)
			s->items_come = s->key_len == 5 && !memcmp(s->key, "items", 5);
		break;
	case '{':
	case '[':
		s->in_items = s->in_items || (c == '[' && s->depth == 1 && s->items_come);
		s->depth++;
		break;
	case '}':
	case ']':
		s->depth -= s->depth > 0;
		if (s->depth == 1)
			s->in_items = s->items_come = false;
		break;
	case ',':
		if (s->depth == 1)
			s->items_come = false;
		break;
	default:
		break;
	}
}

/* Takes a character before, between or after the items. */
static int take(struct scan *s, char c, struct ga_err *err)
{
	if (!s->in_text && s->in_items && s->depth == 2 && !isspace((unsigned char)c)) {
		if (c == '{') {
			s->in_item = true;
			return 0; /* take_item takes the item */
		}
		if (c != ',' && c != ']')
			return ga_fail(err, GA_BADREC, "%s, item %zu: it is no object", s->name,
				       s->items + 1);
	}
	if (s->rest.len >= GA_KUBE_REST_MAX)
		return too_long(s, err, "more than 4 MiB beside the items");
	ga_str_addc(&s->rest, c);
	if (s->in_text)
		in_text(s, c);
	else
		structure(s, c);
	return 0;
}

/* Takes the available bytes of an item (nearly all bytes of a document are in items). Returns their
 * number, or -1. */
static ssize_t take_item(struct scan *s, const char *buf, size_t n, struct ga_err *err)
{
	bool text = s->in_text, escaped = s->escaped, ended = false;
	size_t i, depth = s->depth;

	for (i = 0; i < n && !ended; i++) {
		char c = buf[i];

		if (escaped) {
			escaped = false;
		} else if (text) {
			escaped = c == '\\';
			text = c != '"';
		} else if (c == '"') {
			text = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			ended = --depth == 2;
		}
	}
	s->in_text = text;
	s->escaped = escaped;
	s->depth = depth;
	if (s->item.len + i > GA_KUBE_ITEM_MAX)
		return too_long(s, err, "an item of more than 4 MiB");
	ga_str_add_bytes(&s->item, buf, i);
	if (ended && item_done(s, err) < 0)
		return -1;
	return (ssize_t)i;
}

/* Checks that the rest of the document is JSON. An object without items is itself the one item. */
static int finish(struct scan *s, struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *json =
		json_loadb(s->rest.buf, s->rest.len, JSON_REJECT_DUPLICATES, &why);
	json_t *items;

	if (!s->bytes)
		return bad(s, err, "nothing came");
	if (!json)
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("%s: not one JSON document: %s", s->name, why.text),
				 ("kubectl get … -o json prints one"));
	if (!json_is_object(json))
		return bad(s, err, "it is no object");
	items = json_object_get(json, "items");
	if (items) {
		/* The scanner misses the key "items" if it is written with escapes; the count shows
		 * it. */
		return json_is_array(items) && json_array_size(items) == s->items ?
			       0 :
			       bad(s, err, "'items' is no list of objects");
	}
	s->items = 1;
	return s->each(json, 1, s->arg, err) < 0 ? ga_wrap(err, "%s", s->name) : 0;
}

static int read_all(int fd, struct scan *s, struct ga_err *err)
{
	ga_autofree char *buf = ga_xcalloc(1, 65536);

	for (;;) {
		ssize_t n = read(fd, buf, 65536);
		size_t i;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ga_fail_sys(err, "cannot read %s", s->name);
		if (!n)
			return finish(s, err);
		s->bytes += (uint64_t)n;
		if (s->bytes > GA_KUBE_MAX)
			return too_long(s, err, "more than 256 MiB");
		for (i = 0; i < (size_t)n;) {
			ssize_t taken;

			if (!s->in_item) {
				if (take(s, buf[i], err) < 0)
					return -1;
				i += !s->in_item;
				continue;
			}
			taken = take_item(s, buf + i, (size_t)n - i, err);
			if (taken < 0)
				return -1;
			i += (size_t)taken;
		}
	}
}

int ga_kube_items(int fd, const char *name, ga_kube_each each, void *arg, struct ga_err *err)
{
	struct scan s = {
		.name = ga_streq(name, "-") ? "standard input" : name,
		.each = each,
		.arg = arg,
		.rest = GA_STR_INIT,
		.item = GA_STR_INIT,
	};
	int r = read_all(fd, &s, err);

	ga_str_release(&s.rest);
	ga_str_release(&s.item);
	return r;
}

/* ---- nodes ---- */

static int object_of(json_t *parent, const char *key, json_t **ret, struct ga_err *err)
{
	json_t *value = json_object_get(parent, key);

	*ret = json_is_null(value) ? NULL : value;
	if (*ret && !json_is_object(*ret))
		return ga_fail(err, GA_BADREC, "'%s' is no object", key);
	return 0;
}

int ga_kube_node(json_t *item, struct ga_kube_node *ret, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(item, "kind"));
	json_t *metadata, *status, *spec;
	json_t *one;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (kind && strcmp(kind, "Node") != 0)
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("it is a %.32s, not a Node", kind),
				 ("kubectl get nodes -o json"));
	if (object_of(item, "metadata", &metadata, err) < 0 ||
	    object_of(item, "status", &status, err) < 0 ||
	    object_of(item, "spec", &spec, err) < 0 ||
	    object_of(metadata, "labels", &ret->labels, err) < 0 ||
	    object_of(metadata, "annotations", &ret->annotations, err) < 0 ||
	    object_of(status, "capacity", &ret->capacity, err) < 0 ||
	    object_of(status, "allocatable", &ret->allocatable, err) < 0)
		return -1;
	ret->name = json_string_value(json_object_get(metadata, "name"));
	if (!ret->name || !*ret->name)
		return ga_fail(err, GA_BADREC, "it has no name");
	if (strlen(ret->name) > 253)
		return ga_fail(err, GA_BADREC, "its name is longer than 253 bytes");
	ret->cordoned = json_is_true(json_object_get(spec, "unschedulable"));
	json_array_foreach(json_object_get(status, "conditions"), i, one) {
		if (!ga_streq(json_string_value(json_object_get(one, "type")), "Ready"))
			continue;
		ret->ready = json_string_value(json_object_get(one, "status"));
		ret->heartbeat_at = json_string_value(json_object_get(one, "lastHeartbeatTime"));
	}
	return 0;
}

const char *ga_kube_label(const struct ga_kube_node *node, const char *key)
{
	return json_string_value(json_object_get(node->labels, key));
}

/* Reads a quantity in units, within 0 .. 2^53 - 1; false when it is none. */
static bool quantity(json_t *value, double *ret)
{
	static const struct {
		const char *suffix;
		double factor;
	} suffixes[] = { { "", 1 },	 { "Ki", 0x1p10 }, { "Mi", 0x1p20 }, { "Gi", 0x1p30 },
			 { "Ti", 0x1p40 }, { "Pi", 0x1p50 }, { "k", 1e3 },   { "M", 1e6 },
			 { "G", 1e9 },	 { "T", 1e12 },	   { "P", 1e15 },    { "m", 1e-3 } };
	const char *text = json_string_value(value);
	char *end = NULL;
	double n;
	size_t i;

	if (json_is_integer(value)) {
		*ret = (double)json_integer_value(value);
		return *ret >= 0 && *ret <= (double)GA_INT_MAX_SAFE;
	}
	if (!text || !isdigit((unsigned char)*text) || strlen(text) > 32 ||
	    strspn(text, "0123456789.eE+-KMGTPikm") != strlen(text))
		return false;
	n = strtod(text, &end);
	for (i = 0; i < GA_ARRAY_SIZE(suffixes); i++) {
		if (strcmp(end, suffixes[i].suffix) != 0)
			continue;
		*ret = n * suffixes[i].factor;
		return *ret >= 0 && *ret <= (double)GA_INT_MAX_SAFE;
	}
	return false;
}

int ga_kube_number(json_t *object, const char *key, int64_t *ret)
{
	json_t *value = json_object_get(object, key);
	double n;

	*ret = GA_UNKNOWN;
	if (!value)
		return 0;
	if (!quantity(value, &n) || (double)(int64_t)n != n)
		return -1;
	*ret = (int64_t)n;
	return 1;
}

int64_t ga_kube_memory_mib(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	double n;

	return value && quantity(value, &n) ? (int64_t)(n / 0x1p20) : GA_UNKNOWN;
}
