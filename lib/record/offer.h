/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user sees of a hardware profile: what it is, what it costs, how much of it is free. Made
 * by state/capacity/offer.h alone; the members are spelled as the catalogues that read them spell
 * them.
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
	int64_t largest;   /* that one request for the type alone would get */
	GA_LIST(int64_t) counts_now; /* of slices: what one request for the type alone would get */
	char *expected_at; /* of the type alone; NULL: available now, or nobody knows */
	int64_t machine; /* GPUs of the largest machine; GA_UNKNOWN: none is sold whole */
};

/* gpuaas.hardware-profile */
struct ga_hardware_profile {
	char *name;	    /* what a request names */
	char *display_name; /* "Premium GPU (NVIDIA H200 141GB)" */
	char *summary;	    /* the same with " - 4 available" */
	char *shape;	    /* slice, baremetal */
	GA_LIST(int64_t) counts; /* GPUs that one request may ask for; none: any number */
	char *type;		 /* slug, the first in the order of preference; NULL: generic */
	struct ga_texts types;	 /* all of them in that order */
	/* Of the first type, of one GPU that can be had by itself, as the catalogue has it; speeds
	 * are dense, 10^9 operations a second; GA_UNKNOWN and NULL: no source says. */
	char *memory; /* "141GB", nominal */
	int64_t memory_gb;
	char *memory_type, *architecture, *vendor, *compute_capability;
	int64_t bandwidth_mb_s;
	int64_t fp64_gflops, fp32_gflops, tf32_gflops, fp16_gflops, bf16_gflops, fp8_gflops,
		int8_gops, fp4_gflops;
	/* GPUs. What is on a node that was not observed for too long counts as unknown. */
	bool available;	   /* whether any request would be placed now */
	int64_t available_count;   /* that requests would get now, one after the other */
	int64_t largest_available; /* in one request */
	GA_LIST(int64_t) counts_now; /* of slices: those that one request would get now */
	int64_t total_count, unknown_count;
	int64_t pending_count; /* asked for by requests that wait */
	GA_LIST(struct ga_offer_type) by_type;
	char *expected_available_at; /* NULL: available now, or nobody knows */
	char *expected_basis; /* wiping, hold_ending, maintenance_ending; NULL as above */
	char *as_of;	      /* the oldest observation that the numbers rest on, or NULL */
	int64_t stale_seconds; /* how long ago that was, or GA_UNKNOWN */
	char *made_at;	       /* when this was put together */
	int64_t price_micros;  /* a GPU hour, in millionths */
	int64_t price_per_hour; /* the same, written as a decimal */
	char *currency;		/* NULL: the state names none */
	/* For operators; absent in the user view (ga_offer_conceal). */
	int64_t version, retired; /* retired is a tristate; GA_UNKNOWN: absent */
	struct ga_texts teams;	  /* that alone may use it */
};

extern const struct ga_schema ga_hardware_profile_schema;

/* Takes out what is for operators. */
void ga_offer_conceal(struct ga_hardware_profile *p);
/* What it rests on is too old: nobody knows what is free, nothing is to be had. */
void ga_offer_forget(struct ga_hardware_profile *p);

#endif
