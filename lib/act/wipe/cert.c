/* SPDX-License-Identifier: Apache-2.0 */
/* A wipe in words: the plan for an operator, the certificate for a tenant. */
#include "act/wipe/wipe.h"
#include "record/digest.h"
#include "record/size.h"

void ga_wipe_plan_text(const struct ga_wipe_evidence *e, struct ga_str *out)
{
	char size[GA_SIZE_SIZE];
	size_t i;

	ga_str_addf(out, "disk      %s %s, %s, %s\nidentity  %s\n",
		    e->device.path ? e->device.path : "not found",
		    e->device.model ? e->device.model : "",
		    ga_size_format(e->device.size_bytes, size), e->device.medium, e->device.wwid);
	ga_str_addf(out, "policy    %s, read-back %s\n", e->policy.minimum_class,
		    e->policy.verify);
	for (i = 0; i < e->guard.n; i++)
		ga_str_addf(out, "guard     %-16s %s%s%s\n", e->guard.v[i].step,
			    e->guard.v[i].outcome, e->guard.v[i].detail ? ": " : "",
			    e->guard.v[i].detail ? e->guard.v[i].detail : "");
	for (i = 0; i < e->attempts.n; i++)
		ga_str_addf(out, "method    %-16s %s\n", e->attempts.v[i].method,
			    e->attempts.v[i].detail ? e->attempts.v[i].detail : "planned");
	if (e->reason)
		ga_str_addf(out, "result    %s\n", e->reason);
}

static void add_line(struct ga_str *out, const char *label, const char *text)
{
	if (text)
		ga_str_addf(out, "  %-22s %s\n", label, text);
}

void ga_wipe_certificate(const struct ga_wipe_evidence *e, struct ga_str *out)
{
	const struct ga_read_back *rb = e->read_back;
	char digest[GA_DIGEST_SIZE], size[GA_SIZE_SIZE];
	bool ok = ga_streq(e->outcome, "confirmed");

	ga_digest_of(e->device.wwid, strlen(e->device.wwid), digest);
	ga_str_addf(out, "%s\n\n", ok ? "CERTIFICATE OF MEDIA SANITISATION" :
				       "RECORD OF A WIPE THAT WAS NOT CONFIRMED");
	if (e->lab)
		ga_str_add(out, "  A lab's disk: a file. This certifies nothing about hardware.\n");
	add_line(out, "evidence", e->evidence);
	add_line(out, "allocation", e->allocation);
	add_line(out, "disk", digest);
	ga_str_addf(out, "  %-22s %s (%lld bytes), %s\n", "size",
		    ga_size_format(e->device.size_bytes, size), (long long)e->device.size_bytes,
		    e->device.medium);
	add_line(out, "begun", e->started_at);
	add_line(out, "ended", e->finished_at);
	add_line(out, "required", e->policy.minimum_class);
	add_line(out, "outcome", e->outcome);
	add_line(out, "class (SP 800-88)", e->class);
	for (size_t i = 0; i < e->attempts.n; i++) {
		const struct ga_wipe_try *t = &e->attempts.v[i];

		if (!ga_streq(t->outcome, "not_started"))
			ga_str_addf(out, "  %-22s %s, %s, %s\n", "method", t->method, t->outcome,
				    t->finished_at ? t->finished_at : t->started_at);
	}
	if (e->markers)
		ga_str_addf(out, "  %-22s %lld written before, %lld found afterwards\n", "markers",
			    (long long)e->markers->written, (long long)e->markers->surviving);
	if (rb)
		ga_str_addf(out, "  %-22s %s: %lld of %lld bytes read, %lld blocks not zero\n",
			    "read-back", rb->verify, (long long)rb->bytes_read,
			    (long long)e->device.size_bytes, (long long)rb->mismatches);
	if (rb && rb->remnant_bound_ppb)
		ga_str_addf(out, "  %-22s %.6f %% of the disk at 99 %% confidence\n",
			    "could remain at most", (double)rb->remnant_bound_ppb / 1e7);
	/* The details may name addresses of the machine: the tenant gets only the outcomes. */
	add_line(out, "GPU reset", e->gpu_reset.outcome);
	add_line(out, "GPU memory", e->gpu_memory.outcome);
	add_line(out, "fabric function", e->vf_state.outcome);
	add_line(out, "tool", e->tool);
	add_line(out, "digest of the record", e->digest);
	ga_str_addf(out,
		    "\nThe disk is named by the SHA-256 of its identity. The whole record is kept "
		    "by the operator;\n"
		    "its digest and that of the record before it make later changes visible.\n");
}
