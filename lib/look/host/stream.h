/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A discovery as it comes over a pipe: host, its candidates, end. It counts only when it is
 * complete: the end's count and digest must match the lines, and each candidate must have the
 * host's fingerprint.
 */
#ifndef GA_LOOK_HOST_STREAM_H
#define GA_LOOK_HOST_STREAM_H

#include "record/digest.h"
#include "record/host.h"
#include "record/rec.h"

struct ga_host_stream {
	bool open; /* a host record came, and its end record not yet */
	struct ga_host host;
	struct ga_candidates candidates;
	struct ga_digest *digest;
};

void ga_host_stream_release(struct ga_host_stream *s);
/* Takes a host, candidate or end record; its raw bytes count for the digest. 1 when an end
 * completed the discovery (host and candidates then stay until the next host), 0 when more records
 * must come, -1 GA_BADREC with the line. */
GA_MUST_CHECK int ga_host_stream_take(struct ga_host_stream *s, const struct ga_rec *rec,
				      struct ga_err *err);
/* Call at the end of input: GA_BADREC when a discovery began and has no end. */
GA_MUST_CHECK int ga_host_stream_end(const struct ga_host_stream *s, struct ga_err *err);

#endif
