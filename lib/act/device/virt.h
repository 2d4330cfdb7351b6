/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libvirt: the domains of this host. An error of libvirt is GA_EXTERNAL with libvirt's sentence;
 * libvirt prints nothing to stderr. When a driver does not know a flag (the test driver has no
 * NVRAM), the call is made again without it.
 */
#ifndef GA_ACT_DEVICE_VIRT_H
#define GA_ACT_DEVICE_VIRT_H

#include "base/ga.h"
#include "base/texts.h"

#define GA_VIRT_URI "qemu:///system" /* default of the setting GPUAAS_LIBVIRT_URI */

struct ga_virt;

/* Connects to libvirt; the caller closes *ret with ga_virt_close. GA_EXTERNAL "libvirt_down" when
 * libvirt does not answer at uri. */
GA_MUST_CHECK int ga_virt_open(const char *uri, struct ga_virt **ret, struct ga_err *err);
void ga_virt_close(struct ga_virt *v);
void ga_cleanup_virt(struct ga_virt **v);
#define ga_autovirt ga_cleanup(ga_cleanup_virt)

enum ga_virt_state {
	GA_VIRT_ABSENT, /* not defined */
	GA_VIRT_OFF,
	GA_VIRT_ON,	/* running, idle or shutting down */
	GA_VIRT_PAUSED, /* paused, suspended, blocked on an I/O error */
	GA_VIRT_CRASHED,
};

/* Reads the state of the domain with this name, ours or not: 0, also for GA_VIRT_ABSENT; -1. */
GA_MUST_CHECK int ga_virt_state(struct ga_virt *v, const char *name, enum ga_virt_state *ret,
				struct ga_err *err);
/* Defines a domain, or redefines the one of the same name and UUID. */
GA_MUST_CHECK int ga_virt_define(struct ga_virt *v, const char *xml, struct ga_err *err);
/* start, resume, shutdown, destroy and undefine do nothing when the domain is in the wanted state
 * already. An absent domain is GA_NOTFOUND for start only. paused: the domain starts paused. */
GA_MUST_CHECK int ga_virt_start(struct ga_virt *v, const char *name, bool paused,
				struct ga_err *err);
/* Resumes a paused domain. */
GA_MUST_CHECK int ga_virt_resume(struct ga_virt *v, const char *name, struct ga_err *err);
/* Asks the guest to shut down. */
GA_MUST_CHECK int ga_virt_shutdown(struct ga_virt *v, const char *name, struct ga_err *err);
/* Powers the domain off. */
GA_MUST_CHECK int ga_virt_destroy(struct ga_virt *v, const char *name, struct ga_err *err);
/* Undefines the domain and removes its NVRAM. */
GA_MUST_CHECK int ga_virt_undefine(struct ga_virt *v, const char *name, struct ga_err *err);
/* Whether the domain has the channel of the guest agent. */
GA_MUST_CHECK int ga_virt_has_agent(struct ga_virt *v, const char *name, struct ga_err *err);
/* Whether the guest agent answers a ping: 1, 0; -1 when the domain has no such channel. */
GA_MUST_CHECK int ga_virt_agent(struct ga_virt *v, const char *name, struct ga_err *err);

/* One of our domains, recognized by its metadata. */
struct ga_virt_domain {
	char *name, *allocation, *attempt, *node;
	int64_t generation; /* GA_UNKNOWN when the metadata lacks it */
	enum ga_virt_state state;
};
struct ga_virt_domains {
	struct ga_virt_domain *v;
	size_t n;
};
void ga_virt_domains_release(struct ga_virt_domains *d);
#define ga_autovirtdomains ga_cleanup(ga_virt_domains_release)
/* Fills ret with all our domains, running or not, by name: 0, -1. The caller releases ret. */
GA_MUST_CHECK int ga_virt_list(struct ga_virt *v, struct ga_virt_domains *ret, struct ga_err *err);
/* Reads the metadata of one domain: 1 it is ours, 0 absent or not ours. */
GA_MUST_CHECK int ga_virt_find(struct ga_virt *v, const char *name, struct ga_virt_domain *ret,
			       struct ga_err *err);
void ga_virt_domain_release(struct ga_virt_domain *d);
#define ga_autovirtdomain ga_cleanup(ga_virt_domain_release)

/*
 * Adds the names of all domains (ours or not, running or not) whose definition uses the
 * block device or file: by the same path, by a path that leads to the same device, or as a volume
 * of a storage pool that lies there. For a running domain the definition of its next start counts
 * too. 0; 1 with err set (GA_CONFLICT) when libvirt shows no path for a volume: the domain
 * that err names may use the disk; -1 with err.
 */
GA_MUST_CHECK int ga_virt_domains_using(struct ga_virt *v, const char *path,
					struct ga_texts *names, struct ga_err *err);
/* The same for a PCI function ("0000:18:00.0") that is passed through. */
GA_MUST_CHECK int ga_virt_domains_using_pci(struct ga_virt *v, const char *address,
					    struct ga_texts *names, struct ga_err *err);

#endif
