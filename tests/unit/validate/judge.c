/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: a table of scenarios, what was seen, and the outcomes; and the rules of a scenario. */
#include "validate/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/rec.h"
#include "t.h"
#include "validate/tape.h"

#define DIGEST "sha256:0000000000000000000000000000000000000000000000000000000000000000"

/* A full node: low jobs o1 to o4 of two slots, then a claim. */
#define SCENARIO(level, more, expect) \
	"{\"kind\":\"gpuaas.scenario/1\",\"id\":\"T-01\",\"level\":\"" level "\",\"title\":\"t\"," \
	"\"requirements\":[{\"id\":\"R\",\"coverage\":\"full\"}],\"needs\":[\"queues\"]," \
	"\"clock\":\"any\"," more "\"nodes\":[{\"name\":\"n1\",\"slots\":8,\"type\":\"h100\"}," \
	"{\"name\":\"n2\",\"slots\":8,\"type\":\"l4\",\"cluster\":\"west\"}]," \
	"\"queues\":[{\"name\":\"a\",\"guaranteed\":4},{\"name\":\"b\",\"guaranteed\":4}]," \
	"\"arrange\":[{\"submit\":{\"name\":\"o$i\",\"queue\":\"a\",\"count\":4,\"slots\":2}}]," \
	"\"given\":[{\"id\":\"full\",\"check\":\"are\",\"jobs\":[\"o*\"],\"state\":\"running\"," \
	"\"within_seconds\":20}]," \
	"\"act\":[{\"submit\":{\"name\":\"claim\",\"queue\":\"b\",\"slots\":4}}," \
	"{\"submit\":{\"name\":\"next\",\"queue\":\"b\",\"slots\":2}}]," \
	"\"expect\":[" expect "],\"negative\":\"x\"}"
#define MUST(expect) SCENARIO("must", "", expect)
#define CHECK(id, check, members) \
	"{\"id\":\"" id "\",\"check\":\"" check "\"," members "}"
#define STARTS \
	CHECK("starts", "are", "\"jobs\":[\"claim\"],\"state\":\"running\",\"within_seconds\":10")

#define WATCHED \
	CHECK("kept", "never", "\"jobs\":[\"o1\"],\"state\":\"evicted\",\"for_seconds\":10")

#define FULL \
	"hello queues\n" \
	"0 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n" \
	"200 poll\n+ o1 pending\n+ o2 pending\n+ o3 pending\n+ o4 pending\n" \
	"400 poll\n+ o1 running n1:0,1\n+ o2 running n1:2,3\n+ o3 running n1:4,5\n" \
	"+ o4 running n1:6,7\n" \
	"600 phase act\n+ step submit claim\n+ step submit next\n+ phase expect\n" \
	"800 poll\n+ claim pending code=no_capacity\n+ next pending code=queue_ahead\n" \
	"1000 poll\n"
#define EVICTED "3000 poll\n+ o4 evicted by=claim\n+ o3 pending\n"
#define TAKES "4000 poll\n+ claim running n1:4,5,6,7\n"
#define LONG "6000 poll\n8000 poll\n10000 poll\n12000 poll\n14000 poll\n"
#define ENDS LONG "14000 phase ask\n+ end\n"

static const struct {
	const char *name, *scenario, *tape, *outcome, *why;
} cases[] = {
	{ "starts in time", MUST(STARTS), FULL EVICTED TAKES ENDS, "pass", "all checks" },
	{ "starts too late", MUST(STARTS), FULL EVICTED LONG
	  "14000 claim running n1:4,5,6,7\n+ phase ask\n+ end\n", "fail",
	  "starts: 'claim' is pending, not running" },
	{ "starts late, which is a workaround",
	  MUST(CHECK("starts", "are", "\"jobs\":[\"claim\"],\"state\":\"running\","
		     "\"within_seconds\":2,\"at_worst_seconds\":5")),
	  FULL EVICTED TAKES ENDS, "workaround", "starts: it took 3.4 s, more than 2 s" },
	{ "a slower technology has more time",
	  MUST(CHECK("starts", "are",
		     "\"jobs\":[\"claim\"],\"state\":\"running\",\"within_seconds\":2")),
	  "hello queues scale=200\n" FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "watched too short", MUST(STARTS), FULL EVICTED "5000 poll\n+ phase ask\n+ end\n",
	  "inconclusive",
	  "starts is not known: the jobs were looked at until 4.4 s, and not until 10.0 s" },
	{ "nothing was looked at for long", MUST(CHECK("kept", "never",
		"\"jobs\":[\"o1\"],\"state\":\"evicted\",\"for_seconds\":10")),
	  FULL "12000 poll\n+ phase ask\n+ end\n", "inconclusive", "kept is not known" },
	{ "the run ends early", MUST(STARTS), FULL EVICTED TAKES, "inconclusive",
	  "did not come to its end" },
	{ "the situation never came", MUST(STARTS),
	  "hello queues\n0 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n200 poll\n"
	  "+ o1 running n1:2\n21000 poll\n+ end\n",
	  "inconclusive", "the situation did not come: full: 'o2' is not known, not running" },
	{ "never", MUST(CHECK("kept", "never",
		"\"jobs\":[\"o1\",\"o2\"],\"state\":\"evicted\",\"for_seconds\":10")),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "never, and it happens", MUST(CHECK("kept", "never",
		"\"jobs\":[\"o*\"],\"state\":\"evicted\",\"for_seconds\":10")),
	  FULL EVICTED TAKES ENDS, "fail", "kept: 'o3' is evicted at 2.4 s" },
	{ "a job that runs and then waits was evicted",
	  MUST(CHECK("only", "count",
		"\"jobs\":[\"o*\"],\"state\":\"evicted\",\"is\":2") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "one too many is evicted",
	  MUST(CHECK("only", "count",
		"\"jobs\":[\"o*\"],\"state\":\"evicted\",\"is\":2") "," STARTS),
	  FULL EVICTED TAKES "5000 poll\n+ o1 evicted\n" ENDS, "fail",
	  "only: jobs that are evicted: 3, not 2" },
	{ "order", MUST(CHECK("order", "order",
		"\"jobs\":[\"claim\",\"next\"],\"within_seconds\":10")),
	  FULL EVICTED TAKES "4500 poll\n+ o1 done\n5000 poll\n+ next running n1:0,1\n" ENDS,
	  "pass", NULL },
	{ "wrong order", MUST(CHECK("order", "order",
		"\"jobs\":[\"claim\",\"next\"],\"within_seconds\":10")),
	  FULL "2000 poll\n+ next running n2:2\n" EVICTED TAKES ENDS, "fail",
	  "order: 'next' starts before 'claim'" },
	{ "order of one poll", MUST(CHECK("order", "order",
		"\"jobs\":[\"claim\",\"next\"],\"within_seconds\":10")),
	  FULL EVICTED TAKES "+ next running n2:2\n" ENDS, "inconclusive", "order is not known" },
	{ "order of one poll, with the times of the technology", MUST(CHECK("order", "order",
		"\"jobs\":[\"claim\",\"next\"],\"within_seconds\":10")),
	  FULL EVICTED "4000 poll\n+ claim running n1:4,5,6,7 since=2026-11-27T20:00:01.000000Z\n"
	  "+ next running n2:2 since=2026-11-27T20:00:02.000000Z\n" ENDS, "pass", NULL },
	{ "on the node", MUST(CHECK("there", "on_node",
		"\"jobs\":[\"claim\"],\"nodes\":[\"n1\"],\"within_seconds\":10")),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "in the cluster", MUST(CHECK("there", "on_node",
		"\"jobs\":[\"claim\"],\"nodes\":[\"west\"],\"within_seconds\":10")),
	  FULL "4000 poll\n+ claim running n2:4\n" ENDS, "pass", NULL },
	{ "on another node", MUST(CHECK("there", "on_node",
		"\"jobs\":[\"claim\"],\"nodes\":[\"n1\"],\"within_seconds\":10")),
	  FULL "4000 poll\n+ claim running n2:4\n" ENDS, "fail", "there: 'claim' starts on n2" },
	{ "whole", MUST(CHECK("whole", "together", "\"jobs\":[\"claim\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "half", MUST(CHECK("whole", "together", "\"jobs\":[\"claim\"]") "," STARTS),
	  FULL EVICTED "4000 poll\n+ claim running n1:4,5\n" ENDS, "fail",
	  "whole: 'claim' has 2 of 4 slots at 3.4 s" },
	{ "half for a moment", MUST(CHECK("whole", "together",
		"\"jobs\":[\"claim\"],\"within_seconds\":3") "," STARTS),
	  FULL EVICTED "4000 poll\n+ claim running n1:4,5\n"
	  "5000 poll\n+ claim running n1:4,5,6,7\n" ENDS, "pass", NULL },
	{ "half to the end", MUST(CHECK("whole", "together",
		"\"jobs\":[\"claim\"],\"within_seconds\":3") "," STARTS),
	  FULL EVICTED "4000 poll\n+ claim running n1:4,5\n" ENDS, "fail",
	  "whole: 'claim' has only some of its slots from 3.4 s on" },
	{ "a gang whose places are not shown",
	  MUST(CHECK("whole", "together", "\"jobs\":[\"claim\"]") "," STARTS),
	  FULL EVICTED "4000 poll\n+ claim running\n" ENDS, "inconclusive",
	  "whole is not known: the places of 'claim' are not shown" },
	{ "reason", MUST(CHECK("why", "reason_in",
		"\"jobs\":[\"claim\"],\"codes\":[\"no_capacity\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "another reason", MUST(CHECK("why", "reason_in",
		"\"jobs\":[\"next\"],\"codes\":[\"no_capacity\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "fail", "why: the reason of 'next' is queue_ahead" },
	{ "without a reason it is a workaround", MUST(CHECK("why", "reason_in",
		"\"jobs\":[\"next\"],\"codes\":[\"no_capacity\"],\"partial\":true") "," STARTS),
	  FULL EVICTED TAKES ENDS, "workaround", "why: the reason of 'next' is queue_ahead" },
	{ "no job to give a reason", MUST(CHECK("why", "reason_in",
		"\"jobs\":[\"o1\"],\"codes\":[\"no_capacity\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "fail", "why: no job of it is ever pending" },
	{ "explained", MUST(CHECK("told", "explain_has",
		"\"answer\":\"explain\",\"jobs\":[\"claim\"],"
		"\"fields\":[\"missing\",\"would_free\"],\"lacks\":[\"n1\"]") "," STARTS),
	  FULL EVICTED TAKES LONG "14000 phase ask\n+ answer explain "
	  "{\"job\":\"claim\",\"as\":\"owner\",\"missing\":0,\"would_free\":[\"o1\"]}\n+ end\n",
	  "pass", NULL },
	{ "explained with too much", MUST(CHECK("told", "explain_has",
		"\"answer\":\"explain\",\"jobs\":[\"claim\"],\"fields\":[\"missing\"],"
		"\"lacks\":[\"n1\"]") "," STARTS),
	  FULL EVICTED TAKES LONG "14000 phase ask\n+ answer explain "
	  "{\"job\":\"claim\",\"as\":\"owner\",\"missing\":0,\"text\":\"all of n1\"}\n+ end\n",
	  "fail", "told: the answer to explain about 'claim' shows 'n1'" },
	{ "not explained", MUST(CHECK("told", "explain_has",
		"\"answer\":\"explain\",\"jobs\":[\"claim\"],\"fields\":[\"missing\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "fail",
	  "told: the answer to explain about 'claim' did not come" },
	{ "events of the job", MUST(CHECK("audit", "explain_has",
		"\"answer\":\"events\",\"jobs\":[\"claim\"],\"fields\":[\"by\"]") "," STARTS),
	  FULL EVICTED TAKES LONG "14000 phase ask\n+ answer events "
	  "{\"events\":[{\"job\":\"o1\"},{\"job\":\"claim\",\"by\":\"ann\"}]}\n+ end\n",
	  "pass", NULL },
	{ "queues", MUST(CHECK("shown", "explain_has",
		"\"answer\":\"state\",\"fields\":[\"guaranteed\",\"free\"]") "," STARTS),
	  FULL EVICTED TAKES LONG "14000 phase ask\n+ answer state {\"queues\":[{\"name\":\"a\","
	  "\"guaranteed\":4}],\"pools\":[{\"name\":\"p\",\"free\":0}]}\n+ end\n",
	  "pass", NULL },
	{ "a queue without it", MUST(CHECK("shown", "explain_has",
		"\"answer\":\"state\",\"fields\":[\"guaranteed\"]") "," STARTS),
	  FULL EVICTED TAKES LONG "14000 phase ask\n+ answer state {\"queues\":[{\"name\":\"a\","
	  "\"guaranteed\":4},{\"name\":\"b\"}]}\n+ end\n",
	  "fail", "shown: the answer to state does not show guaranteed" },
	{ "a sum", MUST(CHECK("sum", "sum_at_most", "\"queues\":[\"a\"],\"at_most\":8") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "a sum above it",
	  MUST(CHECK("sum", "sum_at_most", "\"queues\":[\"a\",\"b\"],\"at_most\":8") "," STARTS),
	  FULL "2000 poll\n+ claim running n2:4\n" ENDS, "fail",
	  "sum: 12 slots are in use at 1.4 s, more than 8" },
	{ "a sum with a job whose places are not shown",
	  MUST(CHECK("sum", "sum_at_most", "\"queues\":[\"a\",\"b\"],\"at_most\":8") "," STARTS),
	  FULL "2000 poll\n+ claim running\n" ENDS, "fail",
	  "sum: 12 slots are in use at 1.4 s, more than 8" },
	{ "none lost", MUST(CHECK("kept", "lost_none", "\"jobs\":[\"o*\",\"claim\"]") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "one lost", MUST(CHECK("kept", "lost_none", "\"jobs\":[\"o*\",\"claim\"]") "," STARTS),
	  FULL EVICTED TAKES "5000 poll\n+ o2 lost\n" ENDS, "fail",
	  "kept: 1 of 5 acknowledged jobs are not known" },
	{ "an id twice", MUST(CHECK("kept", "lost_none", "\"jobs\":[\"o*\",\"claim\"]") "," STARTS),
	  FULL EVICTED TAKES "5000 poll\n+ o1 running n1:0,1 id=7\n"
	  "+ claim running n1:4,5,6,7 id=7\n" ENDS,
	  "fail", "kept: id 7 was given to 'o1' and to 'claim'" },
	{ "a value", MUST(CHECK("quick", "value_between",
		"\"value\":\"start_seconds\",\"jobs\":[\"claim\"],\"at_most\":4") "," STARTS),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "a spread", MUST(CHECK("v", "value_between",
		"\"value\":\"running_spread\",\"queues\":[\"a\",\"b\"],\"is\":0") "," WATCHED),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "a wide spread", MUST(CHECK("v", "value_between",
		"\"value\":\"running_spread\",\"queues\":[\"a\",\"b\"],\"is\":0") "," WATCHED),
	  FULL ENDS, "fail", "v: running_spread: 8, not 0" },
	{ "dominant shares", MUST(CHECK("v", "value_between",
		"\"value\":\"dominant_spread\",\"queues\":[\"a\",\"b\"],\"is\":50") "," WATCHED),
	  FULL ENDS, "pass", NULL },
	{ "equal dominant shares", MUST(CHECK("v", "value_between",
		"\"value\":\"dominant_spread\",\"queues\":[\"a\",\"b\"],\"is\":50") "," WATCHED),
	  FULL EVICTED TAKES ENDS, "fail", "v: dominant_spread: 0, not 50" },
	{ "a guarantee that is shown", MUST(CHECK("v", "value_between",
		"\"value\":\"state_guaranteed\",\"queues\":[\"a\"],\"is\":4") "," WATCHED),
	  FULL LONG "14000 phase ask\n+ answer state {\"queues\":["
	  "{\"name\":\"a\",\"guaranteed\":4,\"borrowed\":3,\"pending\":2},"
	  "{\"name\":\"b\"}]}\n+ end\n",
	  "pass", NULL },
	{ "what is borrowed", MUST(CHECK("v", "value_between",
		"\"value\":\"state_borrowed\",\"queues\":[\"a\"],\"is\":3") "," WATCHED),
	  FULL LONG "14000 phase ask\n+ answer state {\"queues\":["
	  "{\"name\":\"a\",\"guaranteed\":4,\"borrowed\":3,\"pending\":2},"
	  "{\"name\":\"b\"}]}\n+ end\n",
	  "pass", NULL },
	{ "what waits", MUST(CHECK("v", "value_between",
		"\"value\":\"state_pending\",\"queues\":[\"a\"],\"is\":1") "," WATCHED),
	  FULL LONG "14000 phase ask\n+ answer state {\"queues\":["
	  "{\"name\":\"a\",\"guaranteed\":4,\"borrowed\":3,\"pending\":2},"
	  "{\"name\":\"b\"}]}\n+ end\n",
	  "fail", "v: state_pending: 2, not 1" },
	{ "one queue does not show it", MUST(CHECK("v", "value_between",
		"\"value\":\"state_pending\",\"queues\":[\"a\",\"b\"],\"is\":2") "," WATCHED),
	  FULL LONG "14000 phase ask\n+ answer state {\"queues\":["
	  "{\"name\":\"a\",\"guaranteed\":4,\"borrowed\":3,\"pending\":2},"
	  "{\"name\":\"b\"}]}\n+ end\n",
	  "fail", "v: state_pending: not known" },
	{ "a value above it", MUST(CHECK("quick", "value_between",
		"\"value\":\"start_seconds\",\"jobs\":[\"claim\"],\"at_most\":3") "," STARTS),
	  FULL EVICTED TAKES ENDS, "fail", "quick: start_seconds: 4, not 3 or less" },
	{ "a share", MUST(CHECK("fair", "value_between",
		"\"value\":\"share_percent\",\"queues\":[\"b\"],\"at_least\":39,\"at_most\":41") ","
		STARTS),
	  /* From 0.6 s to 14 s: a has 8 slots for 2.4 s and 4 for 11 s, b has 4 for 10 s: 40 of
	   * 103.2 slot seconds. */
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "one of two", MUST(CHECK("starts", "are", "\"jobs\":[\"next\"],\"state\":\"running\","
		"\"within_seconds\":10,\"one_of\":\"g\"") ","
		CHECK("says", "reason_in", "\"jobs\":[\"next\"],\"codes\":[\"queue_ahead\"],"
		"\"one_of\":\"g\"")),
	  FULL EVICTED TAKES ENDS, "pass", NULL },
	{ "none of two", MUST(CHECK("starts", "are", "\"jobs\":[\"next\"],\"state\":\"running\","
		"\"within_seconds\":10,\"one_of\":\"g\"") ","
		CHECK("says", "reason_in", "\"jobs\":[\"next\"],\"codes\":[\"no_capacity\"],"
		"\"one_of\":\"g\"")),
	  FULL EVICTED TAKES ENDS, "fail", "starts: 'next' is pending, not running" },
	{ "not supported", MUST(STARTS), "hello over_quota\n" FULL, "unsupported",
	  "no such notion: queues" },
	{ "not supported, and the reason is known", MUST(STARTS),
	  "hello over_quota lacks=queues\n" FULL, "unsupported",
	  "no such notion: queues: none (page 1)" },
	{ "too many jobs", MUST(STARTS), "hello queues jobs=5\n", "inconclusive",
	  "not run: it needs 6 jobs, and 5 can be submitted" },
	{ "as many jobs as it can", MUST(STARTS), "hello queues jobs=6\n" FULL EVICTED TAKES ENDS,
	  "pass", NULL },
	{ "a verb is not supported", MUST(STARTS),
	  FULL EVICTED TAKES LONG "+ trouble explain unsupported there is none\n+ end\n",
	  "unsupported", "no such notion: explain: there is none" },
	{ "the adapter dies", MUST(STARTS),
	  FULL EVICTED TAKES LONG "+ trouble jobs died signal 9\n+ end\n", "inconclusive",
	  "jobs: died: signal 9" },
	{ "a refusal is an observation", MUST(STARTS),
	  FULL EVICTED TAKES LONG "+ trouble submit refused no\n+ phase ask\n+ end\n",
	  "pass", NULL },
	{ "no hello", MUST(STARTS), "0 phase arrange\n", "inconclusive",
	  "the adapter did not say what it is" },
	{ "times go back", MUST(STARTS), FULL EVICTED TAKES ENDS "100 poll\n", "inconclusive",
	  "go back" },
	{ "a slot twice", MUST(STARTS), FULL "4000 poll\n+ claim running n1:4,5,6,7\n" ENDS, "fail",
	  "'o3' and 'claim' have slot 4 of n1 at the same time" },
	{ "a slot that is not there", MUST(STARTS), FULL "4000 poll\n+ claim running n2:7,8\n" ENDS,
	  "fail", "'claim' has slot 8 of n2, which has 8" },
	{ "more slots than there are", MUST(STARTS), FULL "4000 poll\n+ claim running n1:1\n" ENDS,
	  "fail", "9 slots of n1 are in use, and it has 8" },
	{ "more slots than the cluster has", MUST(STARTS),
	  FULL "4000 poll\n+ claim running\n+ next running n2:6\n", "fail",
	  "18 slots are in use, and the cluster has 16" },
	{ "settings are workarounds", MUST(STARTS),
	  FULL EVICTED TAKES LONG "+ step queues set=preempt_youngest_first\n+ phase ask\n+ end\n",
	  "workaround", "set: preempt_youngest_first" },
	{ "without contention a MUST is not shown", MUST(STARTS),
	  "hello queues\n0 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n200 poll\n"
	  "+ o1 running n1:2\n+ o2 running n1:2\n+ o3 running n1:2\n+ o4 running n1:2\n"
	  "400 phase act\n+ step submit claim\n+ phase expect\n600 poll\n+ claim running n2:4\n"
	  "2000 poll\n" ENDS, "inconclusive", "nothing ever waited" },
	{ "a SHOULD needs none", SCENARIO("should", "", STARTS),
	  "hello queues\n0 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n200 poll\n"
	  "+ o1 running n1:2\n+ o2 running n1:2\n+ o3 running n1:2\n+ o4 running n1:2\n"
	  "400 phase act\n+ step submit claim\n+ phase expect\n600 poll\n+ claim running n2:4\n"
	  "2000 poll\n" ENDS, "pass", NULL },
	{ "more wanted than there is is contention", MUST(CHECK("quick", "are",
		"\"jobs\":[\"claim\"],\"state\":\"running\",\"within_seconds\":10")),
	  "hello queues virtual\n0 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n"
	  "200 poll\n+ o1 running n1:2\n+ o2 running n1:2\n+ o3 running n1:2\n+ o4 running n1:2\n"
	  "400 phase act\n+ step submit claim next\n+ phase expect\n600 poll\n"
	  "+ claim running n2:4\n+ next pending\n12000 poll\n+ next running n2:4\n"
	  "+ phase ask\n+ end\n", "inconclusive", "nothing ever waited" },
};

/* One run on a virtual clock, from S seconds on: claim starts on the node, next waits. */
#define RUN_ON(s, node) \
	s "0000 phase arrange\n+ step submit o1 o2 o3 o4\n+ phase given\n" s "0200 poll\n" \
	"+ o1 running n1:2\n+ o2 running n1:2\n+ o3 running n1:2\n+ o4 running n1:2\n" \
	s "0400 phase act\n+ step submit claim next\n+ phase expect\n" s "0600 poll\n" \
	"+ next pending\n+ claim running " node ":4\n" s "0800 poll\n" s "2000 poll\n" \
	s "2000 phase ask\n+ end\n"
#define THREE_RUNS(a, b, c) \
	"hello queues virtual\n" RUN_ON("1", a) "run\n" RUN_ON("2", b) "run\n" RUN_ON("3", c)
#define EQUAL(more) \
	SCENARIO("must", "\"runs\":3," more, \
		 CHECK("same", "equal_runs", "\"jobs\":[\"claim\"]") "," \
		 CHECK("starts", "are", "\"jobs\":[\"claim\"],\"state\":\"running\"," \
		       "\"within_seconds\":1"))

static const struct {
	const char *name, *scenario, *tape, *outcome, *why;
	int64_t agreeing;
} runs[] = {
	{ "three equal runs", EQUAL(""), THREE_RUNS("n2", "n2", "n2"), "pass", NULL, 3 },
	{ "one differs", EQUAL(""), THREE_RUNS("n2", "n1", "n2"), "fail", "slots of n1", 2 },
	{ "one differs in its node", EQUAL(""), THREE_RUNS("n2", "n2", "n3"), "fail",
	  "2 of 3 runs end in pass, another in fail: same: 'claim' starts on n3, in the first run "
	  "on n2", 2 },
	{ "a safety that fails once fails", EQUAL("\"safety\":true,"),
	  THREE_RUNS("n2", "n2", "n3"), "fail", "2 of 3 runs end in pass", 2 },
	{ "a run is missing", EQUAL(""),
	  "hello queues virtual\n" RUN_ON("1", "n2") "run\n" RUN_ON("2", "n2"), "inconclusive",
	  "2 of 3 runs end in pass, another in inconclusive: the run did not come to its end", 2 },
};

/* Scenarios that the schema lets pass and the rules do not. */
static const struct {
	const char *scenario, *why;
} wrong[] = {
	{ MUST(CHECK("x", "are",
		     "\"jobs\":[\"nobody\"],\"state\":\"running\",\"within_seconds\":1")),
	  "expect 'x' names job 'nobody', which no step submits" },
	{ MUST(CHECK("x", "are", "\"jobs\":[\"z*\"],\"state\":\"running\",\"within_seconds\":1")),
	  "names job 'z*'" },
	{ MUST(CHECK("x", "are", "\"jobs\":[\"claim\"],\"within_seconds\":1")),
	  "expect 'x' is of kind are and lacks state" },
	{ MUST(CHECK("x", "are", "\"state\":\"running\",\"within_seconds\":1")),
	  "is of kind are and lacks jobs" },
	{ MUST(CHECK("x", "are", "\"jobs\":[\"claim\"],\"state\":\"running\","
				 "\"within_seconds\":1,\"for_seconds\":2")),
	  "is of kind are, which has no member for_seconds" },
	{ MUST(CHECK("x", "are", "\"jobs\":[\"claim\"],\"state\":\"running\","
				 "\"within_seconds\":5,\"at_worst_seconds\":5")),
	  "has at_worst_seconds that are not later than within_seconds" },
	{ MUST(CHECK("x", "count", "\"jobs\":[\"o*\"],\"state\":\"running\",\"is\":1,"
				   "\"at_most\":2")),
	  "has is beside at_least or at_most" },
	{ MUST(CHECK("x", "count", "\"jobs\":[\"o*\"],\"state\":\"running\",\"at_least\":3,"
				   "\"at_most\":2")),
	  "has at_least above at_most" },
	{ MUST(CHECK("x", "count", "\"jobs\":[\"o*\"],\"state\":\"running\",\"is\":3")),
	  "nothing says how long it is watched" },
	{ MUST(CHECK("x", "explain_has", "\"answer\":\"state\"")), "has no fields" },
	{ MUST(CHECK("x", "explain_has", "\"answer\":\"explain\",\"fields\":[\"code\"]")),
	  "has no jobs" },
	{ MUST(CHECK("x", "lost_none", "\"jobs\":[\"o1\"],\"first\":true")),
	  "has first, and reads no answer" },
	{ MUST(CHECK("x", "equal_runs", "\"jobs\":[\"o1\"]")), "needs runs of 2 or more" },
	{ MUST(CHECK("x", "sum_at_most", "\"queues\":[\"a\"],\"is\":1")), "has no at_most" },
	{ MUST(CHECK("x", "sum_at_most", "\"queues\":[\"c\"],\"at_most\":1")),
	  "names a queue that is not there" },
	{ MUST(CHECK("x", "on_node", "\"jobs\":[\"o1\"],\"nodes\":[\"n9\"],\"within_seconds\":1")),
	  "names a node that is not there" },
	{ MUST(STARTS "," STARTS), "expect 'starts' stands there twice" },
	{ MUST(CHECK("x", "are", "\"jobs\":[\"claim\"],\"state\":\"running\","
				 "\"within_seconds\":1,\"one_of\":\"g\"")),
	  "is alone in its group one_of" },
	{ MUST("{\"id\":\"x\",\"check\":\"nearly\"}"), "takes one of" },
	{ "{\"kind\":\"gpuaas.scenario/1\",\"id\":\"T\",\"level\":\"must\",\"title\":\"t\","
	  "\"requirements\":[],\"needs\":[],\"clock\":\"any\",\"nodes\":[],\"queues\":[],"
	  "\"arrange\":[],\"given\":[],\"act\":[],\"expect\":[],\"negative\":\"x\"}",
	  "is empty" },
};

static void judge_one(const char *name, const char *scenario_text, const char *tape,
		      const char *outcome, const char *why, int64_t agreeing)
{
	struct ga_scenario scenario;
	struct ga_trial trial;
	struct ga_verdict verdict, again;
	struct ga_err err = GA_ERR_INIT;

	if (ga_rec_parse_text(scenario_text, &ga_scenario_schema, &scenario, &err) < 0 ||
	    ga_scenario_check(&scenario, &err) < 0 || tape_read(tape, &trial, &err) < 0) {
		t_ok(false, "%s: %s", name, err.msg);
		return;
	}
	ga_judge(&scenario, DIGEST, &trial, &verdict);
	t_str(verdict.outcome, outcome, "%s: %s", name, verdict.why);
	t_ok(!why || strstr(verdict.why, why), "%s says '%s': %s", name, why ? why : "",
	     verdict.why);
	t_ok(agreeing == GA_UNKNOWN || verdict.agreeing == agreeing, "%s: %" PRId64 " runs agree",
	     name, verdict.agreeing);
	t_ok(!ga_schema_check(&ga_verdict_schema, &verdict, &err), "%s: a record: %s", name,
	     err.msg);
	ga_judge(&scenario, DIGEST, &trial, &again);
	ga_autofree char *a = ga_rec_format_text(&ga_verdict_schema, &verdict),
			 *b = ga_rec_format_text(&ga_verdict_schema, &again);

	t_str(a, b, "%s: judged again", name);
	ga_schema_release(&ga_verdict_schema, &verdict);
	ga_schema_release(&ga_verdict_schema, &again);
	ga_schema_release(&ga_scenario_schema, &scenario);
	ga_trial_release(&trial);
}

static void refuse_one(size_t i)
{
	struct ga_scenario scenario;
	struct ga_err err = GA_ERR_INIT;
	int r = ga_rec_parse_text(wrong[i].scenario, &ga_scenario_schema, &scenario, &err);

	if (!r) {
		r = ga_scenario_check(&scenario, &err);
		ga_schema_release(&ga_scenario_schema, &scenario);
	}
	t_code(r, &err, GA_BADREC, wrong[i].why, "refused: %s: %s", wrong[i].why, err.msg);
}

/* The numbers of a verdict, which the matrix compares. */
static void measure(const char *name, const char *tape, const char *expected)
{
	static const char text[] = MUST(STARTS);
	ga_autostr struct ga_str values = GA_STR_INIT;
	struct ga_scenario scenario;
	struct ga_trial trial;
	struct ga_verdict verdict;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	if (ga_rec_parse_text(text, &ga_scenario_schema, &scenario, &err) < 0 ||
	    tape_read(tape, &trial, &err) < 0) {
		t_ok(false, "%s: %s", name, err.msg);
		return;
	}
	ga_judge(&scenario, DIGEST, &trial, &verdict);
	for (i = 0; i < verdict.values.n; i++)
		ga_str_addf(&values, "%s%s %" PRId64, i ? ", " : "", verdict.values.v[i].name,
			    verdict.values.v[i].value);
	t_str(values.buf, expected, "%s", name);
	ga_schema_release(&ga_verdict_schema, &verdict);
	ga_schema_release(&ga_scenario_schema, &scenario);
	ga_trial_release(&trial);
}

int main(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		judge_one(cases[i].name, cases[i].scenario, cases[i].tape, cases[i].outcome,
			  cases[i].why, GA_UNKNOWN);
	for (i = 0; i < GA_ARRAY_SIZE(runs); i++)
		judge_one(runs[i].name, runs[i].scenario, runs[i].tape, runs[i].outcome,
			  runs[i].why, runs[i].agreeing);
	for (i = 0; i < GA_ARRAY_SIZE(wrong); i++)
		refuse_one(i);
	measure("two are evicted, one of them with a name", FULL EVICTED TAKES ENDS,
		"start_ms 3400, first_job_ms 400, evictions 2, evictions_explained 1, "
		"lost_slot_seconds 10");
	measure("the best explanation counts, and what a pool shows",
		FULL EVICTED TAKES LONG "14000 phase ask\n+ answer explain "
		"{\"job\":\"claim\",\"as\":\"owner\",\"code\":\"no_capacity\"}\n+ answer explain "
		"{\"job\":\"claim\",\"as\":\"owner\",\"code\":\"no_capacity\",\"missing\":0,"
		"\"native\":\"Resources\"}\n+ answer state {\"pools\":[{\"name\":\"p\",\"free\":0,"
		"\"largest_block\":0}]}\n+ end\n",
		"start_ms 3400, first_job_ms 400, evictions 2, evictions_explained 1, "
		"lost_slot_seconds 10, explain_fields 3, largest_block_shown 1");
	return t_done();
}
