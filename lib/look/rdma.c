/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices. */
#include "look/rdma.h"

#include <strings.h>

#include "base/texts.h"
#include "look/sys.h"
#include "record/pciaddr.h"

static char *link_layer(const char *dir)
{
	ga_autofree char *text = ga_sys_attr(dir, "ports/1/link_layer");

	if (!text)
		return NULL;
	return !strcasecmp(text, "infiniband") ? ga_xstrdup("infiniband") :
	       !strcasecmp(text, "ethernet")   ? ga_xstrdup("ethernet") :
						 NULL;
}

/* A device made in software (soft RoCE) has no place in the PCI tree; it names its network
 * interface instead. */
static char *function_of_parent(const char *dir)
{
	ga_autofree char *net = ga_sys_attr(dir, "parent");
	ga_autofree char *net_dir = net ? ga_xprintf("/sys/class/net/%s", net) : NULL;

	return net_dir && !strchr(net, '/') ? ga_sys_link(net_dir, "device") : NULL;
}

int ga_rdma_scan(struct ga_rdma *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts dirs = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;
	size_t i;

	*ret = (struct ga_rdma){ 0 };
	if (ga_sys_devices("infiniband", &dirs, err) < 0)
		return -1;
	for (i = 0; i < dirs.n; i++) {
		ga_autofree char *function = ga_sys_link(dirs.v[i], "device");
		struct ga_rdma_dev *d = ga_list_add(ret);
		ga_autofree char *parent = NULL, *soft = NULL;
		char *base;

		d->name = ga_xstrdup(strrchr(dirs.v[i], '/') + 1);
		d->guid = ga_sys_attr(dirs.v[i], "node_guid");
		d->link_layer = link_layer(dirs.v[i]);
		d->numa_node = ga_sys_attr_int(dirs.v[i], "device/numa_node");
		/* …/0000:1a:00.0/infiniband/mlx5_0: the function is two levels up. */
		parent = ga_xstrndup(dirs.v[i], strlen(dirs.v[i]) - strlen(d->name) -
							strlen("/infiniband/"));
		base = strrchr(parent, '/');
		if (function && ga_pciaddr_parse(function, &a, &ignored) == 0)
			d->pci_address = GA_TAKE(function);
		else if (base && ga_pciaddr_parse(base + 1, &a, &ignored) == 0)
			d->pci_address = ga_xstrdup(base + 1);
		else if ((soft = function_of_parent(dirs.v[i])) &&
			 ga_pciaddr_parse(soft, &a, &ignored) == 0)
			d->pci_address = GA_TAKE(soft);
	}
	return 0;
}

void ga_rdma_release(struct ga_rdma *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].pci_address);
		free(list->v[i].guid);
		free(list->v[i].link_layer);
	}
	ga_list_release(list);
}

const struct ga_rdma_dev *ga_rdma_of(const struct ga_rdma *list, const char *pci_address)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (pci_address && ga_streq(list->v[i].pci_address, pci_address))
			return &list->v[i];
	return NULL;
}
