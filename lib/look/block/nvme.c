/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the findings about a disk into the members of its record. */
#include "look/block/internal.h"

#include <unistd.h>

#include "base/texts.h"
#include "look/sys.h"

static void clear(void *list)
{
	ga_texts_release(list);
}

static void add_as(struct ga_nvme *n, const char *what, const struct ga_texts *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		*ga_list_add(&n->holders) = ga_xprintf("%s%s", what, list->v[i]);
}

void ga_block_show(const struct ga_block_dev *d, const struct ga_block_uses *u, struct ga_nvme *n)
{
	struct ga_content c = { 0 };
	ga_autofd int fd = -1;
	size_t i;

	clear(&n->mounts);
	clear(&n->holders);
	clear(&n->signatures);
	free(GA_TAKE(n->content));
	n->content_blocks = 0;
	n->is_block = d->is_block;
	for (i = 0; i < u->mounts.n; i++)
		ga_texts_add(&n->mounts, u->mounts.v[i].where);
	add_as(n, "", &u->holders);
	add_as(n, "", &u->loops);
	add_as(n, "", &u->slaves);
	add_as(n, "swap ", &u->swap);
	add_as(n, "", &u->md);
	add_as(n, "", &u->exports);
	add_as(n, "", &u->same);
	n->uses_known = ga_block_uses_known(u);
	for (i = 0; i < u->signatures.n; i++)
		ga_texts_add(&n->signatures, u->signatures.v[i]);
	n->signatures_known = u->signatures_known;
	if (u->signatures.n)
		n->content = ga_xstrdup("signatures");
	else if (!u->signatures_known)
		n->content = ga_xstrdup("unread");
	if (n->content)
		return;
	fd = ga_block_open(d->path, d->major, d->minor, d->is_block);
	if (fd >= 0)
		ga_block_content_read(fd, d->size_bytes, &c);
	n->content = ga_xstrdup(ga_block_content_word(&c, n->capabilities.dlfeat));
	n->content_blocks = c.blocks;
}
