/* SPDX-License-Identifier: Apache-2.0 */
/* Writes cost rows in FOCUS 1.2. */
#include "exchange/focus.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "record/rec.h"
#include "record/time.h"

/* In the order of the header, which is sorted by name; the columns that are not of FOCUS come
 * last. */
enum column {
	BILLED_COST, BILLING_ACCOUNT_ID, BILLING_ACCOUNT_NAME, BILLING_ACCOUNT_TYPE,
	BILLING_CURRENCY, BILLING_PERIOD_END, BILLING_PERIOD_START, CHARGE_CATEGORY, CHARGE_CLASS,
	CHARGE_DESCRIPTION, CHARGE_FREQUENCY, CHARGE_PERIOD_END, CHARGE_PERIOD_START,
	CONSUMED_QUANTITY, CONSUMED_UNIT, CONTRACTED_COST, CONTRACTED_UNIT_PRICE, EFFECTIVE_COST,
	INVOICE_ISSUER_NAME, LIST_COST, LIST_UNIT_PRICE, PRICING_CATEGORY, PRICING_QUANTITY,
	PRICING_UNIT, PROVIDER_NAME, PUBLISHER_NAME, REGION_ID, REGION_NAME, RESOURCE_ID,
	RESOURCE_NAME, RESOURCE_TYPE, SERVICE_CATEGORY, SERVICE_NAME, SERVICE_SUBCATEGORY, SKU_ID,
	SKU_METER, SKU_PRICE_DETAILS, SKU_PRICE_ID, SUB_ACCOUNT_ID, SUB_ACCOUNT_NAME,
	SUB_ACCOUNT_TYPE, TAGS, X_GPU_COUNT, X_PROFILE_VERSION, COLUMNS,
};

static const char header[] =
	"BilledCost,BillingAccountId,BillingAccountName,BillingAccountType,BillingCurrency,"
	"BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass,ChargeDescription,"
	"ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,ConsumedQuantity,ConsumedUnit,"
	"ContractedCost,ContractedUnitPrice,EffectiveCost,InvoiceIssuerName,ListCost,"
	"ListUnitPrice,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,"
	"RegionId,RegionName,ResourceId,ResourceName,ResourceType,ServiceCategory,ServiceName,"
	"ServiceSubcategory,SkuId,SkuMeter,SkuPriceDetails,SkuPriceId,SubAccountId,"
	"SubAccountName,SubAccountType,Tags,x_GpuCount,x_ProfileVersion\r";

/* Usage always needs a SKU: the SKU of devices of unknown type. */
static const char unknown_sku[] = "gpu-unknown";

void ga_focus_header(struct ga_str *out)
{
	ga_str_add(out, header);
}

void ga_focus_month(int64_t at, int64_t *from, int64_t *to)
{
	time_t seconds = (time_t)at;
	struct tm tm = { 0 }, first = { .tm_mday = 1 };

	gmtime_r(&seconds, &tm);
	first.tm_year = tm.tm_year;
	first.tm_mon = tm.tm_mon;
	*from = timegm(&first);
	first = (struct tm){ .tm_mday = 1, .tm_year = tm.tm_year, .tm_mon = tm.tm_mon + 1 };
	*to = timegm(&first);
}

static char *time_text(int64_t seconds)
{
	char micros[GA_TIME_SIZE];

	ga_time_format(ga_time_after(0, seconds), micros);
	return ga_xprintf("%.19sZ", micros);
}

static char *money(__int128 micros)
{
	struct ga_str out = GA_STR_INIT;

	ga_cost_format(micros, &out);
	return ga_str_take(&out);
}

static char *hours(__int128 gpu_seconds)
{
	struct ga_str out = GA_STR_INIT;

	ga_cost_hours(gpu_seconds, 12, &out);
	return ga_str_take(&out);
}

static char *json_text(json_t *json)
{
	struct ga_str out = GA_STR_INIT;

	ga_rec_dump(json, &out);
	json_decref(json);
	return ga_str_take(&out);
}

static void add_cell(const char *text, struct ga_str *out)
{
	bool formula = text && *text && strchr("=+-@\t\r", *text);

	if (!text)
		return;
	if (!formula && !text[strcspn(text, ",\"\r\n")] && *text != ' ') {
		ga_str_add(out, text);
		return;
	}
	ga_str_addc(out, '"');
	if (formula)
		ga_str_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			ga_str_addc(out, '"');
		ga_str_addc(out, *text);
	}
	ga_str_addc(out, '"');
}

/* The texts of one row; freed after the row. */
struct made {
	char *cost, *price, *quantity, *month_from, *month_to, *from, *to;
	char *description, *details, *price_id, *tags, *count, *version;
};

static const char *sku_of(const struct ga_focus *f)
{
	return f->type ? f->type : unknown_sku;
}

static void make(const struct ga_focus *f, struct made *m)
{
	m->cost = money(f->cost_micros);
	m->price = money(f->price_micros);
	m->quantity = hours((__int128)f->count * (f->to - f->from));
	m->month_from = time_text(f->month_from);
	m->month_to = time_text(f->month_to);
	m->from = time_text(f->from);
	m->to = time_text(f->to);
	m->description = ga_xprintf("%s, %" PRId64 " GPU%s for %" PRId64 " s",
				    f->type ? f->type : "GPU of unknown type", f->count,
				    f->count == 1 ? "" : "s", f->to - f->from);
	/* The same in every charge with this price: for one unit, a GPU hour. */
	m->details = json_text(json_pack("{s:i, s:s*, s:s*}", "GpuCount", 1, "x_AcceleratorType",
					 f->type, "x_Profile", f->profile));
	m->price_id = ga_xprintf("%s/%s", sku_of(f), f->profile);
	m->count = ga_xprintf("%" PRId64, f->count);
	m->version = ga_xprintf("%" PRId64, f->profile_version);
	m->tags = json_text(json_pack("{s:s*, s:s*, s:s*, s:s*}", "team", f->team, "project",
				      f->project, "workload", f->name,
				      "accelerator.opendatahub.io/type", f->type));
}

static void release(struct made *m)
{
	char **p = (char **)m;

	for (; p < (char **)(m + 1); p++)
		free(*p);
}

void ga_focus_row(const struct ga_focus *f, struct ga_str *out)
{
	bool baremetal = ga_streq(f->shape, "baremetal");
	struct made m;
	size_t i;

	make(f, &m);
	const char *const cells[COLUMNS] = {
		[BILLED_COST] = m.cost,
		[BILLING_ACCOUNT_ID] = f->provider,
		[BILLING_ACCOUNT_NAME] = f->provider,
		[BILLING_ACCOUNT_TYPE] = "Internal",
		[BILLING_CURRENCY] = f->currency,
		[BILLING_PERIOD_END] = m.month_to,
		[BILLING_PERIOD_START] = m.month_from,
		[CHARGE_CATEGORY] = "Usage",
		[CHARGE_DESCRIPTION] = m.description,
		[CHARGE_FREQUENCY] = "Usage-Based",
		[CHARGE_PERIOD_END] = m.to,
		[CHARGE_PERIOD_START] = m.from,
		[CONSUMED_QUANTITY] = m.quantity,
		[CONSUMED_UNIT] = "GPU-Hours",
		[CONTRACTED_COST] = m.cost,
		[CONTRACTED_UNIT_PRICE] = m.price,
		[EFFECTIVE_COST] = m.cost,
		[INVOICE_ISSUER_NAME] = f->provider,
		[LIST_COST] = m.cost,
		[LIST_UNIT_PRICE] = m.price,
		[PRICING_CATEGORY] = "Standard",
		[PRICING_QUANTITY] = m.quantity,
		[PRICING_UNIT] = "GPU-Hours",
		[PROVIDER_NAME] = f->provider,
		[PUBLISHER_NAME] = f->provider,
		[REGION_ID] = f->region,
		[REGION_NAME] = f->region,
		[RESOURCE_ID] = f->allocation,
		[RESOURCE_NAME] = f->name,
		[RESOURCE_TYPE] = baremetal ? "GPU Machine" : "GPU Slice",
		[SERVICE_CATEGORY] = "AI and Machine Learning",
		[SERVICE_NAME] = "GPU as a Service",
		[SERVICE_SUBCATEGORY] = "AI Platforms",
		[SKU_ID] = sku_of(f),
		[SKU_METER] = "GPU time",
		[SKU_PRICE_DETAILS] = m.details,
		[SKU_PRICE_ID] = m.price_id,
		[SUB_ACCOUNT_ID] = f->team ? f->team : f->project,
		[SUB_ACCOUNT_NAME] = f->team ? f->team : f->project,
		[SUB_ACCOUNT_TYPE] = f->team ? "Team" : "Project",
		[TAGS] = m.tags,
		[X_GPU_COUNT] = m.count,
		[X_PROFILE_VERSION] = m.version,
	};
	for (i = 0; i < COLUMNS; i++) {
		if (i)
			ga_str_addc(out, ',');
		add_cell(cells[i], out);
	}
	ga_str_addc(out, '\r');
	release(&m);
}
