/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for Slurm. */
#include "exchange/slurm.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

bool ga_slurm_name_is_valid(const char *name)
{
	size_t n = strlen(name), i;

	if (!n || n > 63 || !isalnum((unsigned char)name[0]) || !strcasecmp(name, "default") ||
	    !strcasecmp(name, "all"))
		return false;
	for (i = 0; i < n; i++)
		if ((unsigned char)name[i] > 0x7f ||
		    (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i])))
			return false;
	return true;
}

static bool counts(const struct ga_node_type *t)
{
	return t->type && t->count != GA_UNKNOWN && t->count > 0;
}

void ga_slurm_node(const struct ga_node_view *view, int64_t cpus, struct ga_str *out)
{
	size_t first = 0, k;

	while (first < view->types.n && !counts(&view->types.v[first]))
		first++;
	if (first == view->types.n)
		return;
	ga_str_addf(out, "NodeName=%s", view->node);
	if (view->name && strcmp(view->name, view->node) != 0)
		ga_str_addf(out, " NodeHostname=%s", view->name);
	if (cpus != GA_UNKNOWN && cpus > 0)
		ga_str_addf(out, " CPUs=%" PRId64, cpus);
	if (view->node_memory_mib != GA_UNKNOWN && view->node_memory_mib > 0)
		ga_str_addf(out, " RealMemory=%" PRId64, view->node_memory_mib);
	for (k = first; k < view->types.n; k++)
		if (counts(&view->types.v[k]))
			ga_str_addf(out, "%sgpu:%s:%" PRId64, k == first ? " Gres=" : ",",
				    view->types.v[k].type, view->types.v[k].count);
	for (k = first; k < view->types.n; k++)
		if (counts(&view->types.v[k]))
			ga_str_addf(out, "%s%s", k == first ? " Feature=" : ",",
				    view->types.v[k].type);
	ga_str_addc(out, '\n');
}

bool ga_slurm_gres(const struct ga_node_view *view, bool files, struct ga_str *out)
{
	bool all = true;
	size_t i;

	for (i = 0; i < view->types.n; i++) {
		const struct ga_node_type *t = &view->types.v[i];

		if (!counts(t))
			continue;
		ga_str_addf(out, "NodeName=%s Name=gpu Type=%s Count=%" PRId64, view->node,
			    t->type, t->count);
		if (files && view->types.n == 1 && !strncmp(t->type, "nvidia-", 7))
			ga_str_addf(out, t->count > 1 ? " File=/dev/nvidia[0-%" PRId64 "]" :
							" File=/dev/nvidia%" PRId64,
				    t->count - 1);
		else
			all = false;
		ga_str_addc(out, '\n');
	}
	return all;
}
