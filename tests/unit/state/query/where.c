/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of lists on slots and allocations. */
#include "t.h"

#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/query/where.h"

/* A record with a value of each type that conditions know. */
struct part {
	char *code;
	int64_t size_bytes;
};
static const char *const words[] = { "available", "active", "wiping", "cleanup_blocked", NULL };
static const struct ga_schema part = {
	.size = sizeof(struct part),
	.fields = (const struct ga_field[]){
		GA_TEXT(part, code, GA_NULLOK, GA_T_CODE, "code"),
		GA_BYTES(part, size_bytes, GA_NULLOK, "size"),
		GA_FIELDS_END,
	},
};
struct whole {
	char *state, *since, *actor, *note, *cordon;
	int64_t count, memory_mib, hold_seconds, elapsed_micros, parts_ppm, bytes_read;
	int64_t sure, marked;
	bool tainted;
	struct ga_texts slots;
	struct ga_ints counts;
	struct part *nvme;
	GA_LIST(struct part) blockers;
	json_t *detail;
};
static const struct ga_schema whole = {
	.kind = "gpuaas.whole/1",
	.size = sizeof(struct whole),
	.fields = (const struct ga_field[]){
		GA_FIELD(whole, state, GA_F_TEXT, GA_REQ, .values = words, .beside = "marked",
			 .doc = "state"),
		GA_FIELD(whole, marked, GA_F_TRI, GA_OPT, .doc = "beside the state"),
		GA_TEXT(whole, since, GA_NULLOK, GA_T_TIME, "time"),
		GA_TEXT(whole, actor, GA_NULLOK, GA_T_ANY, "person"),
		GA_TEXT(whole, note, GA_NULLOK, GA_T_ANY, "text"),
		GA_TEXT(whole, cordon, GA_NULLOK, GA_T_ANY, "reasons of people"),
		GA_COUNT(whole, count, GA_NULLOK, "number"),
		GA_MIB(whole, memory_mib, GA_NULLOK, "MiB"),
		GA_SECONDS(whole, hold_seconds, GA_NULLOK, "seconds"),
		GA_AMOUNT(whole, elapsed_micros, GA_NULLOK, "microseconds"),
		GA_COUNT(whole, parts_ppm, GA_NULLOK, "parts"),
		GA_BYTES(whole, bytes_read, GA_NULLOK, "bytes"),
		GA_TRI(whole, sure, "tristate"),
		GA_BOOL(whole, tainted, "truth value"),
		GA_TEXTS(whole, slots, GA_REQ, GA_T_ID, "texts"),
		GA_COUNTS(whole, counts, GA_REQ, "numbers"),
		GA_OBJ(whole, nvme, GA_NULLOK, &part, "part"),
		GA_LISTOF(whole, blockers, &part, "parts"),
		GA_JSON(whole, detail, GA_REQ, "members that the schema does not know"),
		GA_FIELDS_END,
	},
};

static const char record[] =
	"{\"kind\":\"gpuaas.whole/1\",\"state\":\"wiping\",\"marked\":true,"
	"\"since\":\"2026-11-25T03:56:13.250000Z\","
	"\"actor\":\"root(0) via sudo\",\"note\":\"one, two \\\"three\\\"\","
	"\"cordon\":\"fan; rootkit\",\"count\":4,"
	"\"memory_mib\":65536,\"hold_seconds\":7200,\"elapsed_micros\":90000000,"
	"\"parts_ppm\":123400,\"bytes_read\":8000000,\"sure\":null,"
	"\"tainted\":true,\"slots\":[\"aaaaaaaa\",\"bbbbbbbb\"],\"counts\":[1,8],"
	"\"nvme\":{\"code\":null,\"size_bytes\":1000},"
	"\"blockers\":[{\"code\":\"one\",\"size_bytes\":null},"
	"{\"code\":\"two\",\"size_bytes\":5}],"
	"\"detail\":{\"reason\":\"bad fan\",\"n\":4,\"on\":true,\"to\":null,"
	"\"of\":{\"k\":[\"a\",\"b\"],\"none\":[]}}}";

/* The time at which durations end. */
#define NOW INT64_C(1795680000000000) /* 2026-11-26T08:00:00Z */

static const struct {
	const char *condition;
	bool matches;
} cases[] = {
	{ "detail.reason=bad fan", true }, { "detail.reason=bad", false },
	{ "detail.reason!=bad", true },	   { "detail.n=4", true },
	{ "detail.n=5", false },	   { "detail.on=true", true },
	{ "detail.on=no", false },	   { "detail.to=null", true },
	{ "detail.reason=null", false },   { "detail.missing=null", true },
	{ "detail.missing=x", false },	   { "detail.missing.x!=y", true },
	{ "detail.of.k=b", true },	   { "detail.of.k=c", false },
	{ "detail.of.none=null", true },   { "detail.of=x", false },
	{ "state=wiping", true },	   { "state=active", false },
	{ "state=active,wiping", true },   { "state!=active", true },
	{ "state!=active,wiping", false }, { "state=\"wiping\"", true },
	/* what a table prints stands for all that it prints alike */
	{ "since=2026-11-25T03:56:13.250000Z", true },
	{ "since=2026-11-25T03:56:13.250001Z", false },
	{ "since=2026-11-25 03:56:13Z", true },
	{ "since=2026-11-25", true },	{ "since=2026-11", true },
	{ "since!=2026-11-25", false },	{ "since>2026-11-25", false },
	{ "since>=2026-11-25", true },	{ "since<2026-11-25", false },
	{ "since<=2026-11-25", true },	{ "since<2026-11-26", true },
	{ "since>2026-11-24", true },	{ "since>2026-11-25 03:56:13Z", false },
	{ "since>2026-11-25 03:56:12Z", true },
	{ "since>24h", false },		{ "since>48h", true },
	{ "since<24h", true },		{ "since=null", false },
	{ "since!=null", true },
	/* people */
	{ "actor=root", true },		{ "actor=root(0) via sudo", true },
	{ "actor=roo", false },		{ "actor=root(0)", false },
	/* texts with commas and quotes */
	{ "note=\"one, two \"\"three\"\"\"", true },
	{ "note=one, two", false },	{ "note=x,\"one, two \"\"three\"\"\"", true },
	{ "note=null", false },		{ "note=\"null\"", false },
	/* each reason of several people, and the whole */
	{ "cordon=rootkit", true },	{ "cordon=fan", true },
	{ "cordon=fan; rootkit", true }, { "cordon=root", false },
	{ "cordon!=rootkit", false },	{ "cordon!=fan", false },
	{ "cordon!=disk", true },	{ "cordon=disk,fan", true },
	{ "cordon=null", false },
	/* numbers, also with the unit of the member */
	{ "count=4", true },		{ "count=2,4", true },
	{ "count!=4", false },		{ "count>3", true },
	{ "count>4", false },		{ "count>=4", true },
	{ "count<4", false },		{ "count<=4", true },
	{ "count=null", false },	{ "count=-4", false },
	{ "memory_mib=64G", true },	{ "memory_mib=65536", true },
	{ "memory_mib>32GiB", true },	{ "memory_mib>64G", false },
	{ "memory_mib>=64G", true },	{ "memory_mib<64G", false },
	{ "hold_seconds=2h", true },	{ "hold_seconds<1h", false },
	{ "elapsed_micros>1m", true },	{ "elapsed_micros>2m", false },
	{ "elapsed_micros>105ms", true }, { "elapsed_micros<1.5s", false },
	{ "memory_mib=64 GiB", true },	{ "memory_mib=64.0 GiB", true },
	{ "memory_mib=63 GiB", false },	{ "memory_mib!=64 GiB", false },
	{ "memory_mib>63.9 GiB", true }, { "memory_mib>64 GiB", false },
	{ "elapsed_micros=1m30s", true }, { "elapsed_micros=90s", true },
	{ "elapsed_micros=91s", false }, { "elapsed_micros>90s", false },
	{ "elapsed_micros>=90s", true }, { "elapsed_micros=<1ms", false },
	{ "parts_ppm=12.3%", true },	{ "parts_ppm=12%", false },
	{ "parts_ppm>12%", true },	{ "parts_ppm=12.4%", false },
	{ "bytes_read=7.6 MiB", true },	{ "bytes_read=7.7 MiB", false },
	{ "bytes_read>1MiB", true },	{ "bytes_read=8M", false },
	{ "nvme.size_bytes=1000", true }, { "nvme.size_bytes<1K", true },
	/* truth values */
	{ "tainted=true", true },	{ "tainted=yes", true },
	{ "tainted=no", false },	{ "tainted!=false", true },
	{ "sure=null", true },		{ "sure=true", false },
	{ "sure!=true", true },		{ "sure=yes,null", true },
	/* any element; of != none */
	{ "slots=bbbbbbbb", true },	{ "slots=cccccccc", false },
	{ "slots!=bbbbbbbb", false },	{ "slots!=cccccccc", true },
	{ "counts=8", true },		{ "counts>7", true },
	{ "counts>8", false },		{ "slots=null", false },
	{ "blockers.code=two", true },	{ "blockers.code=three,two", true },
	{ "blockers.code!=two", false }, { "blockers.size_bytes=null", true },
	{ "blockers=null", false },	{ "nvme=null", false },
	{ "nvme!=null", true },		{ "nvme.code=null", true },
	/* as a table shows them */
	{ "blockers=one,two", true },	{ "blockers=two", true },
	{ "blockers=three", false },	{ "blockers!=three", true },
	{ "blockers!=two", false },	{ "blockers=-", false },
	{ "blockers!=-", true },	{ "nvme.code=-", true },
	{ "sure=-", true },		{ "since=-", false },
	{ "note=\"-\"", false },
	{ "state=wiping, marked", true },  { "state=active, marked", false },
	{ "state=marked", true },	   { "state!=marked", false },
	{ "state!=active, marked", true }, { "state!=wiping, marked", false },
	{ "state=active,marked", true },   { "marked=yes", true },
};

static const struct {
	const char *condition, *sentence, *hint;
} refused[] = {
	{ "state=avilable", "'avilable' is never the value of 'state'",
	  "near to it: 'available'; it is one of available, active, wiping, cleanup_blocked" },
	{ "state=Active", "'Active' is never the value", "near to it: 'active'" },
	{ "state=wiping,activ", "'activ' is never the value", "near to it: 'active'" },
	{ "state!=nothing", "'nothing' is never", "it is one of" },
	{ "state=null,whiping", "'whiping' is never", "near to it: 'wiping'" },
	{ "state=markd", "'markd' is never the value", "near to it: 'marked'" },
	{ "state=wiping, active", "' active' is never the value", "near to it: 'active'" },
	{ "state=null, marked", "' marked' is never the value", "near to it: 'marked'" },
	{ "sate=active", "'sate' is no member of gpuaas.whole/1", "near to it: 'state', " },
	{ "nvme.codes=x", "'nvme.codes' is no member", "its members: code size_bytes" },
	{ "state.x=1", "'state.x' is no member", "" },
	{ "count=two", "'two' is no number, and 'count' has numbers", "" },
	{ "count=2G", "'2G' is no number", "" },
	{ "memory_mib>much", "'much' is no number, and 'memory_mib'", "also with a unit: 512M" },
	{ "hold_seconds=2x", "'2x' is no number", "also with a unit: 90s" },
	{ "tainted=maybe", "'maybe' is never the value of 'tainted': it is true or false", "" },
	{ "sure=1", "it is true or false, or null", "" },
	{ "since>yesterday", "'since'", "" },
	{ "state>active", "'>' compares numbers and times, and 'state' has none", "" },
	{ "note<=x", "'<=' compares numbers and times", "" },
	{ "tainted>false", "'>' compares numbers and times", "" },
	{ "count>null", "nothing is more or less than null", "" },
	{ "detail=x", "'detail' has members and no value of its own", "'detail.NAME' is one" },
	{ "detail.n>3", "'>' compares numbers and times, and 'detail' has none", "" },
	{ "nvme=x", "'nvme' has members and no value of its own", "'nvme.code' is one" },
	{ "memory_mib=64.0 QiB", "'64.0 QiB' is no number", "'8.0 MiB'" },
	{ "parts_ppm=x%", "'x%' is no number", "also with a unit: 5%, 0.2%" },
	{ "state", "'state' is not MEMBER=VALUE", "MEMBER!=VALUE" },
	{ "=x", "is not MEMBER=VALUE", "" },
	{ "", "is not MEMBER=VALUE", "" },
	{ "state=", "a value is empty", "" },
	{ "state=active,", "a value is empty", "" },
	{ "state=,active", "a value is empty", "" },
	{ "note=\"open", "ends with one", "" },
	{ "note=\"one\"two", "ends with one", "" },
	{ "state!active", "'state!active' is not MEMBER=VALUE", "" },
};

int main(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct whole w = { 0 };
	json_error_t why;
	ga_autojson json_t *json = json_loads(record, 0, &why);
	size_t i;

	t_int(ga_schema_parse(&whole, json, &w, &err), 0, "the record: %s", err.msg);
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_where c;

		ga_err_clear(&err);
		t_int(ga_where_parse(&whole, cases[i].condition, NOW, &c, &err), 0, "%s: %s",
		      cases[i].condition, err.msg);
		if (!err.code)
			t_int(ga_where_matches(&whole, &w, &c), cases[i].matches, "%s",
			      cases[i].condition);
		ga_where_release(&c);
	}
	for (i = 0; i < GA_ARRAY_SIZE(refused); i++) {
		struct ga_where c;

		ga_err_clear(&err);
		t_code(ga_where_parse(&whole, refused[i].condition, NOW, &c, &err), &err, GA_USAGE,
		       refused[i].sentence, "%s", refused[i].condition);
		t_ok(strstr(err.hint, refused[i].hint) != NULL, "%s: the hint is: %s",
		     refused[i].condition, err.hint);
		t_ok(!c.path && !c.values.n, "%s leaves nothing", refused[i].condition);
	}
	ga_schema_release(&whole, &w);
	return t_done();
}
