/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what the tuning of a host is for, for a record of it (decide/setup/tuning.h). Nothing
 * stays on the host: the file has no name while it is written, and the network exists only in
 * network namespaces of two child processes.
 */
#ifndef GA_ACT_SETUP_MEASURE_H
#define GA_ACT_SETUP_MEASURE_H

#include "record/boot.h"

#define GA_MEASURE_BYTES (INT64_C(256) << 20) /* of each run of clone and read_back */
#define GA_MEASURE_RUNS 3

/*
 * Adds the rates clone and read_back to the record: GA_MEASURE_RUNS times a clone (act/image) of
 * GA_MEASURE_BYTES in memory to a file, with chunk digests, direct I/O and fsync, and as often a
 * read-back (act/device) of it. The file never has a name. It lies in folder; NULL: in images, or
 * in the nearest folder above it that exists. A rate that cannot be measured is added with the
 * reason. GA_SYSTEM or GA_DENIED when the folder cannot be opened or the file cannot be made,
 * GA_BUSY when a signal asked to stop.
 */
GA_MUST_CHECK int ga_measure_disk(const char *folder, const char *images, struct ga_tuning *t,
				  struct ga_err *err);

/*
 * Adds the rate network: GA_MEASURE_RUNS times one TCP connection for half a second between two
 * network namespaces that a pair of veth devices connects. It shows the kernel's TCP with its
 * buffers and no adapter. Needs root and ip(8); a rate that cannot be measured is added with the
 * reason. GA_BUSY when a signal asked to stop.
 */
GA_MUST_CHECK int ga_measure_network(struct ga_tuning *t, struct ga_err *err);

#endif
