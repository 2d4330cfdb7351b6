/* SPDX-License-Identifier: Apache-2.0 */
/* The requirement for gpuaas-match: a record, and options that override it. */
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/match/match.h"
#include "record/app.h"
#include "record/decimal.h"
#include "record/money.h"

#define PARAMS_MIN 100000 /* a smaller number lacks its unit: 7 for 7B */
#define PARAMS_MAX INT64_C(1000000000000000)
#define SAMPLES_MAX INT64_C(1000000000000)

static struct {
	struct ga_requirement *need;
	size_t records;
} reading;

static int take(const struct ga_rec *rec, struct ga_err *err)
{
	if (reading.records++)
		return ga_fail(err, GA_BADREC, "line %llu is a second requirement; one is matched "
			       "at a time", (unsigned long long)rec->line);
	return ga_rec_parse(rec, &ga_requirement_schema, reading.need, err);
}

static int read_record(const char *operand, struct ga_requirement *ret, struct ga_err *err)
{
	static const struct ga_consumer table[] = { { &ga_requirement_schema, take },
						    { .schema = NULL } };

	reading.need = ret;
	reading.records = 0;
	if (ga_cli_stream_from(operand, "requirements", table, err) < 0)
		return -1;
	if (reading.records)
		return 0;
	return ga_refuse(err, GA_BADREC, NULL, NULL,
			 ("no requirement was read"),
			 ("one record: {\"kind\":\"gpuaas.requirement/1\",\"params\":7000000000}"));
}

static void set_text(char **to, const char *text)
{
	if (!text)
		return;
	free(*to);
	*to = ga_xstrdup(text);
}

static void set_number(int64_t *to, int64_t n)
{
	if (n != GA_UNKNOWN)
		*to = n;
}

static int set_decimal(int64_t *to, const char *text, const char *option, int64_t max,
		       struct ga_err *err)
{
	return text ? ga_decimal_parse(text, option, 0, 1, max, to, err) : 0;
}

/* Checks the rules that the schema cannot express. */
static int check(const struct ga_requirement *n, struct ga_err *err)
{
	if (n->min_compute_capability &&
	    ga_capability_meets(n->min_compute_capability, n->min_compute_capability) < 0)
		return ga_fail(err, GA_USAGE,
			       "'%.32s' is no compute capability: those are such as 8.0",
			       n->min_compute_capability);
	if (n->params != GA_UNKNOWN && n->params < PARAMS_MIN)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("a model has %d parameters or more, not %lld", PARAMS_MIN,
				  (long long)n->params),
				 ("%lldB?", (long long)n->params));
	if (n->require_architecture && !n->architectures.n)
		return ga_fail(err, GA_USAGE, "an architecture is required, and none is named");
	if ((n->samples != GA_UNKNOWN) != (n->sequence_tokens != GA_UNKNOWN))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("samples and their length go together"),
				 ("--samples 100000 --sequence-tokens 1024 --epochs 3"));
	if (n->samples != GA_UNKNOWN && n->train_tokens != GA_UNKNOWN)
		return ga_fail(err, GA_USAGE, "give tokens or samples, not both");
	if (n->epochs != GA_UNKNOWN && n->samples == GA_UNKNOWN)
		return ga_fail(err, GA_USAGE, "epochs need samples: tokens count every time they "
					      "are seen");
	if (n->samples != GA_UNKNOWN && ga_estimate_tokens(n) == GA_UNKNOWN)
		return ga_fail(err, GA_USAGE,
			       "samples times their length times epochs is beyond 10^15 tokens");
	if (n->checkpoints != GA_UNKNOWN && !ga_estimate_is_training(n))
		return ga_fail(err, GA_USAGE, "checkpoints need a training: tokens or samples");
	if (ga_estimate_is_training(n) &&
	    (n->tokens_per_second != GA_UNKNOWN || n->p99_ms != GA_UNKNOWN))
		return ga_fail(err, GA_USAGE, "a training takes no throughput and no latency");
	return 0;
}

/* For one release: app had the words of stack. */
static void read_stack(struct ga_requirement *n)
{
	if (!n->app || !ga_stack_vendor(n->app))
		return;
	ga_say("warning: app '%s' is read as stack '%s': --stack names the software platform, and "
	       "--app an app (gpuaas-list apps); the next release does not read it so",
	       n->app, n->app);
	if (n->stack)
		free(GA_TAKE(n->app));
	else
		n->stack = GA_TAKE(n->app);
}

int ga_match_need(const struct ga_match_opts *o, const char *operand, struct ga_requirement *ret,
		  struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	struct ga_err of_record = GA_ERR_INIT;
	struct ga_requirement unused;
	const char *text;
	size_t i;

	ga_schema_init(&ga_requirement_schema, ret);
	if (operand && read_record(operand, ret, err) < 0)
		return -1;
	read_stack(ret); /* before an option may replace it */
	/* Options may still add missing members. */
	(void)check(ret, &of_record);
	if (set_decimal(&ret->params, o->params, "--model-params", PARAMS_MAX, err) < 0 ||
	    set_decimal(&ret->train_tokens, o->train_tokens, "--train-tokens", PARAMS_MAX, err) <
		    0 ||
	    set_decimal(&ret->samples, o->samples, "--samples", SAMPLES_MAX, err) < 0)
		return -1;
	text = o->max_cost;
	if (text && !ga_price_parse(text, &ret->max_cost_per_hour_micros))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--max-cost-per-hour '%.64s' is no price of an hour", text),
				 ("3.50; at most %lld, and six digits after the point",
				  (long long)(GA_PRICE_MAX / 1000000)));
	if ((o->memory && ga_memory_parse(o->memory, "--memory", &ret->memory_mib, err) < 0))
		return -1;
	set_number(&ret->layers, o->layers);
	set_number(&ret->kv_heads, o->kv_heads);
	set_number(&ret->head_size, o->head_size);
	set_number(&ret->context, o->context);
	set_number(&ret->batch, o->batch);
	set_number(&ret->sequence_tokens, o->sequence_tokens);
	set_number(&ret->epochs, o->epochs);
	set_number(&ret->checkpoints, o->checkpoints);
	set_number(&ret->tokens_per_second, o->tokens_per_second);
	set_number(&ret->p99_ms, o->p99_ms);
	set_number(&ret->gpus, o->gpus);
	set_text(&ret->model, o->model);
	set_text(&ret->precision, o->precision);
	set_text(&ret->min_compute_capability, o->min_compute_capability);
	set_text(&ret->vendor, o->vendor);
	set_text(&ret->stack, o->stack);
	set_text(&ret->app, o->app);
	read_stack(ret);
	set_text(&ret->method, o->method);
	set_text(&ret->scenario, o->scenario);
	set_text(&ret->latency, o->latency);
	set_text(&ret->prefer, o->prefer);
	set_text(&ret->team, o->team);
	set_text(&ret->project, o->project);
	set_text(&ret->image, o->image);
	for (i = 0; o->architectures.n && i < ret->architectures.n; i++)
		free(ret->architectures.v[i]);
	if (o->architectures.n)
		ga_list_release(&ret->architectures);
	for (i = 0; i < o->architectures.n; i++)
		ga_texts_add(&ret->architectures, o->architectures.v[i]);
	for (i = 0; i < o->accept.n; i++)
		if (!ga_texts_has(&ret->accept, o->accept.v[i]))
			ga_texts_add(&ret->accept, o->accept.v[i]);
	if (o->require_architecture)
		ret->require_architecture = true;
	json = ga_schema_format(&ga_requirement_schema, ret);
	if (ga_schema_parse(&ga_requirement_schema, json, &unused, err) < 0) {
		err->code = GA_USAGE;
		return -1;
	}
	ga_schema_release(&ga_requirement_schema, &unused);
	if (check(ret, err) == 0)
		return 0;
	if (!strcmp(err->msg, of_record.msg))
		err->code = GA_BADREC;
	return -1;
}

bool ga_match_asks(const struct ga_requirement *n)
{
	return n->model || n->params != GA_UNKNOWN || n->memory_mib != GA_UNKNOWN ||
	       n->architectures.n || n->min_compute_capability || n->vendor || n->stack ||
	       n->app ||
	       ga_estimate_is_training(n) || n->tokens_per_second != GA_UNKNOWN ||
	       n->p99_ms != GA_UNKNOWN || n->max_cost_per_hour_micros != GA_UNKNOWN ||
	       n->gpus != GA_UNKNOWN;
}
