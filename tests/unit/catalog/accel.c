/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types: the built-in one, a file of the user, and bad files. */
#include "t.h"

#include <unistd.h>

#include "base/file.h"
#include "catalog/accel.h"

static void built_in(void)
{
	static const struct {
		unsigned int vendor, device;
		int64_t sub_vendor, sub_device;
		enum ga_accel_match match;
		const char *slug, *name;
	} cases[] = {
		{ 0x10de, 0x2335, 0x10de, 0x18be, GA_ACCEL_KNOWN, "nvidia-h200-141gb",
		  "NVIDIA H200 141GB" },
		/* A subsystem nobody listed: the device id is of one type only. */
		{ 0x10de, 0x2335, 0x15d9, 0x1234, GA_ACCEL_KNOWN, "nvidia-h200-141gb",
		  "NVIDIA H200 141GB" },
		{ 0x10de, 0x2335, -1, -1, GA_ACCEL_KNOWN, "nvidia-h200-141gb",
		  "NVIDIA H200 141GB" },
		{ 0x1002, 0x74a1, 0x1002, 0x74a1, GA_ACCEL_KNOWN, "amd-mi300x-192gb",
		  "AMD Instinct MI300X 192GB" },
		/* One id, two types: the subsystem settles it, and nothing else does. */
		{ 0x10de, 0x25b6, 0x10de, 0x157e, GA_ACCEL_KNOWN, "nvidia-a2-16gb",
		  "NVIDIA A2 16GB" },
		{ 0x10de, 0x25b6, 0x10de, 0x14a9, GA_ACCEL_KNOWN, "nvidia-a16-16gb",
		  "NVIDIA A16 16GB" },
		{ 0x10de, 0x25b6, 0x10de, 0xffff, GA_ACCEL_AMBIGUOUS, NULL,
		  "NVIDIA A16 16GB or NVIDIA A2 16GB (10de:25b6)" },
		{ 0x10de, 0x25b6, -1, -1, GA_ACCEL_AMBIGUOUS, NULL,
		  "NVIDIA A16 16GB or NVIDIA A2 16GB (10de:25b6)" },
		{ 0x10de, 0x293d, 0x10de, 1, GA_ACCEL_UNKNOWN, NULL, "type unknown (10de:293d)" },
		{ 0x8086, 0x4680, -1, -1, GA_ACCEL_UNKNOWN, NULL, "type unknown (8086:4680)" },
		{ 0, 0, 0, 0, GA_ACCEL_UNKNOWN, NULL, "type unknown (0000:0000)" },
	};
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	t_int(ga_accels_open(NULL, &list, &err), 0, "the built-in catalogue reads: %s", err.msg);
	for (i = 0; list && i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_accel a;

		ga_accels_find(list, cases[i].vendor, cases[i].device, cases[i].sub_vendor,
			       cases[i].sub_device, &a);
		t_int(a.match, cases[i].match, "%zu: match", i);
		t_str(a.slug, cases[i].slug, "%zu: slug", i);
		t_str(a.name, cases[i].name, "%zu: name", i);
		ga_accel_release(&a);
	}
	t_ok(list && ga_accels_has(list, 0x10de, 0x2335), "10de:2335 is listed");
	t_ok(list && !ga_accels_has(list, 0x10de, 0x293d), "10de:293d is not");
}

#define BOARD(list, id) \
	"{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\"," \
	"\"pci\":[{\"device_id\":\"293d\",\"" list "\":[{\"id\":\"" id "\"}]}]}]}"

static void files(void)
{
	static const struct {
		const char *text, *message; /* message NULL: reads */
	} cases[] = {
		{ "{\"accelerators\":[]}", NULL },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":null}]}", NULL },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"pci\":[{\"device_id\":\"293d\"}]}]}", NULL },
		{ "", "not JSON" },
		{ "[]", "no array 'accelerators'" },
		{ "{\"accelerators\":{}}", "no array 'accelerators'" },
		{ "{\"accelerators\":[{\"name\":\"X\"}]}", "'slug' and 'name'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10DE\"}]}",
		  "accelerator 'x': member 'vendor_id'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"pci\":[{\"device_id\":\"0x29\"}]}]}", "member 'pci[0].device_id'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"memory\":{\"nominal_gb\":1000000}}]}", NULL },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"memory\":{\"nominal_gb\":1000001}}]}", "member 'memory.nominal_gb'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"memory\":{\"gpu_gb\":9007199254740991}}]}", "member 'memory.gpu_gb'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\",\"vendor_id\":\"10de\","
		  "\"gpus_per_card\":9007199254740991}]}", "member 'gpus_per_card'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\","
		  "\"gpus_per_card\":0}]}", "member 'gpus_per_card' is 0" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\","
		  "\"power\":{\"tdp_w\":100001}}]}", "member 'power.tdp_w'" },
		{ "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"X\","
		  "\"pci\":[{\"device_id\":\"293d\"}]}]}", "PCI ids and no 'vendor_id'" },
		{ BOARD("subsystems", "10de:18be"), NULL },
		{ BOARD("subsystems", "10de:18bg"), "subsystem '10de:18bg'" },
		{ BOARD("subsystems", "10DE:18be"), "subsystem '10DE:18be'" },
		{ BOARD("other_subsystems", "10de-18be"), "subsystem '10de-18be'" },
		{ BOARD("vgpu_subsystems", "10de:18be0"), "subsystem '10de:18be0'" },
	};
	char path[] = "/tmp/ga-accel.XXXXXX";
	int fd = mkstemp(path);
	size_t i;

	for (i = 0; fd >= 0 && i < GA_ARRAY_SIZE(cases); i++) {
		ga_autoaccels struct ga_accels *list = NULL;
		struct ga_err err = GA_ERR_INIT;
		int r = ftruncate(fd, 0);

		if (!r && lseek(fd, 0, SEEK_SET) == 0)
			r = ga_write_all(fd, cases[i].text, strlen(cases[i].text));
		t_int(r, 0, "%zu: written", i);
		r = ga_accels_open(path, &list, &err);
		if (cases[i].message)
			t_code(r, &err, GA_BADREC, cases[i].message, "%zu: %s", i,
			       cases[i].message);
		else
			t_int(r, 0, "%zu: reads", i);
	}
	if (fd >= 0) {
		struct ga_accels *list = NULL;
		struct ga_err err = GA_ERR_INIT;

		close(fd);
		unlink(path);
		t_code(ga_accels_open(path, &list, &err), &err, GA_NOTFOUND, path, "no such file");
	}
}

/* A file of one's own, opened. */
static struct ga_accels *opened(const char *text)
{
	char path[] = "/tmp/ga-accel.XXXXXX";
	struct ga_err err = GA_ERR_INIT;
	struct ga_accels *list = NULL;
	int fd = mkstemp(path), r = fd < 0 ? -1 : ga_write_all(fd, text, strlen(text));

	if (r == 0)
		r = ga_accels_open(path, &list, &err);
	t_int(r, 0, "a catalogue of one's own: %s", err.msg);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return list;
}

#define TYPE(slug, name, pci, more) \
	"{\"slug\":\"" slug "\",\"name\":\"" name "\",\"vendor_id\":\"1abc\"," \
	"\"pci\":[" pci "]" more "}"
#define ID(id, more) "{\"device_id\":\"" id "\"" more "}"
#define REV(list) ",\"revisions\":[" list "]"
#define OPEN ",\"ambiguous\":\"why\""
#define GB(n) ",\"memory\":{\"nominal_gb\":" #n "}"

/* A type may list an id several times, by revision: it is one type all the same. */
static void repeated(void)
{
	static const struct {
		unsigned int device;
		int64_t revision, memory_mib;
		const char *slug, *rung, *name;
	} cases[] = {
		{ 2, 0xa1, -1, "x1", "pci", "X1" },
		{ 2, 0xb1, -1, "x1", "pci", "X1" },
		{ 2, -1, -1, "x1", "pci", "X1" },
		{ 2, 0xc1, -1, NULL, "none", "type unknown (1abc:0002 revision c1)" },
		/* The id alone leaves it open, one of its revisions does not. */
		{ 3, 0xa1, -1, "x2", "pci", "X2" },
		{ 3, -1, -1, NULL, "none", "X2 or another (1abc:0003)" },
		/* Two types, each with two revisions. */
		{ 4, 0xa1, -1, "x3", "pci", "X3" },
		{ 4, 0xb2, -1, "x4", "pci", "X4" },
		{ 4, -1, -1, NULL, "none", "X3 or X4 (1abc:0004)" },
		{ 4, -1, 65536, "x4", "memory", "X4" },
		{ 4, -1, 1024, NULL, "none", "X3 or X4 (1abc:0004)" },
		/* The same twice, which the check tells. */
		{ 5, 0xa1, -1, "x5", "pci", "X5" },
		{ 5, -1, -1, "x5", "pci", "X5" },
		/* One revision settles what the others leave open. */
		{ 6, 0xa1, -1, "x6", "pci", "X6" },
		{ 6, 0xb1, -1, NULL, "none", "X6 or another (1abc:0006)" },
	};
	ga_autoaccels struct ga_accels *list = opened(
		"{\"accelerators\":["
		TYPE("x1", "X1", ID("0002", REV("\"a1\"")) "," ID("0002", REV("\"b1\"")), "") ","
		TYPE("x2", "X2", ID("0003", REV("\"a1\"") OPEN) "," ID("0003", REV("\"b1\"")), "")
		","
		TYPE("x3", "X3", ID("0004", REV("\"a1\"")) "," ID("0004", REV("\"b1\"")), GB(32))
		","
		TYPE("x4", "X4", ID("0004", REV("\"a2\"")) "," ID("0004", REV("\"b2\"")), GB(64))
		"," TYPE("x5", "X5", ID("0005", "") "," ID("0005", ""), "") ","
		TYPE("x6", "X6", ID("0006", OPEN) "," ID("0006", REV("\"a1\"")), "") "]}");
	size_t i;

	for (i = 0; list && i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_accel_clue c = { 0x1abc,
					   cases[i].device,
					   GA_UNKNOWN,
					   GA_UNKNOWN,
					   cases[i].revision < 0 ? GA_UNKNOWN : cases[i].revision,
					   GA_UNKNOWN,
					   cases[i].memory_mib < 0 ? GA_UNKNOWN :
								     cases[i].memory_mib,
					   GA_UNKNOWN };
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

		ga_accels_detect(list, &c, &a);
		t_str(a.slug, cases[i].slug, "repeated id %zu", i);
		t_str(a.rung, cases[i].rung, "repeated id %zu: rung", i);
		t_str(a.name, cases[i].name, "repeated id %zu: name", i);
	}
}

/* Findings of one check, "object: sentence" a line. */
static int keep_pci(const char *object, const char *check, const char *sentence, void *arg)
{
	if (!strcmp(check, "pci"))
		ga_str_addf(arg, "%s: %s\n", object, sentence);
	return 0;
}

static void checked(void)
{
	static const struct {
		const char *pci, *want;
	} cases[] = {
		{ ID("0002", REV("\"a1\"")) "," ID("0002", REV("\"b1\"")), "" },
		{ ID("0002", "") "," ID("0003", ""), "" },
		{ ID("0002", "") "," ID("0002", REV("\"b1\"")), "" },
		{ ID("0002", "") "," ID("0002", ""), "x: 1abc:0002 is there twice\n" },
		{ ID("0002", REV("\"a1\",\"a2\"")) "," ID("0003", "") ","
		  ID("0002", REV("\"b1\",\"a2\"")), "x: 1abc:0002 revision a2 is there twice\n" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text =
			ga_xprintf("{\"accelerators\":[" TYPE("x", "X", "%s", "") "]}",
				   cases[i].pci);
		ga_autoaccels struct ga_accels *list = opened(text);
		ga_autostr struct ga_str out = GA_STR_INIT;

		ga_str_clear(&out);
		if (list)
			(void)ga_accels_check(list, keep_pci, &out);
		t_str(out.buf, cases[i].want, "the check of ids %zu", i);
	}
}

int main(void)
{
	built_in();
	repeated();
	checked();
	files();
	return t_done();
}
