/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NoCloud seed of a VM: an ISO 9660 image labelled "cidata" with user-data, meta-data and
 * network-config (cloud-init, NoCloud datasource), made in memory; the same input gives the same
 * bytes.
 *
 * It carries secrets (the guest's host key, the tenant's user-data): files are 0600, no part of it
 * is logged or audited, and release removes it. The guest gets its host key this way, so that the
 * readiness check can verify that it reaches this guest.
 */
#ifndef GA_ACT_IMAGE_SEED_H
#define GA_ACT_IMAGE_SEED_H

#include "base/str.h"

struct ga_plan;

/* An ed25519 host key in OpenSSH's formats. */
struct ga_host_key {
	struct ga_str private, public; /* public: "ssh-ed25519 AAAA…" */
	char *fingerprint;	       /* "SHA256:…" as ssh-keygen -l prints it */
};
#define GA_HOST_KEY_INIT { .private = GA_STR_INIT, .public = GA_STR_INIT }
void ga_host_key_release(struct ga_host_key *k);
#define ga_autohostkey ga_cleanup(ga_host_key_release)
/* Reads DIR/host_key, or makes it there (ssh-keygen). The caller releases ret. */
GA_MUST_CHECK int ga_host_key_get(const char *dir, struct ga_host_key *ret, struct ga_err *err);

struct ga_seed {
	const struct ga_plan *plan;
	const struct ga_host_key *key;
	const struct ga_str *user_data; /* the tenant's, unchanged, or NULL */
};

/* "#cloud-config" and one line of JSON: keys, host key, no passwords. When the tenant has its own
 * user-data, this text becomes the vendor-data, which cloud-init merges with lower priority. */
void ga_seed_config(const struct ga_seed *s, struct ga_str *out);
/* The meta-data as JSON: instance id and host name. Replaces out. */
void ga_seed_meta_data(const struct ga_seed *s, struct ga_str *out);
/* The network configuration as JSON: DHCP on the interface with the plan's MAC, and no interface
 * when the plan has no MAC. Replaces out. */
void ga_seed_network(const struct ga_seed *s, struct ga_str *out);
/* Writes the image to out. It has secrets: overwrite it before you free it. */
GA_MUST_CHECK int ga_seed_iso(const struct ga_seed *s, struct ga_str *out, struct ga_err *err);

#endif
