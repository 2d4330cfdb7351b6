/* SPDX-License-Identifier: Apache-2.0 */
/* NVMe Identify. */
#include "look/nvme_id.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

/* Opcode and CNS values: NVMe Base 2.0, figures 138 and 273. */
enum { ADMIN_IDENTIFY = 0x06, CNS_NAMESPACE = 0, CNS_CONTROLLER = 1, CNS_ACTIVE = 2 };

/* Identify Controller (NVMe Base 2.0, figure 275): the members that are read of its 4096 bytes. */
struct id_controller {
	uint8_t vid[4];
	char sn[20], mn[40], fr[8];
	uint8_t rab_to_hctma[184];
	uint8_t oacs[2];
	uint8_t acl_to_hmmin[70];
	uint8_t sanicap[4];
	uint8_t hmminds_to_maxcmd[184];
	uint8_t nn[4];
	uint8_t oncs[2], fuses[2];
	uint8_t fna;
	uint8_t rest[3571];
};
_Static_assert(offsetof(struct id_controller, sn) == 4, "Identify Controller, SN");
_Static_assert(offsetof(struct id_controller, mn) == 24, "Identify Controller, MN");
_Static_assert(offsetof(struct id_controller, fr) == 64, "Identify Controller, FR");
_Static_assert(offsetof(struct id_controller, oacs) == 256, "Identify Controller, OACS");
_Static_assert(offsetof(struct id_controller, sanicap) == 328, "Identify Controller, SANICAP");
_Static_assert(offsetof(struct id_controller, nn) == 516, "Identify Controller, NN");
_Static_assert(offsetof(struct id_controller, oncs) == 520, "Identify Controller, ONCS");
_Static_assert(offsetof(struct id_controller, fna) == 524, "Identify Controller, FNA");
_Static_assert(sizeof(struct id_controller) == 4096, "Identify Controller");

/* Identify Namespace (NVM Command Set 1.0, figure 97). */
struct id_namespace {
	uint8_t nsze[8], ncap[8], nuse[8];
	uint8_t nsfeat, nlbaf, flbas, mc, dpc, dps, nmic, rescap, fpi, dlfeat;
	uint8_t nawun_to_endgid[70];
	uint8_t nguid[16], eui64[8];
	uint8_t lbaf[64][4]; /* metadata size (16 bits), data size as a power of 2, performance */
	uint8_t rest[3712];
};
_Static_assert(offsetof(struct id_namespace, flbas) == 26, "Identify Namespace, FLBAS");
_Static_assert(offsetof(struct id_namespace, dps) == 29, "Identify Namespace, DPS");
_Static_assert(offsetof(struct id_namespace, dlfeat) == 33, "Identify Namespace, DLFEAT");
_Static_assert(offsetof(struct id_namespace, nguid) == 104, "Identify Namespace, NGUID");
_Static_assert(offsetof(struct id_namespace, eui64) == 120, "Identify Namespace, EUI64");
_Static_assert(offsetof(struct id_namespace, lbaf) == 128, "Identify Namespace, LBAF0");
_Static_assert(sizeof(struct id_namespace) == 4096, "Identify Namespace");

/* The kernel's command structure (linux/nvme_ioctl.h). */
_Static_assert(sizeof(struct nvme_passthru_cmd) == 72, "nvme_passthru_cmd");
_Static_assert(offsetof(struct nvme_passthru_cmd, nsid) == 4, "nvme_passthru_cmd.nsid");
_Static_assert(offsetof(struct nvme_passthru_cmd, addr) == 24, "nvme_passthru_cmd.addr");
_Static_assert(offsetof(struct nvme_passthru_cmd, data_len) == 36, "nvme_passthru_cmd.data_len");
_Static_assert(offsetof(struct nvme_passthru_cmd, cdw10) == 40, "nvme_passthru_cmd.cdw10");
_Static_assert(offsetof(struct nvme_passthru_cmd, timeout_ms) == 64, "nvme_passthru_cmd.timeout");
_Static_assert(NVME_IOCTL_ADMIN_CMD == 0xc0484e41, "NVME_IOCTL_ADMIN_CMD");

static int64_t little(const uint8_t *p, int bytes)
{
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | p[bytes];
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* Copies a padded ASCII field of the drive, trimmed; other bytes than printable ASCII become
 * '?'. */
static void copy_text(char *to, const char *from, size_t len)
{
	size_t i, skip = 0;

	while (len && (from[len - 1] == ' ' || !from[len - 1]))
		len--;
	while (skip < len && from[skip] == ' ')
		skip++;
	for (i = skip; i < len; i++)
		to[i - skip] = from[i] >= 0x20 && from[i] < 0x7f ? from[i] : '?';
	to[len - skip] = '\0';
}

static int identify(int fd, uint32_t nsid, uint32_t cns, void *data, struct ga_err *err)
{
	struct nvme_passthru_cmd cmd = {
		.opcode = ADMIN_IDENTIFY,
		.nsid = nsid,
		.addr = (uintptr_t)data,
		.data_len = 4096,
		.cdw10 = cns,
		.timeout_ms = 5000,
	};
	int status = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd);

	if (!status)
		return 0;
	if (status > 0)
		return ga_fail(err, GA_EXTERNAL,
			       "the drive refused Identify (CNS %u) with NVMe status 0x%x", cns,
			       (unsigned int)status);
	if (errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP)
		return ga_fail_for(err, GA_HOST, "no_nvme_ioctl",
				   "the device takes no NVMe commands");
	return ga_fail_sys(err, "cannot send Identify to the drive");
}

static void read_namespace(const struct id_namespace *ns, struct ga_nvme_id *ret)
{
	/* FLBAS bits 6:5 are the upper bits of the index where there are more than 16 formats. */
	unsigned int index = (ns->flbas & 0xfU) | (ns->nlbaf > 15 ? (ns->flbas >> 1) & 0x30U : 0);
	unsigned int shift = ns->lbaf[index][2];

	ret->caps.dlfeat = ns->dlfeat;
	ret->size_blocks = little(ns->nsze, 8);
	ret->block_bytes = shift >= 9 && shift <= 24 ? INT64_C(1) << shift : GA_UNKNOWN;
	ret->format_index = index;
	ret->metadata_extended = ns->flbas & 0x10;
	ret->protection = ns->dps & 7;
	memcpy(ret->eui64, ns->eui64, sizeof(ret->eui64));
	memcpy(ret->nguid, ns->nguid, sizeof(ret->nguid));
}

/* Counts the ids in an Active Namespace ID list (1024 numbers, 0 ends it). */
static int64_t count_active(const uint8_t *list)
{
	int64_t n = 0;

	while (n < 1024 && little(list + 4 * n, 4))
		n++;
	return n;
}

int ga_nvme_identify(int fd, int64_t nsid, struct ga_nvme_id *ret, struct ga_err *err)
{
	ga_autofree struct id_controller *c = ga_xcalloc(1, sizeof(*c));
	ga_autofree struct id_namespace *ns = ga_xcalloc(1, sizeof(*ns));
	ga_autofree uint8_t *active = ga_xcalloc(4, 1024);
	struct ga_err ignored = GA_ERR_INIT;

	*ret = (struct ga_nvme_id){ .active = GA_UNKNOWN };
	if (nsid < 1 || nsid > UINT32_MAX - 2)
		return ga_fail(err, GA_HOST, "namespace id %lld is not valid",
			       (long long)nsid);
	if (identify(fd, 0, CNS_CONTROLLER, c, err) < 0 ||
	    identify(fd, (uint32_t)nsid, CNS_NAMESPACE, ns, err) < 0)
		return -1;
	copy_text(ret->serial, c->sn, sizeof(c->sn));
	copy_text(ret->model, c->mn, sizeof(c->mn));
	copy_text(ret->firmware, c->fr, sizeof(c->fr));
	ret->caps.oacs = little(c->oacs, 2);
	ret->caps.oncs = little(c->oncs, 2);
	ret->caps.sanicap = little(c->sanicap, 4);
	ret->caps.fna = c->fna;
	ret->namespaces = little(c->nn, 4);
	read_namespace(ns, ret);
	/* Optional before NVMe 1.1: without it the number stays unknown. */
	if (identify(fd, 0, CNS_ACTIVE, active, &ignored) == 0)
		ret->active = count_active(active);
	return 0;
}
