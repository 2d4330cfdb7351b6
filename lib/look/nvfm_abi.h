/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the binary interface of libnvfm.so.1 that is used: facts from NVIDIA's nv_fm_types.h
 * (as in go-nvfm), written independently. tests/fake/libnvfm.c implements the same interface.
 */
#ifndef GA_LOOK_NVFM_ABI_H
#define GA_LOOK_NVFM_ABI_H

#define GA_NVFM_VERSION(type, n) ((unsigned int)(sizeof(type) | (n) << 24))

enum {
	GA_NVFM_GPUS = 16,
	GA_NVFM_PARTITIONS = 64,
};

enum ga_nvfm_code {
	GA_NVFM_OK = 0,
	GA_NVFM_BADPARAM = -1,
	GA_NVFM_GENERIC = -2,
	GA_NVFM_NOT_SUPPORTED = -3,
	GA_NVFM_UNINITIALIZED = -4,
	GA_NVFM_TIMEOUT = -5,
	GA_NVFM_VERSION_MISMATCH = -6,
	GA_NVFM_IN_USE = -7,
	GA_NVFM_NOT_CONFIGURED = -8,
	GA_NVFM_CONNECTION = -9,
	GA_NVFM_NVLINK = -10,
	GA_NVFM_RESOURCE_BAD = -11,
	GA_NVFM_RESOURCE_IN_USE = -12,
	GA_NVFM_RESOURCE_NOT_IN_USE = -13,
	GA_NVFM_RESOURCE_EXHAUSTED = -14,
	GA_NVFM_RESOURCE_NOT_READY = -15,
	GA_NVFM_PARTITION_EXISTS = -16,
	GA_NVFM_PARTITION_IN_USE = -17,
	GA_NVFM_PARTITION_NOT_IN_USE = -18,
	GA_NVFM_NOT_READY = -22,
	GA_NVFM_USED_HERE = -23,
	GA_NVFM_USED_ELSEWHERE = -24,
};

enum { GA_NVFM_INET = 1, GA_NVFM_UNIX = 2 };

struct ga_nvfm_connect_v1 {
	unsigned int version;
	char address[256]; /* "host:port", or the path of a socket */
	unsigned int timeout_ms;
	unsigned int is_unix;
};

struct ga_nvfm_connect_v2 {
	unsigned int version;
	char address[256];
	unsigned int timeout_ms;
	unsigned int is_unix;
	unsigned int address_type;
};

struct ga_nvfm_gpu_info {
	unsigned int physical_id; /* the GPU's module id */
	char uuid[80];
	char pci_bus_id[32]; /* empty or zero when Fabric Manager does not see the GPUs */
	unsigned int links_available, links_max, line_rate_mbps;
};

struct ga_nvfm_partition_info {
	unsigned int id, active, n_gpus;
	struct ga_nvfm_gpu_info gpu[GA_NVFM_GPUS];
};

struct ga_nvfm_list {
	unsigned int version; /* GA_NVFM_VERSION(struct ga_nvfm_list, 1) */
	unsigned int n, max;
	struct ga_nvfm_partition_info partition[GA_NVFM_PARTITIONS];
};

_Static_assert(sizeof(struct ga_nvfm_connect_v1) == 268, "fmConnectParams_v1");
_Static_assert(sizeof(struct ga_nvfm_connect_v2) == 272, "fmConnectParams_v2");
_Static_assert(sizeof(struct ga_nvfm_gpu_info) == 128, "fmFabricPartitionGpuInfo_t");
_Static_assert(sizeof(struct ga_nvfm_partition_info) == 2060, "fmFabricPartitionInfo_t");
_Static_assert(sizeof(struct ga_nvfm_list) == 131852, "fmFabricPartitionList_v2");

#endif
