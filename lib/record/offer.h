/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user view of a hardware profile: its description, its price, and how much of it is free.
 * Only state/capacity/offer.h makes these records. The members have the spelling of the catalogues
 * that read them.
 */
#ifndef GA_RECORD_OFFER_H
#define GA_RECORD_OFFER_H

#include "base/texts.h"
#include "record/schema.h"

/* GPUs of one accelerator type of a profile. */
struct ga_offer_type {
	char *type; /* slug; NULL: GPUs whose type is not known */
	char *name; /* for people */
	int64_t memory_gb; /* nominal, of one GPU */
	int64_t available, total;
	int64_t largest;   /* most GPUs that one request for this type alone would get now */
	struct ga_ints counts_now; /* slice: counts that a request for this type would get now */
	char *expected_at; /* of this type alone; NULL: available now, or unknown */
	char *unavailable_code; /* as of the profile, of this type alone */
	int64_t machine; /* GPUs of the largest machine; GA_UNKNOWN: none is offered baremetal */
	/* baremetal: numbers of GPUs of the machines with this type alone, each once, smallest
	 * first: of all, and of those that are free */
	struct ga_ints machines, machines_now;
};

/* baremetal: machines with GPUs of several types, or of one that is not known. */
struct ga_offer_mix {
	struct ga_texts types; /* slugs */
	bool unknown;	       /* some GPU of them has no known type */
	int64_t available, total;	       /* GPUs */
	struct ga_ints machines, machines_now; /* as of ga_offer_type */
	char *unavailable_code; /* of the refusal if there were only these; NULL: one is free, or
				 * unknown */
};

/* gpuaas.hardware-profile */
struct ga_hardware_profile {
	char *name;	    /* requests use this name */
	char *display_name; /* "Premium GPU (NVIDIA H200 141GB)" */
	char *summary;	    /* the same with " - 4 available" */
	char *shape;	    /* slice, baremetal */
	struct ga_ints counts; /* numbers of GPUs allowed in one request; none: any number */
	char *type;		 /* slug, the first in the order of preference; NULL: generic */
	struct ga_texts types;	 /* all of them in that order */
	/* Of one GPU of the first type, as one request can get it, from the catalogue. Speeds are
	 * dense, in 10^9 operations a second. GA_UNKNOWN and NULL: no source states the value. */
	char *memory; /* "141GB", nominal */
	int64_t memory_gb;
	char *memory_type, *architecture, *vendor, *compute_capability;
	int64_t bandwidth_mb_s;
	int64_t fp64_gflops, fp32_gflops, tf32_gflops, fp16_gflops, bf16_gflops, fp8_gflops,
		int8_gops, fp4_gflops;
	/* Numbers of GPUs. If a node was not observed for too long, its GPUs count as unknown. */
	bool available;	   /* whether any request would be placed now */
	int64_t available_count;   /* that several requests together would get now */
	int64_t largest_available; /* most that one request would get now */
	struct ga_ints counts_now; /* of slices: the counts that one request would get now */
	int64_t total_count, unknown_count;
	int64_t pending_count; /* GPUs that waiting requests want */
	GA_LIST(struct ga_offer_type) by_type;
	struct ga_offer_mix *mixed; /* NULL: there is no such machine */
	char *unavailable_code; /* of the refusal that the smallest request gets now; NULL: it gets
				 * none, or the nodes were not observed for too long */
	char *expected_available_at; /* NULL: available now, or unknown */
	char *expected_basis; /* wiping, hold_ending, maintenance_ending; NULL as above */
	char *as_of;	      /* time of the oldest observation behind the numbers, or NULL */
	int64_t stale_seconds; /* age of that observation, or GA_UNKNOWN */
	char *made_at;	       /* when this record was made */
	int64_t price_micros;  /* a GPU hour, in millionths */
	int64_t price_per_hour; /* the same, written as a decimal */
	char *currency;		/* NULL: the state names none */
	/* For operators; absent in the user view (ga_offer_conceal). */
	int64_t version, retired; /* retired is a tristate; GA_UNKNOWN: absent */
	struct ga_texts teams;	  /* only these teams may use it */
};

extern const struct ga_schema ga_hardware_profile_schema;

/* Removes the members for operators. */
void ga_offer_conceal(struct ga_hardware_profile *p);
/* Call when the observations behind the record are too old: sets nothing free and all unknown. */
void ga_offer_forget(struct ga_hardware_profile *p);

#endif
