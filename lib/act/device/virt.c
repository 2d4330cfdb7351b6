/* SPDX-License-Identifier: Apache-2.0 */
/* Domains through libvirt, over one connection. The verbs do nothing when the domain is in the
 * wanted state. */
#include "act/device/virt.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "act/device/virt_xml.h"
#include "look/domain.h"
#include "record/schema.h"

struct ga_virt {
	virConnectPtr conn;
};

static void cleanup_domain(virDomainPtr *dom)
{
	if (*dom)
		virDomainFree(*dom);
}
#define autodomain ga_cleanup(cleanup_domain)

static void quiet(void *arg, virErrorPtr error)
{
	(void)arg;
	(void)error; /* callers read every error from virGetLastError */
}

static int last_code(void)
{
	return virGetLastErrorCode();
}

static int refused(struct ga_err *err, const char *what, const char *name)
{
	const char *why = virGetLastErrorMessage();

	return ga_fail_for(err, GA_EXTERNAL, "libvirt", "libvirt cannot %s '%s': %s", what, name,
			   why);
}

int ga_virt_open(const char *uri, struct ga_virt **ret, struct ga_err *err)
{
	virConnectPtr conn;

	virSetErrorFunc(NULL, quiet);
	conn = virConnectOpen(uri);
	if (!conn)
		return ga_refuse(err, GA_EXTERNAL, "libvirt_down", NULL,
				 ("cannot reach libvirt at '%s': %s", uri,
				  virGetLastErrorMessage()),
				 ("check 'systemctl status libvirtd'; GPUAAS_LIBVIRT_URI names "
				  "another address"));
	*ret = ga_xcalloc(1, sizeof(**ret));
	(*ret)->conn = conn;
	return 0;
}

void ga_virt_close(struct ga_virt *v)
{
	if (!v)
		return;
	virConnectClose(v->conn);
	free(v);
}

void ga_cleanup_virt(struct ga_virt **v)
{
	ga_virt_close(*v);
}

/* 1 found, 0 no such domain. */
static int lookup(struct ga_virt *v, const char *name, virDomainPtr *ret, struct ga_err *err)
{
	*ret = virDomainLookupByName(v->conn, name);
	if (*ret)
		return 1;
	return last_code() == VIR_ERR_NO_DOMAIN ? 0 : refused(err, "look up", name);
}

static enum ga_virt_state state_word(int state)
{
	switch (state) {
	case VIR_DOMAIN_SHUTOFF:
		return GA_VIRT_OFF;
	case VIR_DOMAIN_PAUSED:
	case VIR_DOMAIN_PMSUSPENDED:
	case VIR_DOMAIN_BLOCKED:
		return GA_VIRT_PAUSED;
	case VIR_DOMAIN_CRASHED:
		return GA_VIRT_CRASHED;
	default:
		return GA_VIRT_ON;
	}
}

static int read_state(virDomainPtr dom, enum ga_virt_state *ret, struct ga_err *err)
{
	int state = VIR_DOMAIN_NOSTATE;

	if (virDomainGetState(dom, &state, NULL, 0) < 0)
		return refused(err, "read the state of", virDomainGetName(dom));
	*ret = state_word(state);
	return 0;
}

int ga_virt_state(struct ga_virt *v, const char *name, enum ga_virt_state *ret,
		  struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	int r = lookup(v, name, &dom, err);

	*ret = GA_VIRT_ABSENT;
	return r <= 0 ? r : read_state(dom, ret, err);
}

int ga_virt_define(struct ga_virt *v, const char *xml, struct ga_err *err)
{
	autodomain virDomainPtr dom = virDomainDefineXMLFlags(v->conn, xml,
							      VIR_DOMAIN_DEFINE_VALIDATE);

	if (!dom && (last_code() == VIR_ERR_INVALID_ARG || last_code() == VIR_ERR_NO_SUPPORT))
		dom = virDomainDefineXML(v->conn, xml);
	return dom ? 0
		   : ga_fail_for(err, GA_EXTERNAL, "libvirt",
				 "libvirt cannot define the domain: %s", virGetLastErrorMessage());
}

int ga_virt_start(struct ga_virt *v, const char *name, bool paused, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	enum ga_virt_state state;
	int r = lookup(v, name, &dom, err);

	if (r < 0)
		return -1;
	if (!r)
		return ga_fail(err, GA_NOTFOUND, "domain '%s' is not defined", name);
	if (read_state(dom, &state, err) < 0)
		return -1;
	if (state == GA_VIRT_ON || state == GA_VIRT_PAUSED)
		return 0;
	if (virDomainCreateWithFlags(dom, paused ? VIR_DOMAIN_START_PAUSED : 0) < 0)
		return refused(err, "start", name);
	return 0;
}

int ga_virt_resume(struct ga_virt *v, const char *name, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	enum ga_virt_state state;
	int r = lookup(v, name, &dom, err);

	if (r < 0)
		return -1;
	if (!r)
		return ga_fail(err, GA_NOTFOUND, "domain '%s' is not defined", name);
	if (read_state(dom, &state, err) < 0)
		return -1;
	if (state != GA_VIRT_PAUSED)
		return 0;
	return virDomainResume(dom) < 0 ? refused(err, "resume", name) : 0;
}

/* Whether there is a running (or paused) domain to act on: 1, else 0. */
static int running(struct ga_virt *v, const char *name, virDomainPtr *dom, struct ga_err *err)
{
	int r = lookup(v, name, dom, err);

	if (r <= 0)
		return r;
	r = virDomainIsActive(*dom);
	return r < 0 ? refused(err, "read the state of", name) : r;
}

int ga_virt_shutdown(struct ga_virt *v, const char *name, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	int r = running(v, name, &dom, err);

	if (r <= 0)
		return r;
	if (virDomainShutdown(dom) < 0 && last_code() != VIR_ERR_OPERATION_INVALID)
		return refused(err, "shut down", name);
	return 0;
}

int ga_virt_destroy(struct ga_virt *v, const char *name, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	int r = running(v, name, &dom, err);

	if (r <= 0)
		return r;
	if (virDomainDestroy(dom) < 0 && last_code() != VIR_ERR_OPERATION_INVALID)
		return refused(err, "power off", name);
	return 0;
}

int ga_virt_undefine(struct ga_virt *v, const char *name, struct ga_err *err)
{
	static const unsigned int flags[] = {
		VIR_DOMAIN_UNDEFINE_NVRAM | VIR_DOMAIN_UNDEFINE_MANAGED_SAVE |
			VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA,
		VIR_DOMAIN_UNDEFINE_NVRAM,
		0,
	};
	autodomain virDomainPtr dom = NULL;
	int r = lookup(v, name, &dom, err);
	size_t i;

	if (r <= 0)
		return r;
	for (i = 0; i < GA_ARRAY_SIZE(flags); i++) {
		if (!virDomainUndefineFlags(dom, flags[i]) || last_code() == VIR_ERR_NO_DOMAIN)
			return 0;
		if (last_code() != VIR_ERR_INVALID_ARG && last_code() != VIR_ERR_NO_SUPPORT)
			break;
	}
	return refused(err, "undefine", name);
}

int ga_virt_has_agent(struct ga_virt *v, const char *name, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	ga_autofree char *xml = NULL;
	int r = lookup(v, name, &dom, err);

	if (r <= 0)
		return r;
	xml = virDomainGetXMLDesc(dom, 0);
	if (!xml)
		return refused(err, "read the definition of", name);
	return strstr(xml, "org.qemu.guest_agent.0") != NULL;
}

int ga_virt_agent(struct ga_virt *v, const char *name, struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	int r = lookup(v, name, &dom, err);
	char *host;

	if (r <= 0)
		return r;
	host = virDomainGetHostname(dom, VIR_DOMAIN_GET_HOSTNAME_AGENT);
	if (host) {
		free(host);
		return 1;
	}
	return last_code() == VIR_ERR_AGENT_UNRESPONSIVE || last_code() == VIR_ERR_OPERATION_INVALID
		       ? 0
		       : refused(err, "ask the guest agent of", name);
}

/* ---- our own domains ---- */

void ga_virt_domain_release(struct ga_virt_domain *d)
{
	free(d->name);
	free(d->allocation);
	free(d->attempt);
	free(d->node);
	*d = (struct ga_virt_domain){ 0 };
}

void ga_virt_domains_release(struct ga_virt_domains *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		ga_virt_domain_release(&d->v[i]);
	free(d->v);
	*d = (struct ga_virt_domains){ 0 };
}

/* Reads our metadata: 1 ours, 0 not ours. */
static int read_ours(virDomainPtr dom, struct ga_virt_domain *ret, struct ga_err *err)
{
	ga_autofree char *xml =
		virDomainGetMetadata(dom, VIR_DOMAIN_METADATA_ELEMENT, GA_DOMAIN_NS, 0);
	ga_autofree char *generation = NULL;
	char *end = NULL;

	*ret = (struct ga_virt_domain){ .generation = GA_UNKNOWN };
	if (!xml) {
		int code = last_code();

		return code == VIR_ERR_NO_DOMAIN_METADATA || code == VIR_ERR_NO_DOMAIN ?
			       0 :
			       refused(err, "read the metadata of", virDomainGetName(dom));
	}
	ret->name = ga_xstrdup(virDomainGetName(dom));
	ret->allocation = ga_virt_xml_attr(xml, "id");
	ret->attempt = ga_virt_xml_attr(xml, "attempt");
	ret->node = ga_virt_xml_attr(xml, "node");
	generation = ga_virt_xml_attr(xml, "generation");
	if (generation && *generation) {
		ret->generation = strtoll(generation, &end, 10);
		if (*end)
			ret->generation = GA_UNKNOWN;
	}
	return read_state(dom, &ret->state, err) < 0 ? -1 : 1;
}

int ga_virt_find(struct ga_virt *v, const char *name, struct ga_virt_domain *ret,
		 struct ga_err *err)
{
	autodomain virDomainPtr dom = NULL;
	int r = lookup(v, name, &dom, err);

	*ret = (struct ga_virt_domain){ .generation = GA_UNKNOWN };
	return r <= 0 ? r : read_ours(dom, ret, err);
}

static int by_name(const void *a, const void *b)
{
	const struct ga_virt_domain *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int each_domain(struct ga_virt *v,
		       int (*each)(virDomainPtr dom, void *arg, struct ga_err *err), void *arg,
		       struct ga_err *err)
{
	virDomainPtr *doms = NULL;
	int n = virConnectListAllDomains(v->conn, &doms, 0), i, r = 0;

	if (n < 0)
		return ga_fail_for(err, GA_EXTERNAL, "libvirt",
				   "libvirt cannot list its domains: %s", virGetLastErrorMessage());
	for (i = 0; i < n; i++) {
		if (!r)
			r = each(doms[i], arg, err);
		virDomainFree(doms[i]);
	}
	free(doms);
	return r;
}

static int collect_ours(virDomainPtr dom, void *arg, struct ga_err *err)
{
	struct ga_virt_domain d;
	int r = read_ours(dom, &d, err);

	if (r > 0)
		*(struct ga_virt_domain *)ga_list_grow(arg, sizeof(d)) = d;
	else
		ga_virt_domain_release(&d);
	return r < 0 ? -1 : 0;
}

int ga_virt_list(struct ga_virt *v, struct ga_virt_domains *ret, struct ga_err *err)
{
	*ret = (struct ga_virt_domains){ 0 };
	if (each_domain(v, collect_ours, ret, err) < 0) {
		ga_virt_domains_release(ret);
		return -1;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return 0;
}

/* ---- domains that use a device ---- */

struct usage {
	struct ga_virt *virt;
	const char *path, *pci;
	struct ga_texts *names;
	char *unknown; /* libvirt's sentence about a domain that names a volume without a path */
};

/* The path of a volume, or NULL. */
static char *volume_path(virConnectPtr conn, const struct ga_virt_volume *volume)
{
	virStoragePoolPtr pool = virStoragePoolLookupByName(conn, volume->pool);
	virStorageVolPtr vol = pool ? virStorageVolLookupByName(pool, volume->name) : NULL;
	char *path = vol ? virStorageVolGetPath(vol) : NULL;

	if (vol)
		virStorageVolFree(vol);
	if (pool)
		virStoragePoolFree(pool);
	return path;
}

/* Whether a source is a volume that lies on the path. */
static bool volumes_use_path(virDomainPtr dom, const char *xml, struct usage *u)
{
	ga_autovirtvolumes struct ga_virt_volumes volumes = { 0 };
	bool found = false;
	size_t i;

	ga_virt_xml_volumes(xml, &volumes);
	for (i = 0; !found && i < volumes.n; i++) {
		ga_autofree char *path = volume_path(u->virt->conn, &volumes.v[i]);
		/* The next call of libvirt overwrites its last error. */
		ga_autofree char *why = path ? NULL : ga_xstrdup(virGetLastErrorMessage());

		if (path)
			found = ga_virt_same_device(path, u->path);
		else if (!u->unknown)
			u->unknown = ga_xprintf("whether domain '%s' uses it is not known: volume "
						"'%s' of storage pool '%s' cannot be looked up: %s",
						virDomainGetName(dom), volumes.v[i].name,
						volumes.v[i].pool, why);
	}
	return found;
}

/* Looks at one definition: 1 when it uses the device, 0, or -1. */
static int definition_uses(virDomainPtr dom, unsigned int flags, struct usage *u,
			   struct ga_err *err)
{
	ga_autofree char *xml = virDomainGetXMLDesc(dom, flags);

	if (!xml)
		return last_code() == VIR_ERR_NO_DOMAIN ?
			       0 :
			       refused(err, "read the definition of", virDomainGetName(dom));
	if (u->pci)
		return ga_virt_xml_uses_pci(xml, u->pci);
	return ga_virt_xml_uses_path(xml, u->path) || volumes_use_path(dom, xml, u);
}

/* A domain that runs may have another definition for its next start. */
static int note_use(virDomainPtr dom, void *arg, struct ga_err *err)
{
	struct usage *u = arg;
	int r = definition_uses(dom, 0, u, err);

	if (!r)
		r = definition_uses(dom, VIR_DOMAIN_XML_INACTIVE, u, err);
	if (r > 0)
		ga_texts_add(u->names, virDomainGetName(dom));
	return r < 0 ? -1 : 0;
}

int ga_virt_domains_using(struct ga_virt *v, const char *path, struct ga_texts *names,
			  struct ga_err *err)
{
	struct usage u = { .virt = v, .path = path, .names = names };
	int r = each_domain(v, note_use, &u, err);

	if (!r && u.unknown) {
		(void)ga_fail_for(err, GA_CONFLICT, "nvme_in_use", "%s", u.unknown);
		r = 1;
	}
	free(u.unknown);
	return r;
}

int ga_virt_domains_using_pci(struct ga_virt *v, const char *address, struct ga_texts *names,
			      struct ga_err *err)
{
	struct usage u = { .virt = v, .pci = address, .names = names };

	return each_domain(v, note_use, &u, err);
}
