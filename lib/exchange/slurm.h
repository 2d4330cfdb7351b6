/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines for Slurm's slurm.conf and gres.conf (their manual pages, 22.05). Slurm has no quoting for
 * names: what is not safe as it stands is refused by who calls, never written.
 */
#ifndef GA_EXCHANGE_SLURM_H
#define GA_EXCHANGE_SLURM_H

#include "base/str.h"
#include "record/accel.h"

/* Letters, digits, '.', '_' and '-', the first a letter or digit, at most 63; and no word that
 * means more than a name there (DEFAULT, ALL, in any case). */
bool ga_slurm_name_is_valid(const char *name);

/* "NodeName=n1 NodeHostname=gpu7 CPUs=96 RealMemory=2063476 Gres=gpu:nvidia-h200-141gb:8 …": a
 * slurmd finds its line by the name of its host, which is the node's unless somebody gave it
 * another. What is not known (cpus GA_UNKNOWN, say) is left out, and GPUs whose type or number is
 * not known are. Writes nothing for a node without a GPU of a known type. */
void ga_slurm_node(const struct ga_node_view *view, int64_t cpus, struct ga_str *out);
/* "NodeName=n1 Name=gpu Type=nvidia-h200-141gb Count=8", a line a type. files: with
 * File=/dev/nvidia[0-7] where all GPUs of the node are of one NVIDIA type. Returns false when a
 * line is without: slurmd drops such GPUs ("a required parameter for GPUs", gres_gpu.c). */
bool ga_slurm_gres(const struct ga_node_view *view, bool files, struct ga_str *out);

#endif
