/* SPDX-License-Identifier: Apache-2.0 */
/* The regions that a refusal offers in place of the wanted one. */
#include <inttypes.h>

#include "base/str.h"
#include "base/texts.h"
#include "decide/place/score.h"
#include "record/state.h"

/* The number of nodes without a region that come into question when the request names none; 0 when
 * it names none already, and when none of these nodes would take it. */
static int64_t without_region(const struct ga_place_ask *ask)
{
	struct ga_request anywhere = *ask->request;
	struct ga_place_ask wider = *ask;
	bool fits = false;
	int64_t n = 0;
	size_t i;

	anywhere.region = NULL;
	wider.request = &anywhere;
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		struct ga_place_option o;
		const char *code = ga_place_offer(&wider, node, &o);

		if (node->region || ga_starts(code, "other_"))
			continue;
		n++;
		fits = fits || !code;
	}
	return ask->request->region && fits ? n : 0;
}

char *ga_place_open_regions(const struct ga_place_ask *ask)
{
	const struct ga_fleet *f = ask->fleet;
	const char *asked = ask->request->region ? ask->request->region : ask->profile->region;
	ga_autotexts struct ga_texts names = { 0 };
	ga_autostr struct ga_str list = GA_STR_INIT;
	int64_t without;
	size_t i;

	for (i = 0; i < f->regions.n; i++)
		if (f->regions.v[i].open && !ga_streq(f->regions.v[i].name, asked))
			ga_texts_add(&names, f->regions.v[i].name);
	for (i = 0; i < f->nodes.n; i++) {
		const char *region = f->nodes.v[i].region;

		if (region && !ga_streq(region, asked) && !ga_fleet_closed(f, region) &&
		    !ga_texts_has(&names, region))
			ga_texts_add(&names, region);
	}
	ga_texts_sort(&names);
	for (i = 0; i < names.n; i++)
		ga_str_addf(&list, "%s%s", i ? ", " : "open regions: ", names.v[i]);
	without = names.n ? 0 : without_region(ask);
	if (without)
		ga_str_addf(&list, "leave out --region: %" PRId64 " node%s no region", without,
			    without == 1 ? " has" : "s have");
	return ga_xprintf("%s; 'gpuaas-list regions' shows all",
			  list.len ? list.buf :
			  asked && ga_fleet_has_region(f, asked) && !ga_fleet_closed(f, asked) ?
				     "no other region is open" :
				     "no region is open");
}
