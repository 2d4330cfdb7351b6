/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual functions through their physical function, by ip(8). */
#include "act/device/vf.h"

#include <inttypes.h>

#include "base/proc.h"
#include "base/texts.h"
#include "look/pci.h"
#include "look/sys.h"
#include "record/digest.h"
#include "record/mac.h"
#include "record/rec.h"

#define ARPHRD_INFINIBAND 32 /* linux/if_arp.h */

void ga_vf_release(struct ga_vf *v)
{
	free(v->netdev);
	free(v->mac);
	free(v->node_guid);
	free(v->port_guid);
	*v = (struct ga_vf){ 0 };
}

/* ---- reading ---- */

static char *text_of(json_t *vf, const char *name)
{
	return ga_strdup0(json_string_value(json_object_get(vf, name)));
}

static int64_t tristate_of(json_t *vf, const char *name)
{
	json_t *v = json_object_get(vf, name);

	return json_is_boolean(v) ? json_is_true(v) : GA_UNKNOWN;
}

int ga_vf_parse(const char *text, struct ga_vf *ret, struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *links = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	json_t *link, *vf;
	size_t i, j;

	json_array_foreach(links, i, link) {
		const char *name = json_string_value(json_object_get(link, "ifname"));

		if (!ga_streq(name, ret->netdev))
			continue;
		json_array_foreach(json_object_get(link, "vfinfo_list"), j, vf) {
			json_t *index = json_object_get(vf, "vf");

			if (!json_is_integer(index) || json_integer_value(index) != ret->index)
				continue;
			ret->mac = text_of(vf, "address");
			if (!ret->mac) /* iproute2 before 5.5 */
				ret->mac = text_of(vf, "mac");
			ret->node_guid = text_of(vf, "node guid");
			ret->port_guid = text_of(vf, "port guid");
			ret->trust = tristate_of(vf, "trust");
			ret->spoofchk = tristate_of(vf, "spoofchk");
			return 0;
		}
	}
	return ga_fail_for(err, GA_BADREC, "vf_settings",
			   "ip shows no virtual function %" PRId64 " of interface '%s'", ret->index,
			   ret->netdev);
}

/* virtfnN of the physical function leads to it. */
static int64_t index_of(const char *vf, const char *pf)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", pf);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *to = ga_starts(names.v[i], "virtfn") ?
					       ga_sys_link(dir, names.v[i]) : NULL;

		if (ga_streq(to, vf))
			return ga_sys_number(names.v[i] + strlen("virtfn"));
	}
	return GA_UNKNOWN;
}

int ga_vf_look(const char *vf, const char *pf, struct ga_vf *ret, struct ga_err *err)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s/net", pf), *self = NULL;
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autotexts struct ga_texts nets = { 0 };

	*ret = (struct ga_vf){ .trust = GA_UNKNOWN, .spoofchk = GA_UNKNOWN };
	ret->index = index_of(vf, pf);
	if (ret->index == GA_UNKNOWN)
		return ga_refuse(err, GA_NOTFOUND, "missing_fabric_vf", vf,
				 ("'%s' is no virtual function of '%s'", vf, pf),
				 ("discover and approve again: 'gpuaas-discover | gpuaas-approve "
				  "--record-only'"));
	ga_sys_list(dir, &nets);
	if (!nets.n)
		return 0;
	ret->netdev = ga_xstrdup(nets.v[0]);
	self = ga_xprintf("%s/%s", dir, ret->netdev);
	ret->infiniband = ga_sys_attr_int(self, "type") == ARPHRD_INFINIBAND;
	const char *argv[] = { "ip", "-j", "link", "show", "dev", ret->netdev, NULL };

	if (ga_proc_check(&(const struct ga_proc){ .argv = argv }, &out, err) < 0 ||
	    ga_vf_parse(out.out.buf, ret, err) < 0)
		return -1;
	return 1;
}

/* ---- deciding ---- */

/* 02 is locally administered; then five bytes of the node's name, the kind and the slot. */
static char *guid_of(const char *node, int64_t slot_index, const char *kind)
{
	ga_autofree char *salted = ga_xprintf("gpuaas-%s-guid%c%s", kind, '\0', node);
	unsigned char h[GA_SHA256_BYTES];

	ga_sha256(salted, strlen("gpuaas--guid") + strlen(kind) + 1 + strlen(node), h);
	return ga_xprintf("02:%02x:%02x:%02x:%02x:%02x:%02x:%02x", h[0], h[1], h[2], h[3], h[4],
			  h[5], (unsigned int)slot_index & 0xff);
}

void ga_vf_want(const struct ga_vf *now, const char *node, int64_t slot_index, struct ga_vf *ret)
{
	*ret = (struct ga_vf){ .netdev = ga_strdup0(now->netdev), .index = now->index,
			       .infiniband = now->infiniband, .spoofchk = GA_UNKNOWN };
	if (now->infiniband) {
		ret->node_guid = guid_of(node, slot_index, "node");
		ret->port_guid = guid_of(node, slot_index, "port");
		return;
	}
	ret->mac = ga_xcalloc(1, GA_MAC_SIZE);
	ga_mac_fabric(node, (int)slot_index, ret->mac);
	ret->spoofchk = 1;
}

/* A flag that the kernel does not show is not counted as different. */
static bool flag_differs(int64_t now, int64_t want)
{
	return want != GA_UNKNOWN && now != GA_UNKNOWN && now != want;
}

const char *ga_vf_differs(const struct ga_vf *now, const struct ga_vf *want)
{
	if (want->mac && !ga_streq(now->mac, want->mac))
		return "mac";
	if (want->node_guid && !ga_streq(now->node_guid, want->node_guid))
		return "node_guid";
	if (want->port_guid && !ga_streq(now->port_guid, want->port_guid))
		return "port_guid";
	if (flag_differs(now->trust, want->trust))
		return "trust";
	return flag_differs(now->spoofchk, want->spoofchk) ? "spoofchk" : NULL;
}

/* ---- setting ---- */

static int set_one(const struct ga_vf *v, const char *what, const char *to, struct ga_err *err)
{
	ga_autofree char *index = ga_xprintf("%" PRId64, v->index);
	const char *argv[] = { "ip", "link", "set", "dev", v->netdev, "vf", index, what, to, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_check(&p, &out, err) < 0)
		return ga_wrap(err, "cannot set %s of virtual function %s of '%s'", what, index,
			       v->netdev);
	return 0;
}

static const char *on_off(int64_t flag)
{
	return flag ? "on" : "off";
}

static int set_all(const struct ga_vf *now, const struct ga_vf *want, struct ga_err *err)
{
	if ((want->mac && !ga_streq(now->mac, want->mac) &&
	     set_one(want, "mac", want->mac, err) < 0) ||
	    (want->node_guid && !ga_streq(now->node_guid, want->node_guid) &&
	     set_one(want, "node_guid", want->node_guid, err) < 0) ||
	    (want->port_guid && !ga_streq(now->port_guid, want->port_guid) &&
	     set_one(want, "port_guid", want->port_guid, err) < 0) ||
	    (flag_differs(now->trust, want->trust) &&
	     set_one(want, "trust", on_off(want->trust), err) < 0) ||
	    (flag_differs(now->spoofchk, want->spoofchk) &&
	     set_one(want, "spoofchk", on_off(want->spoofchk), err) < 0))
		return -1;
	return 0;
}

/* Whether the settings are in effect. GUIDs that this kernel or ip(8) does not show can be set but
 * not read back. */
static bool took(const struct ga_vf *after, const struct ga_vf *want)
{
	const char *differs = ga_vf_differs(after, want);

	return !differs ||
	       (after->infiniband && !after->node_guid && ga_streq(differs, "node_guid"));
}

int ga_vf_set(const struct ga_vf *want, const char *vf, const char *pf, struct ga_err *err)
{
	ga_autovf struct ga_vf now = { 0 }, after = { 0 };
	int r = ga_vf_look(vf, pf, &now, err);

	if (r <= 0)
		return r;
	if (set_all(&now, want, err) < 0 || ga_vf_look(vf, pf, &after, err) < 0)
		return -1;
	if (!took(&after, want))
		return ga_refuse(err, GA_HOST, "vf_settings", vf,
				 ("virtual function %" PRId64 " of '%s' did not accept its %s",
				  want->index, want->netdev, ga_vf_differs(&after, want)),
				 ("see 'ip link show %s' and 'dmesg | tail'; the adapter's "
				  "firmware may forbid it", want->netdev));
	return 1;
}
