/* SPDX-License-Identifier: Apache-2.0 */
/* NVMe namespaces and their properties. use.c finds what uses them. */
#include "look/block/internal.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/texts.h"
#include "look/sys.h"
#include "record/pciaddr.h"

void ga_block_dev_release(struct ga_block_dev *d)
{
	free(d->name);
	free(d->path);
	free(d->controller);
	free(d->wwid);
	free(d->serial);
	free(d->model);
	free(d->firmware);
	free(d->pci_address);
	free(d->diskseq);
	ga_texts_release(&d->partitions);
	*d = (struct ga_block_dev){ 0 };
}

void ga_block_devs_release(struct ga_block_devs *devs)
{
	size_t i;

	for (i = 0; i < devs->n; i++)
		ga_block_dev_release(&devs->v[i]);
	ga_list_release(devs);
}

/* "nvme9n1", but not "nvme9" (a controller), "nvme9c1n1" (a hidden path) or "nvme9n1p2". */
static bool is_namespace(const char *name)
{
	const char *p = name;

	if (!ga_starts(p, "nvme"))
		return false;
	p += 4;
	if (!isdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789");
	return *p == 'n' && isdigit((unsigned char)p[1]) && !p[1 + strspn(p + 1, "0123456789")];
}

/*
 * The controller's directory: the parent of the namespace, or with native multipath, where the
 * parent is the subsystem, the first controller on PCIe below that.
 */
static char *controller_dir(const char *dir)
{
	ga_autofree char *copy = ga_xstrdup(dir);
	char *parent = dirname(copy);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	if (strstr(parent, "/nvme-subsys")) {
		ga_sys_list(parent, &names);
		for (i = 0; i < names.n; i++) {
			ga_autofree char *sub = ga_xprintf("%s/%s", parent, names.v[i]);
			ga_autofree char *transport = ga_sys_attr(sub, "transport");
			ga_autofree char *real = NULL;

			if (!ga_streq(transport, "pcie"))
				continue;
			real = realpath(sub, NULL);
			return real ? GA_TAKE(real) : GA_TAKE(sub);
		}
	}
	return ga_xstrdup(parent);
}

static int64_t count_namespaces(const char *controller)
{
	ga_autotexts struct ga_texts names = { 0 };
	int64_t n = 0;
	size_t i;

	ga_sys_list(controller, &names);
	for (i = 0; i < names.n; i++)
		n += ga_starts(names.v[i], "nvme");
	return n ? n : GA_UNKNOWN;
}

static void read_controller(const char *dir, struct ga_block_dev *d)
{
	ga_autofree char *controller = controller_dir(dir);
	ga_autofree char *address = ga_sys_attr(controller, "address");
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr pci;

	d->controller = ga_xstrdup(strrchr(controller, '/') + 1);
	d->serial = ga_sys_attr(controller, "serial");
	d->model = ga_sys_attr(controller, "model");
	d->firmware = ga_sys_attr(controller, "firmware_rev");
	d->numa_node = ga_sys_attr_int(controller, "numa_node");
	d->namespaces = count_namespaces(controller);
	if (address && ga_pciaddr_parse(address, &pci, &ignored) == 0) {
		d->pci_address = ga_xcalloc(1, GA_PCIADDR_SIZE);
		ga_pciaddr_format(&pci, d->pci_address);
	}
	if (d->numa_node == GA_UNKNOWN && d->pci_address) {
		ga_autofree char *pci_dir = ga_xprintf("/sys/bus/pci/devices/%s", d->pci_address);

		d->numa_node = ga_sys_attr_int(pci_dir, "numa_node");
	}
}

static void read_partitions(const char *dir, struct ga_block_dev *d)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++)
		if (ga_starts(names.v[i], d->name) && names.v[i][strlen(d->name)] == 'p')
			ga_texts_add(&d->partitions, names.v[i]);
}

/* The descriptor shows that a lab's disk is a file; the path does not. */
static int64_t look_at_node(const struct ga_block_dev *d)
{
	ga_autofd int fd = ga_block_open(d->path, d->major, d->minor, GA_UNKNOWN);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return GA_UNKNOWN;
	return S_ISBLK(st.st_mode);
}

/* Reads one namespace; 0 when it is hidden or has just gone. */
static int read_dev(const char *dir, const char *name, struct ga_block_dev *d)
{
	ga_autofree char *numbers = ga_sys_attr(dir, "dev");
	int64_t sectors = ga_sys_attr_int(dir, "size");
	char *colon = numbers ? strchr(numbers, ':') : NULL;

	if (!colon || sectors == GA_UNKNOWN || ga_sys_attr_int(dir, "hidden") == 1)
		return 0;
	*colon = '\0';
	*d = (struct ga_block_dev){
		.name = ga_xstrdup(name),
		.path = ga_xprintf("/dev/%s", name),
		.wwid = ga_sys_attr(dir, "wwid"),
		.diskseq = ga_sys_attr(dir, "diskseq"),
		.size_bytes = sectors * 512,
		.logical_block_bytes = ga_sys_attr_int(dir, "queue/logical_block_size"),
		.nsid = ga_sys_attr_int(dir, "nsid"),
		.major = ga_sys_number(numbers),
		.minor = ga_sys_number(colon + 1),
	};
	d->is_block = look_at_node(d);
	read_controller(dir, d);
	read_partitions(dir, d);
	return 1;
}

static int by_name(const void *a, const void *b)
{
	const struct ga_block_dev *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

void ga_block_hidden(struct ga_texts *names)
{
	ga_autotexts struct ga_texts all = { 0 };
	size_t i;

	ga_sys_list("/sys/block", &all);
	for (i = 0; i < all.n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/block/%s", all.v[i]);

		if (ga_starts(all.v[i], "nvme") && !is_namespace(all.v[i]) &&
		    ga_sys_attr_int(dir, "hidden") == 1)
			ga_texts_add(names, all.v[i]);
	}
}

int ga_block_scan(struct ga_block_devs *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts dirs = { 0 };
	size_t i;

	*ret = (struct ga_block_devs){ 0 };
	if (ga_sys_devices("block", &dirs, err) < 0)
		return -1;
	for (i = 0; i < dirs.n; i++) {
		const char *name = strrchr(dirs.v[i], '/') + 1;
		struct ga_block_dev d;

		if (is_namespace(name) && read_dev(dirs.v[i], name, &d))
			*ga_list_add(ret) = d;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return 0;
}

int ga_block_find(const char *wwid, struct ga_block_dev *ret, struct ga_err *err)
{
	ga_autoblocks struct ga_block_devs devs = { 0 };
	struct ga_block_dev *found = NULL;
	size_t i;

	*ret = (struct ga_block_dev){ 0 };
	if (ga_block_scan(&devs, err) < 0)
		return -1;
	for (i = 0; i < devs.n; i++) {
		if (!ga_streq(devs.v[i].wwid, wwid))
			continue;
		if (found)
			return ga_refuse(err, GA_CONFLICT, NULL, wwid,
					 ("disks '%s' and '%s' have the same wwid '%s'",
					  found->path, devs.v[i].path, wwid),
					 ("one of them is a copy or a second path: take it out "
					  "before anything is done to either"));
		found = &devs.v[i];
	}
	if (!found)
		return ga_refuse(err, GA_NOTFOUND, NULL, wwid,
				 ("no NVMe namespace has the wwid '%s'", wwid),
				 ("see 'cat /sys/block/nvme*/wwid'; a drive bound to vfio-pci or "
				  "taken out is not seen"));
	*ret = *found;
	*found = (struct ga_block_dev){ 0 };
	return 0;
}
