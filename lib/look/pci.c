/* SPDX-License-Identifier: Apache-2.0 */
/* PCI functions: ids and classes by libpci, the rest from sysfs. */
#include "look/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pci/pci.h>
#include <unistd.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/texts.h"
#include "decide/slot/health.h"
#include "look/sys.h"

/* Vendors of accelerators; a display of another vendor is a console (ASPEED, Matrox, virtio). */
static const unsigned int accelerator_vendors[] = {
	0x10de, /* NVIDIA */
	0x1002, /* AMD */
	0x8086, /* Intel: Data Center GPUs; integrated ones hold the boot display */
	0x1da3, /* Habana */
	0x1e52, /* Tenstorrent */
};

static const struct ga_accels *known;

void ga_pci_know(const struct ga_accels *list)
{
	known = list;
}

static bool is_accelerator_vendor(unsigned int vendor)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(accelerator_vendors); i++)
		if (accelerator_vendors[i] == vendor)
			return true;
	return false;
}

static enum ga_pci_sort sort_of(const struct ga_pci_dev *d)
{
	if (known && ga_accels_has(known, d->vendor, d->device))
		return GA_PCI_GPU;
	switch (d->class >> 8) {
	case 0x0300:
	case 0x0302:
	case 0x0380:
		return is_accelerator_vendor(d->vendor) ? GA_PCI_GPU : GA_PCI_DISPLAY;
	case 0x1200:
	case 0x0b40:
		/* Intel's QAT and similar devices are coprocessors too: for Intel only 1200
		 * counts. */
		return is_accelerator_vendor(d->vendor) &&
				       (d->class >> 8 == 0x1200 || d->vendor != 0x8086) ?
			       GA_PCI_GPU :
			       GA_PCI_OTHER;
	case 0x0108:
		return GA_PCI_NVME;
	case 0x0200:
	case 0x0207:
		return GA_PCI_NIC;
	case 0x0680:
		return d->vendor == 0x10de ? GA_PCI_NVSWITCH : GA_PCI_BRIDGE;
	default:
		return d->class >> 16 == 0x06 ? GA_PCI_BRIDGE : GA_PCI_OTHER;
	}
}

static void drop_access(struct pci_access **p)
{
	pci_cleanup(*p);
}

static int64_t hex_attr(const char *address, const char *name)
{
	ga_autofree char *text = ga_pci_attr(address, name);

	return ga_sys_number(text);
}

static bool is_virtfn(const char *pf_dir, int64_t index, const char *address)
{
	ga_autofree char *name = ga_xprintf("virtfn%" PRId64, index);
	ga_autofree char *vf = ga_sys_link(pf_dir, name);

	return ga_streq(vf, address);
}

/*
 * The number of a virtual function: routing ids count from the physical function's by offset and
 * stride (PCIe 9.2.1.2). The virtfnN link decides; where the computed number does not match it, all
 * links are read.
 */
static int64_t vf_index(const struct ga_pci_dev *vf)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", vf->pf);
	int64_t offset = ga_sys_attr_int(dir, "sriov_offset");
	int64_t stride = ga_sys_attr_int(dir, "sriov_stride");
	int64_t vfs = ga_sys_attr_int(dir, "sriov_numvfs"), i;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr pf;

	if (offset > 0 && stride > 0 && ga_pciaddr_parse(vf->pf, &pf, &ignored) == 0) {
		int64_t from = pf.bus << 8 | pf.device << 3 | pf.function;
		int64_t to = vf->addr.bus << 8 | vf->addr.device << 3 | vf->addr.function;

		i = (to - from - offset) / stride;
		if (i >= 0 && is_virtfn(dir, i, vf->address))
			return i;
	}
	for (i = 0; i < vfs && i < 4096; i++)
		if (is_virtfn(dir, i, vf->address))
			return i;
	return GA_UNKNOWN;
}

static void read_details(struct ga_pci_dev *d, struct pci_dev *p)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", d->address);
	ga_autofree char *group = ga_sys_link(dir, "iommu_group");

	d->sub_vendor = hex_attr(d->address, "subsystem_vendor");
	d->sub_device = hex_attr(d->address, "subsystem_device");
	d->revision = hex_attr(d->address, "revision");
	d->numa_node = ga_sys_attr_int(dir, "numa_node");
	d->iommu_group = ga_sys_number(group);
	d->driver = ga_sys_link(dir, "driver");
	if ((pci_fill_info(p, PCI_FILL_PHYS_SLOT) & PCI_FILL_PHYS_SLOT) && p->phy_slot)
		d->physical_slot = ga_sys_tidy(ga_xstrdup(p->phy_slot));
	d->path = ga_sys_real(GA_PCI_SYSFS, d->address);
	d->pf = ga_sys_link(dir, "physfn");
	d->vf_index = d->pf ? vf_index(d) : GA_UNKNOWN;
	d->total_vfs = ga_sys_attr_int(dir, "sriov_totalvfs");
	if (d->total_vfs == GA_UNKNOWN)
		d->total_vfs = 0;
	d->boot_display = ga_sys_attr_int(dir, "boot_vga");
	if (d->boot_display == GA_UNKNOWN)
		d->boot_display = d->class >> 8 == 0x0300 ? GA_UNKNOWN : 0;
	else
		d->boot_display = d->boot_display != 0;
}

static int by_address(const void *a, const void *b)
{
	const struct ga_pci_dev *x = a, *y = b;

	return ga_pciaddr_cmp(&x->addr, &y->addr);
}

/*
 * libpci ends the process when it cannot read its bus directory: so check that first. Only ids and
 * class are read of every function; every other fact costs a file and is read where it is needed.
 */
int ga_pci_scan(struct ga_pci *ret, struct ga_err *err)
{
	ga_cleanup(drop_access) struct pci_access *access = NULL;
	struct pci_dev *p;

	*ret = (struct ga_pci){ 0 };
	access = pci_alloc();
	if (!ga_sys_exists(GA_PCI_SYSFS))
		return 0;
	if (!access)
		return ga_fail(err, GA_SYSTEM, "libpci cannot start");
	access->method = PCI_ACCESS_SYS_BUS_PCI;
	pci_init(access);
	pci_scan_bus(access);
	for (p = access->devices; p; p = p->next) {
		struct ga_pci_dev *d;

		if (!(pci_fill_info(p, PCI_FILL_IDENT | PCI_FILL_CLASS) & PCI_FILL_IDENT))
			continue;
		d = ga_list_add(ret);
		d->addr = (struct ga_pciaddr){ (uint32_t)p->domain, p->bus, p->dev, p->func };
		ga_pciaddr_format(&d->addr, d->address);
		d->vendor = p->vendor_id;
		d->device = p->device_id;
		d->class = (unsigned int)p->device_class << 8;
		d->sort = sort_of(d);
		if (d->sort != GA_PCI_OTHER && d->sort != GA_PCI_BRIDGE)
			read_details(d, p);
		if (d->sort == GA_PCI_GPU) { /* libpci does not give the programming interface */
			int64_t class = hex_attr(d->address, "class");

			d->class = class == GA_UNKNOWN ? d->class : (unsigned int)class & 0xffffff;
		}
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_address);
	return 0;
}

void ga_pci_release(struct ga_pci *pci)
{
	size_t i;

	for (i = 0; i < pci->n; i++) {
		free(pci->v[i].driver);
		free(pci->v[i].physical_slot);
		free(pci->v[i].path);
		free(pci->v[i].pf);
	}
	ga_list_release(pci);
}

const struct ga_pci_dev *ga_pci_find(const struct ga_pci *pci, const char *address)
{
	size_t i;

	for (i = 0; address && i < pci->n; i++)
		if (ga_streq(pci->v[i].address, address))
			return &pci->v[i];
	return NULL;
}

char *ga_pci_attr(const char *address, const char *name)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);

	return ga_sys_attr(dir, name);
}

int64_t ga_pci_answers(const char *address)
{
	ga_autofree char *path = ga_xprintf("%s/%s/config", GA_PCI_SYSFS, address);
	ga_autofree char *physfn = ga_xprintf("%s/%s/physfn", GA_PCI_SYSFS, address);
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char b[16]; /* 0 vendor, 2 device, 4 command, 14 header type */
	bool is_vf = access(physfn, F_OK) == 0;

	if (fd < 0 || pread(fd, b, sizeof(b), 0) != sizeof(b))
		return GA_UNKNOWN;
	return !(b[4] == 0xff && b[5] == 0xff) && b[14] != 0xff &&
	       (is_vf || !(b[0] == 0xff && b[1] == 0xff));
}

int64_t ga_pci_aer(const char *address, const char *attr, const char *name)
{
	ga_autofree char *path = ga_xprintf(GA_PCI_SYSFS "/%s/%s", address, attr);
	ga_autostr struct ga_str text = GA_STR_INIT;

	return ga_file_attr(AT_FDCWD, path, &text) ? ga_health_aer(text.buf, name) : GA_UNKNOWN;
}

char *ga_pci_driver(const char *address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);

	return ga_sys_link(dir, "driver");
}

bool ga_pci_is_bus_reset(const char *method)
{
	return ga_streq(method, "bus") || ga_streq(method, "cxl_bus");
}

char *ga_pci_beside(const char *address, struct ga_texts *ret)
{
	ga_autofree char *path = ga_sys_real(GA_PCI_SYSFS, address);
	ga_autofree char *physfn = ga_pci_attr(address, "physfn/vendor");
	ga_autotexts struct ga_texts names = { 0 };
	char *slash = path ? strrchr(path, '/') : NULL;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;
	const char *bridge;
	size_t i;

	if (slash)
		*slash = '\0';
	bridge = slash ? strrchr(path, '/') : NULL;
	if (physfn || !bridge || ga_pciaddr_parse(bridge + 1, &a, &ignored) < 0)
		return NULL;
	ga_sys_list(path, &names);
	for (i = 0; i < names.n; i++)
		if (ga_pciaddr_parse(names.v[i], &a, &ignored) == 0 &&
		    !ga_streq(names.v[i], address))
			ga_texts_add(ret, names.v[i]);
	return ga_xstrdup(bridge + 1);
}

bool ga_pci_is_part(const char *address, const char *other)
{
	ga_autofree char *class = ga_pci_attr(other, "class");

	/* Compares everything except the function: "0000:18:00." */
	return !strncmp(address, other, strlen(address) - 1) &&
	       (ga_starts(class, "0x04") || ga_starts(class, "0x0c"));
}

bool ga_pci_can_reset(const char *address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);
	ga_autofree char *file = ga_xprintf("%s/reset", dir);
	ga_autofree char *list = ga_xprintf("%s/reset_method", dir);
	ga_autotexts struct ga_texts methods = { 0 }, beside = { 0 };
	ga_autofree char *bridge = NULL;
	size_t i;

	if (!ga_sys_exists(file) || !ga_sys_exists(list))
		return ga_sys_exists(file);
	ga_pci_reset_methods(address, &methods);
	for (i = 0; i < methods.n; i++)
		if (!ga_pci_is_bus_reset(methods.v[i]))
			return true;
	bridge = ga_texts_has(&methods, "bus") ? ga_pci_beside(address, &beside) : NULL;
	for (i = 0; i < beside.n; i++)
		if (!ga_pci_is_part(address, beside.v[i]))
			return false;
	return bridge;
}

bool ga_pci_wipe_unproven(const char *address, const char *scrubs, char **why, char **fix)
{
	ga_autofree char *driver = ga_pci_driver(address);
	ga_autofree char *vendor = ga_pci_attr(address, "vendor");
	ga_autofree char *device = ga_pci_attr(address, "device");
	bool bound = driver && !ga_streq(driver, "vfio-pci");
	ga_autofree char *scrub = NULL;

	*why = *fix = NULL;
	if (!vendor || !device || (!bound && ga_pci_can_reset(address)))
		return false;
	/* "0x10de": names in the folder have no 0x. */
	scrub = ga_xprintf("%s/%s:%s", scrubs, vendor + 2, device + 2);
	if (access(scrub, F_OK) == 0 || errno == EACCES)
		return false;
	if (bound) {
		*why = ga_xprintf("driver '%s' uses it: the wipe cannot reset it", driver);
		*fix = ga_xprintf("unbind it now: echo %s > /sys/bus/pci/drivers/%s/unbind; keep "
				  "the driver off after the next start: echo 'blacklist %s' > "
				  "/etc/modprobe.d/gpuaas-gpu.conf, then update-initramfs -u",
				  address, driver, driver);
	} else {
		*why = ga_xstrdup("the kernel has no reset method for it alone");
		*fix = ga_xprintf("install an executable that clears its memory as %s "
				  "(gpuaas-wipe(1))", scrub);
	}
	return true;
}

void ga_pci_reset_methods(const char *address, struct ga_texts *list)
{
	ga_autofree char *text = ga_pci_attr(address, "reset_method");
	char *rest = text, *word;

	while (rest && (word = strsep(&rest, " ")))
		if (*word)
			ga_texts_add(list, word);
}

/* Lines of "start end flags", one a resource; 0 to 5 are the BARs. Flags: linux/ioport.h. */
void ga_pci_bars(const char *address, struct ga_bars *list)
{
	enum { IORESOURCE_MEM = 0x200, IORESOURCE_PREFETCH = 0x2000 };
	ga_autofree char *path = ga_xprintf(GA_PCI_SYSFS "/%s/resource", address);
	ga_autostr struct ga_str text = GA_STR_INIT;
	char *rest = text.buf, *line;
	int64_t i;

	if (ga_file_attr(AT_FDCWD, path, &text))
		rest = text.buf;
	for (i = 0; i < 6 && (line = strsep(&rest, "\n")); i++) {
		uint64_t start, end, flags;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &start, &end, &flags) != 3 ||
		    !(flags & IORESOURCE_MEM) || end <= start || end - start >= UINT64_C(1) << 53)
			continue;
		*ga_list_add(list) = (struct ga_bar){
			.index = i,
			.size_bytes = (int64_t)(end - start + 1),
			.prefetchable = flags & IORESOURCE_PREFETCH,
		};
	}
}

/*
 * Below a root complex stand root port, upstream port, downstream port, function:
 * /sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:18:00.0. A function right
 * below a root port has no switch.
 */
char *ga_pci_switch(const struct ga_pci_dev *dev)
{
	ga_autofree char *copy = ga_strdup0(dev->path);
	char *rest = copy, *part, *at[3] = { NULL };
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;
	size_t n = 0;

	while (rest && (part = strsep(&rest, "/"))) {
		if (ga_pciaddr_parse(part, &a, &ignored) < 0)
			continue;
		if (n < GA_ARRAY_SIZE(at))
			at[n] = part;
		n++;
	}
	return n >= 4 ? ga_xstrdup(at[1]) : NULL;
}

/* "pci0000:15/01.0/00.0/01.0/00.0" of a sysfs path. */
static void add_stable_path(const char *path, struct ga_str *out)
{
	ga_autofree char *copy = ga_xstrdup(path);
	char *rest = copy, *part;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;

	while ((part = strsep(&rest, "/"))) {
		if (ga_starts(part, "pci"))
			ga_str_addf(out, "%s%s", out->len ? "/" : "", part);
		else if (ga_pciaddr_parse(part, &a, &ignored) == 0)
			ga_str_addf(out, "/%02x.%x", a.device, a.function);
	}
}

/* Firmware names slots, some with spaces; an identity is one word. */
static void add_word(struct ga_str *out, const char *name)
{
	char one[2] = "";

	for (; *name; name++) {
		one[0] = *name;
		ga_str_addc(out, ga_is_word(one) || *name == '-' ? *name : '_');
	}
}

char *ga_pci_identity(const struct ga_pci_dev *dev)
{
	ga_autostr struct ga_str where = GA_STR_INIT;

	if (dev->physical_slot) {
		add_word(&where, dev->physical_slot);
		if (dev->addr.function)
			ga_str_addf(&where, ".%u", dev->addr.function);
	} else if (dev->path) {
		add_stable_path(dev->path, &where);
	} else {
		ga_str_add(&where, dev->address);
	}
	return ga_xprintf("slot:%s:%04x:%04x", where.buf, dev->vendor, dev->device);
}
