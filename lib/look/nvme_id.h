/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVMe Identify, read only: the identity and the abilities of a drive. Needs root (an admin command
 * by ioctl). Offsets are those of the NVM Express Base Specification 2.0, checked at compile time.
 */
#ifndef GA_LOOK_NVME_ID_H
#define GA_LOOK_NVME_ID_H

#include "base/ga.h"
#include "record/host.h"

struct ga_nvme_id {
	char serial[21], model[41], firmware[9]; /* trimmed */
	struct ga_nvme_caps caps;
	int64_t namespaces;   /* NN: the largest namespace id of the controller */
	int64_t active;	      /* namespaces active on it, or GA_UNKNOWN */
	int64_t size_blocks;  /* NSZE */
	int64_t block_bytes;  /* of the format in use */
	int64_t format_index; /* FLBAS: the LBA format in use, for a Format that keeps it */
	bool metadata_extended; /* FLBAS bit 4 */
	int64_t protection;   /* DPS bits 2:0 */
	unsigned char eui64[8], nguid[16];
};

/*
 * Identify Controller and Identify Namespace nsid through an open namespace or controller node.
 * GA_HOST with reason "no_nvme_ioctl" when the node takes no NVMe commands (a file of a lab),
 * GA_DENIED when the user may not send them, GA_EXTERNAL with the drive's status when the drive
 * refuses.
 */
GA_MUST_CHECK int ga_nvme_identify(int fd, int64_t nsid, struct ga_nvme_id *ret,
				   struct ga_err *err);

#endif
