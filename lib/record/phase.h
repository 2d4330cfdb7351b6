/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of host programs before the first write. An attempt that ended in one of them left its
 * devices as they were: the fold taints no slot, and host.db knows of no wipe that was begun. The
 * tables of the programs and these lists name the same phases (tests/promises).
 *
 * X makes of each word what its reader needs.
 */
#ifndef GA_RECORD_PHASE_H
#define GA_RECORD_PHASE_H

#define GA_PROVISION_LOOKS(X) X(hold) X(recheck) X(prerequisites)
#define GA_WIPE_LOOKS(X) X(guard) X(settle) X(recheck)

/* One of the words equals the variable "phase". */
#define GA_PHASE_IS(word) || ga_streq(phase, #word)

#endif
