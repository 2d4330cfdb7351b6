/* SPDX-License-Identifier: Apache-2.0 */
/* A request for GPUs, and its answers: the explanation of its placement, or the refusal. */
#ifndef GA_RECORD_REQUEST_H
#define GA_RECORD_REQUEST_H

#include "base/texts.h"
#include "record/match.h"
#include "record/schema.h"

#define GA_REQUEST_GPUS 64 /* GPUs of one request at most */
/* Of a request that names none: */
#define GA_PROJECT_DEFAULT "default"
#define GA_PRIORITY_DEFAULT 100

struct ga_request {
	char *request_id; /* idempotency key chosen by the caller */
	char *name, *profile, *shape;
	int64_t count; /* GPUs; baremetal: at least; GA_UNKNOWN: 1, or baremetal: any node */
	char *project;
	int64_t priority; /* 0..1000; nothing is ordered by it yet */
	char *region, *pool, *node;
	struct ga_texts types; /* accelerator types in order of preference */
	int64_t min_memory_mib;
	char *image;
	char *app; /* name of a manifest */
	struct ga_texts keys; /* ssh public keys */
	char *user_data_digest;
	int64_t run_seconds;
	bool preemptible;
	struct ga_request_match *match; /* the result of gpuaas-match for it, or NULL */
};

struct ga_term {
	char *name;
	int64_t value; /* smaller wins */
};

struct ga_node_answer {
	char *node;
	bool taken;
	char *code;   /* first reason against the node; NULL when the node is taken */
	char *detail;
	GA_LIST(struct ga_term) terms;
};

struct ga_explanation {
	char *allocation, *request_id, *node;
	GA_LIST(struct ga_node_answer) nodes;
};

struct ga_refusal {
	char *request_id, *project, *profile, *shape;
	int64_t count;
	char *code, *sentence, *hint;
	int64_t status;
	GA_LIST(struct ga_node_answer) nodes;
	struct ga_texts alternatives;
};

/* A refusal that the state keeps: the same request of a user on one UTC day, refused for the same
 * reason. */
struct ga_kept_refusal {
	int64_t seq; /* of its row */
	char *day, *user, *project, *profile, *shape, *type;
	struct ga_texts types;
	int64_t count;
	char *name, *request_id, *code, *sentence, *hint;
	int64_t attempts;
	char *first_at, *last_at;
};

extern const struct ga_schema ga_kept_refusal_schema;
extern const struct ga_schema ga_request_schema, ga_explanation_schema, ga_refusal_schema;

#endif
