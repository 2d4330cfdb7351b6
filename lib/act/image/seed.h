/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NoCloud seed of a VM: an ISO 9660 image labelled "cidata" with user-data, meta-data and
 * network-config (cloud-init, NoCloud datasource), made in memory and the same bytes each time.
 *
 * It carries secrets (the guest's host key, the tenant's user-data): files are 0600, nothing of it
 * is logged or audited, and it is removed at release. The guest gets its host key this way, so that
 * readiness can verify whom it reaches.
 */
#ifndef GA_ACT_IMAGE_SEED_H
#define GA_ACT_IMAGE_SEED_H

#include "base/str.h"
#include "record/plan.h"

/* An ed25519 host key in OpenSSH's formats. */
struct ga_host_key {
	struct ga_str private, public; /* public: "ssh-ed25519 AAAA…" */
	char *fingerprint;	       /* "SHA256:…" as ssh-keygen -l prints it */
};
#define GA_HOST_KEY_INIT { .private = GA_STR_INIT, .public = GA_STR_INIT }
void ga_host_key_release(struct ga_host_key *k);
#define ga_autohostkey ga_cleanup(ga_host_key_release)
/* Reads DIR/host_key, or makes it there (ssh-keygen). ret is released by the caller. */
GA_MUST_CHECK int ga_host_key_get(const char *dir, struct ga_host_key *ret, struct ga_err *err);

struct ga_seed {
	const struct ga_plan *plan;
	const struct ga_host_key *key;
	const struct ga_str *user_data; /* the tenant's, as it came, or NULL */
};

/* "#cloud-config" and one line of JSON: keys, host key, no passwords. Where the tenant brings
 * user-data of its own, this stands as vendor-data, which cloud-init merges below it. */
void ga_seed_config(const struct ga_seed *s, struct ga_str *out);
void ga_seed_meta_data(const struct ga_seed *s, struct ga_str *out);
void ga_seed_network(const struct ga_seed *s, struct ga_str *out);
/* The image, in out. It has secrets: overwrite it before it is freed. */
GA_MUST_CHECK int ga_seed_iso(const struct ga_seed *s, struct ga_str *out, struct ga_err *err);

#endif
