/* SPDX-License-Identifier: Apache-2.0 */
/* Discoveries from a pipe, checked for completeness. */
#include "look/host/stream.h"

#include <inttypes.h>
#include <string.h>

void ga_host_stream_release(struct ga_host_stream *s)
{
	char unused[GA_DIGEST_SIZE];
	size_t i;

	if (s->digest)
		ga_digest_close(s->digest, unused);
	for (i = 0; i < s->candidates.n; i++)
		ga_schema_release(&ga_candidate_schema, &s->candidates.v[i]);
	ga_list_release(&s->candidates);
	ga_schema_release(&ga_host_schema, &s->host);
	memset(s, 0, sizeof(*s));
}

static int bad(const struct ga_rec *rec, struct ga_err *err, const char *what)
{
	return ga_refuse(err, GA_BADREC, NULL, NULL,
			 ("line %" PRIu64 ": %s", rec->line, what),
			 ("run gpuaas-discover again, and pass its lines on unchanged"));
}

static void add_line(struct ga_host_stream *s, const struct ga_rec *rec)
{
	ga_digest_add(s->digest, rec->raw, rec->raw_len);
	ga_digest_add(s->digest, "\n", 1);
}

static int take_host(struct ga_host_stream *s, const struct ga_rec *rec, struct ga_err *err)
{
	if (s->open)
		return bad(rec, err, "a host begins before the end of the one before it");
	ga_host_stream_release(s);
	if (ga_rec_parse(rec, &ga_host_schema, &s->host, err) < 0)
		return -1;
	s->open = true;
	s->digest = ga_digest_open();
	add_line(s, rec);
	return 0;
}

static int take_candidate(struct ga_host_stream *s, const struct ga_rec *rec,
			  struct ga_err *err)
{
	struct ga_candidate *c;
	size_t i;

	if (!s->open)
		return bad(rec, err, "a candidate without its host record before it");
	c = ga_list_add(&s->candidates);
	if (ga_rec_parse(rec, &ga_candidate_schema, c, err) < 0)
		return -1;
	if (!ga_streq(c->node, s->host.node) || !ga_streq(c->fingerprint, s->host.fingerprint))
		return bad(rec, err, "the candidate is of another host or another discovery");
	for (i = 0; i + 1 < s->candidates.n; i++)
		if (s->candidates.v[i].slot_index == c->slot_index)
			return bad(rec, err, "two candidates have the same slot_index");
	add_line(s, rec);
	return 0;
}

static int take_end(struct ga_host_stream *s, const struct ga_rec *rec, struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE];
	struct ga_end end;
	bool same;

	if (!s->open)
		return bad(rec, err, "an end without its host record");
	if (ga_rec_parse(rec, &ga_end_schema, &end, err) < 0)
		return -1;
	ga_digest_close(GA_TAKE(s->digest), digest);
	s->open = false;
	same = ga_streq(end.node, s->host.node) && ga_streq(end.digest, digest) &&
	       ga_streq(end.fingerprint, s->host.fingerprint) &&
	       end.count == (int64_t)s->candidates.n;
	ga_schema_release(&ga_end_schema, &end);
	return same ? 1 : bad(rec, err, "the end does not match the lines before it: the discovery "
					"was cut or changed on its way");
}

int ga_host_stream_take(struct ga_host_stream *s, const struct ga_rec *rec,
			     struct ga_err *err)
{
	if (ga_rec_is(rec, &ga_host_schema))
		return take_host(s, rec, err);
	if (ga_rec_is(rec, &ga_candidate_schema))
		return take_candidate(s, rec, err);
	return take_end(s, rec, err);
}

int ga_host_stream_end(const struct ga_host_stream *s, struct ga_err *err)
{
	if (!s->open)
		return 0;
	return ga_refuse(err, GA_BADREC, NULL, NULL,
			 ("the discovery of '%s' has no end record: it was cut off, and nothing of "
			  "it was stored", s->host.node),
			 ("look for the error of gpuaas-discover, and run it again"));
}
