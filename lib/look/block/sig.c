/* SPDX-License-Identifier: Apache-2.0 */
/* Content signatures, by libblkid on an open descriptor. */
#include "look/block/block.h"

#include <blkid.h>
#include <errno.h>

#include "base/texts.h"
#include "look/sys.h"

/* More signatures than a disk can reasonably have: it ends a probe that finds the same one again
 * and again. */
#define SIGNATURES_MAX 64

static void drop_probe(blkid_probe *p)
{
	blkid_free_probe(*p);
}

static void add(struct ga_texts *names, const char *name, const char *type)
{
	ga_autofree char *text = ga_sys_tidy(ga_xprintf("%s: %s", name, type));

	if (!ga_texts_has(names, text))
		ga_texts_add(names, text);
}

int ga_block_signatures(int fd, const char *name, struct ga_texts *list)
{
	ga_cleanup(drop_probe) blkid_probe probe = blkid_new_probe();
	int r, n;

	errno = 0;
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0) {
		errno = errno ? errno : EIO;
		return -1;
	}
	/* Superblocks with a bad checksum count: somebody's data may be behind them. */
	if (blkid_probe_enable_superblocks(probe, 1) < 0 ||
	    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_MAGIC |
						     BLKID_SUBLKS_BADCSUM) < 0 ||
	    blkid_probe_enable_partitions(probe, 1) < 0 ||
	    blkid_probe_set_partitions_flags(probe,
					     BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT) < 0) {
		errno = ENOMEM;
		return -1;
	}
	for (n = 0; n < SIGNATURES_MAX; n++) {
		const char *type = NULL;

		r = blkid_do_probe(probe);
		if (r == 1)
			return 0;
		if (r < 0) {
			errno = errno ? errno : EIO;
			return -1;
		}
		if (!blkid_probe_lookup_value(probe, "TYPE", &type, NULL) ||
		    !blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL))
			add(list, name, type);
	}
	return 0;
}
