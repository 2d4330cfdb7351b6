/* SPDX-License-Identifier: Apache-2.0 */
/* The facts from which a plan is made, read from the machine or from the files of an image. Reads
 * only. */
#ifndef GA_LOOK_SETUP_LOOK_H
#define GA_LOOK_SETUP_LOOK_H

#include "base/rootfile.h"
#include "decide/setup/bootstrap.h"
#include "look/pci.h"
#include "look/rdma.h"

/* Fills facts; the caller has set their settings (baremetal, rooted, boot, network …).
 * accelerators: catalogue file or NULL. Processes that have a device open are not looked for:
 * act/setup adds them. */
GA_MUST_CHECK int ga_setup_look(const struct ga_root *root, const char *accelerators,
				struct ga_setup_facts *facts, struct ga_err *err);
/* Adds what only a record of the tuning has: governor, transparent huge pages, reserved pages. */
void ga_setup_look_tuning(struct ga_setup_facts *facts);
/* The file system of an open file, "ext4 on /dev/vda1", allocated; NULL when it is not known. */
char *ga_setup_file_system(int fd);
/* A setting of the running kernel ("vm.swappiness"), its parts separated by one blank, allocated;
 * NULL when the kernel has no such setting. */
char *ga_setup_sysctl(const char *key);
/* The file of a kernel setting, allocated. */
char *ga_setup_sysctl_path(const char *key);
/* Adds our tags, as MAAS or another deployer of the machine left them: words of /etc/gpuaas/tags,
 * words of the kernel's arguments, and "tags" of cloud-init's instance data. */
void ga_setup_tags(const struct ga_root *root, struct ga_texts *tags);
/* Adds the settings that firmware and adapters show, with the vendor's command where one is
 * missing. */
GA_MUST_CHECK int ga_setup_firmware(struct ga_prereqs *prereqs, struct ga_err *err);

#endif
