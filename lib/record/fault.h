/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words with which hosts report devices that do not work, disks that are not clean and hosts
 * that are not trusted. The state judges the health of slots by these words
 * (decide/slot/health.h), or decides what becomes of a slot, so the program that writes a word and
 * the program that reads it both take it from here. Records have no member for the device, and
 * steps have none for a code, so the reader takes them from the sentence, by two rules:
 *
 * - A sentence quotes its device, as base/err.h requires: by its address or wwid, or by its path in
 *   sysfs. A sentence mentions any other device without quotes.
 * - A record written before its code was added here reports no fault.
 */
#ifndef GA_RECORD_FAULT_H
#define GA_RECORD_FAULT_H

/* ---- codes ---- */

/* Codes of gpuaas.failure/1, in a phase that checks devices or makes them ready. */
#define GA_FAULT_MISSING_GPU "missing_gpu" /* a function is not on the bus */
#define GA_FAULT_MISSING_FABRIC_VF "missing_fabric_vf"
#define GA_FAULT_MISSING_NVME "missing_nvme"
#define GA_FAULT_NOT_ANSWERING "gpu_not_answering"
#define GA_FAULT_LOST "device_lost"
#define GA_FAULT_RESET_FAILED "reset_failed"
#define GA_FAULT_NO_RESET "gpu_no_reset"
#define GA_FAULT_HEALTH "health_failed"

#define GA_FAULTS_OF_FAILURES \
	GA_FAULT_MISSING_GPU, GA_FAULT_MISSING_FABRIC_VF, GA_FAULT_MISSING_NVME, \
		GA_FAULT_NOT_ANSWERING, GA_FAULT_LOST, GA_FAULT_RESET_FAILED, GA_FAULT_NO_RESET, \
		GA_FAULT_HEALTH

/* Codes of gpuaas.failure/1 that take slots out of sale, and are no fault of a device. */
#define GA_FAULT_NOT_WIPED "not_wiped" /* a disk that counts as wiped in the state */
#define GA_FAULT_NVME_SIGNATURE "nvme_signature" /* data; also begins the detail of the guard */
#define GA_FAULT_UNTRUSTED_HOST "untrusted_host" /* nothing proves its image after baremetal */

/* If the drive is at fault, the reason of wipe evidence begins with one of these and a colon. */
#define GA_FAULT_PURGE_FAILED "purge_failed"
#define GA_FAULT_PURGE_UNKNOWN "purge_unknown"
#define GA_FAULT_MARKERS_SURVIVE "markers_survive"
#define GA_FAULT_MARKER_LOST "marker_lost"
#define GA_FAULT_NOT_ZERO "not_zero"
#define GA_FAULT_WIPE_FAILED "wipe_failed" /* from decide/wipe/judge.h: markers are unreadable */
#define GA_FAULT_DISK_READ "disk_read_failed"
#define GA_FAULT_DISK_WRITE "disk_write_failed"

#define GA_FAULTS_OF_WIPES \
	GA_FAULT_PURGE_FAILED, GA_FAULT_PURGE_UNKNOWN, GA_FAULT_MARKERS_SURVIVE, \
		GA_FAULT_MARKER_LOST, GA_FAULT_NOT_ZERO, GA_FAULT_WIPE_FAILED, \
		GA_FAULT_DISK_READ, GA_FAULT_DISK_WRITE

/* ---- parts of sentences ---- */

/* If a step fails because a process uses the device, its detail begins with one of these: the
 * device is not faulty. */
#define GA_SAID_USED_BY "process "
#define GA_SAID_USED_UNSEEN "a process that cannot be seen "

/* The device is gone or hangs: as a rule only a cold start (power off and on) restores it. */
#define GA_SAID_NO_ANSWER " does not answer "
#define GA_SAID_NO_FUNCTION "there is no PCI function "
#define GA_SAID_NOT_THERE "GPU of slot " /* 'S' is not at 'ADDRESS' */
#define GA_SAID_CANNOT_RESET "cannot reset "
#define GA_SAID_NO_RETURN "the kernel did not return from writing "

/* The GPU may still answer, but it needs a kernel or firmware that can reset it. */
#define GA_SAID_NO_RESET "the kernel has no way to reset "

#define GA_SAID_OF_LOOKS \
	GA_SAID_NO_ANSWER, GA_SAID_NO_FUNCTION, GA_SAID_NOT_THERE, GA_SAID_CANNOT_RESET, \
		GA_SAID_NO_RETURN, GA_SAID_NO_RESET

#endif
