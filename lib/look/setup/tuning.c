/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that only a record of the tuning has. */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "look/setup/look.h"
#include "look/sys.h"

#define CPUFREQ "/sys/devices/system/cpu/cpufreq"
#define PAGES "/sys/kernel/mm/hugepages"

static void look_governor(struct ga_setup_facts *f)
{
	ga_autotexts struct ga_texts policies = { 0 }, seen = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	ga_sys_list(CPUFREQ, &policies);
	for (i = 0; i < policies.n; i++) {
		ga_autofree char *dir = ga_xprintf(CPUFREQ "/%s", policies.v[i]);
		ga_autofree char *governor = ga_sys_attr(dir, "scaling_governor");

		if (!governor || ga_texts_has(&seen, governor))
			continue;
		ga_texts_add(&seen, governor);
		ga_str_addf(&text, "%s%s", text.len ? "," : "", governor);
	}
	if (text.len)
		f->governor = ga_str_take(&text);
}

/* The kernel shows all words, the one in force in brackets. */
static void look_thp(struct ga_setup_facts *f)
{
	ga_autofree char *words = ga_sys_attr("/sys/kernel/mm/transparent_hugepage", "enabled");
	const char *at = words ? strchr(words, '[') : NULL;

	if (at)
		f->thp = ga_xstrndup(at + 1, strcspn(at + 1, "]"));
}

static void look_pages(struct ga_setup_facts *f)
{
	static const int64_t sizes_kib[] = { 1 << 20, 2048 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(sizes_kib); i++) {
		ga_autofree char *dir = ga_xprintf(PAGES "/hugepages-%lldkB",
						   (long long)sizes_kib[i]);
		int64_t n = ga_sys_attr_int(dir, "nr_hugepages");

		if (n != GA_UNKNOWN)
			*ga_list_add(&f->pages) = (struct ga_setup_pages){ sizes_kib[i], n };
	}
}

void ga_setup_look_tuning(struct ga_setup_facts *f)
{
	look_governor(f);
	look_thp(f);
	look_pages(f);
}

/* A line of mountinfo (proc(5)): "36 35 98:0 /root /where opts [fields] - type source opts". */
char *ga_setup_file_system(int fd)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *number = NULL;
	char *rest, *line;
	struct stat st;

	if (fstat(fd, &st) < 0 ||
	    ga_file_read("/proc/self/mountinfo", 4 << 20, &text, &ignored) < 0)
		return NULL;
	number = ga_xprintf("%u:%u", major(st.st_dev), minor(st.st_dev));
	rest = text.buf;
	while ((line = strsep(&rest, "\n"))) {
		char *tail = strstr(line, " - "), *type, *source;

		if (!tail || !strsep(&line, " ") || !line || !strsep(&line, " ") || !line ||
		    !ga_streq(strsep(&line, " "), number))
			continue;
		tail += 3;
		type = strsep(&tail, " ");
		source = tail ? strsep(&tail, " ") : NULL;
		return ga_sys_tidy(ga_xprintf("%s on %s", type, source ? source : "?"));
	}
	return NULL;
}
