/* SPDX-License-Identifier: Apache-2.0 */
/* JSON columns and generations: every reader of a row relies on their form. */
#include "state/db/invariant.h"

/*
 * JSON columns. A text of another form is refused here with a sentence. A text of the right form
 * that is not JSON is refused by json_each itself, as "malformed JSON" (json_each is the only JSON
 * function that a trigger may use with trusted_schema off). The count of members is never negative:
 * it only makes json_each parse the text.
 */
#define NOT_OBJECT(c) "(" c " NOT GLOB '{*}' OR (SELECT count(*) FROM json_each(" c ")) < 0)"
#define NOT_REASONS(c) \
	"(" c " <> '[]' AND (" c " NOT GLOB '[[]{*}]' OR EXISTS (SELECT 1 FROM " \
	"json_each(" c ") r WHERE r.type <> 'object' OR NOT EXISTS (SELECT 1 FROM " \
	"json_each(r.value) m WHERE m.key = 'code' AND m.type = 'text'))))"
/* For the records of a placement only the first letter is checked: parsing plan and request would
 * cost each placement as much as its indexes. Readers and the check parse the rest. */
#define NOT_BEGUN(c) c " NOT GLOB '{*'"
/* A value that an update does not change may be older than these rules. */
#define NOW(c, not) "(NEW." c " IS NOT OLD." c " AND " not("NEW." c) ")"
#define REASONS_SENTENCE "check: blockers are a list of reasons, each with a code"
#define OBJECT_SENTENCE "check: a record is a JSON object"
/* An adopted row continues from the number of its host. The last numbers of records are
 * kept free. */
#define NO_GENERATION "NEW.generation NOT BETWEEN 0 AND 4503599627370496"
#define GENERATION_SENTENCE "birth: the generation of a row has others behind it"

const struct ga_rule ga_rules_json[] = {
	{ "slot_new_blockers", "BEFORE INSERT ON slot", NOT_REASONS("NEW.blockers"),
	  REASONS_SENTENCE, NULL },
	{ "slot_blockers", "BEFORE UPDATE OF health_state, blockers ON slot",
	  NOW("blockers", NOT_REASONS), REASONS_SENTENCE, NULL },
	{ "node_new_blockers", "BEFORE INSERT ON node", NOT_REASONS("NEW.blockers"),
	  REASONS_SENTENCE, NULL },
	{ "node_blockers", "BEFORE UPDATE OF blockers, network, partitions ON node",
	  NOW("blockers", NOT_REASONS), REASONS_SENTENCE, NULL },
	{ "node_new_json", "BEFORE INSERT ON node",
	  NOT_OBJECT("NEW.network") " OR " NOT_OBJECT("NEW.partitions"), OBJECT_SENTENCE, NULL },
	{ "node_json", "BEFORE UPDATE OF blockers, network, partitions ON node",
	  NOW("network", NOT_OBJECT) " OR " NOW("partitions", NOT_OBJECT), OBJECT_SENTENCE, NULL },
	{ "allocation_new_json", "BEFORE INSERT ON allocation",
	  NOT_BEGUN("NEW.request") " OR " NOT_BEGUN("NEW.profile_record") " OR "
	  NOT_BEGUN("NEW.plan") " OR " NOT_BEGUN("NEW.network") " OR "
	  NOT_BEGUN("NEW.order_text"), OBJECT_SENTENCE, NULL },
	/* The request never changes. */
	{ "allocation_json", "BEFORE UPDATE ON allocation",
	  NOW("profile_record", NOT_BEGUN) " OR " NOW("plan", NOT_BEGUN) " OR "
	  NOW("network", NOT_BEGUN) " OR "
	  NOW("order_text", NOT_BEGUN), OBJECT_SENTENCE, NULL },
	{ "profile_json", "BEFORE INSERT ON profile", NOT_OBJECT("NEW.record"), OBJECT_SENTENCE,
	  NULL },
	{ "app_json", "BEFORE INSERT ON app", NOT_OBJECT("NEW.record"), OBJECT_SENTENCE, NULL },
	{ "slot_birth_generation", "BEFORE INSERT ON slot", NO_GENERATION,
	  GENERATION_SENTENCE, NULL },
	{ "node_birth_generation", "BEFORE INSERT ON node", NO_GENERATION,
	  GENERATION_SENTENCE, NULL },
	{ "allocation_birth_generation", "BEFORE INSERT ON allocation", NO_GENERATION,
	  GENERATION_SENTENCE, NULL },
	{ .name = NULL },
};
