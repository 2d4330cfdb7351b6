/* SPDX-License-Identifier: Apache-2.0 */
/* The tar of a bundle of evidence: reading it, packing it again, and the whole check. */
#include "fuzz.h"

#include <string.h>

#include "base/err.h"
#include "validate/redact.h"
#include "validate/verify.h"

static int found(const struct ga_bundle_finding *finding, void *data, struct ga_err *err)
{
	size_t *n = data;

	++*n;
	fuzz_check(!ga_schema_check(&ga_bundle_finding_schema, finding, err));
	return 0;
}

static void check(const struct ga_pack *pack, bool exact)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_verified v;
	size_t n = 0;
	struct ga_verify verify = { .found = found, .data = &n };

	fuzz_check(!ga_verify_pack(pack, exact, "it", &verify, &v, &err));
	fuzz_check(n == v.findings);
	ga_verified_release(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autostr struct ga_str tar = GA_STR_INIT, clean = GA_STR_INIT, again = GA_STR_INIT;
	ga_autopack struct ga_pack pack = { 0 }, other = { 0 };
	struct ga_err err = GA_ERR_INIT;
	bool exact, is;

	/* Of any bytes: a second time changes nothing. */
	ga_redact((const char *)data, size, &clean);
	ga_redact(clean.buf, clean.len, &again);
	fuzz_check(clean.len == again.len && !memcmp(clean.buf, again.buf, again.len));

	if (ga_pack_read_tar(data, size, &pack, &exact, &err) < 0) {
		fuzz_check(err.code == GA_BADREC && *err.msg);
		return 0;
	}
	check(&pack, exact);
	/* A name that does not fit into ustar can be read and not be written. */
	if (ga_pack_tar(&pack, &tar, &err) < 0)
		return 0;
	fuzz_check(exact == (tar.len == size && !memcmp(tar.buf, data, size)));
	fuzz_check(!ga_pack_read_tar(tar.buf, tar.len, &other, &is, &err) && is);
	return 0;
}
