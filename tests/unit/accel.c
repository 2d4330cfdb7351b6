/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types: the built-in one, a file of one's own, and bad files. */
#include "t.h"

#include <unistd.h>

#include "accel.h"
#include "file.h"

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

int main(void)
{
	built_in();
	files();
	return t_done();
}
