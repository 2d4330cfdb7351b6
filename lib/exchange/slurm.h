/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines for Slurm's slurm.conf and gres.conf (their manual pages, 22.05). Slurm has no quoting for
 * names: the caller must refuse a name that is not safe, and never write it.
 */
#ifndef GA_EXCHANGE_SLURM_H
#define GA_EXCHANGE_SLURM_H

#include "base/str.h"
#include "record/accel.h"

/* Whether the name is safe: letters, digits, '.', '_' and '-', first a letter or digit, at most 63;
 * and no word with a special meaning there (DEFAULT, ALL, in any case). */
bool ga_slurm_name_is_valid(const char *name);

/* "NodeName=n1 NodeHostname=gpu7 CPUs=96 RealMemory=2063476 Gres=gpu:nvidia-h200-141gb:8 …": a
 * slurmd finds its line by the name of its host, which is the node's name unless the node has
 * another name. Unknown values (cpus GA_UNKNOWN) are left out, and so are GPUs of unknown type or
 * number. Writes nothing for a node without a GPU of a known type. */
void ga_slurm_node(const struct ga_node_view *view, int64_t cpus, struct ga_str *out);
/* "NodeName=n1 Name=gpu Type=nvidia-h200-141gb Count=8", one line for each type. files: adds
 * File=/dev/nvidia[0-7] if all GPUs of the node are of one NVIDIA type. Returns false when a line
 * has no File: slurmd drops such GPUs ("a required parameter for GPUs", gres_gpu.c). */
bool ga_slurm_gres(const struct ga_node_view *view, bool files, struct ga_str *out);

#endif
