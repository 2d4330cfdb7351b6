/* SPDX-License-Identifier: Apache-2.0 */
/* The pages whose items gpuaas-explain prints, inside the program. */
#include "cli/explain/explain.h"

#define PAGES(X) \
	X(ga_page_codes, "gpuaas-codes", "7") \
	X(ga_page_operations, "gpuaas-operations", "7") \
	X(ga_page_export, "gpuaas-export", "1") \
	X(ga_page_gpuaas, "gpuaas", "7")

#define INCLUDE(symbol, name, section) \
	__asm__(".pushsection .rodata\n" #symbol ":\n\t.incbin \"" GA_SOURCE_DIR "/man/" name "." \
		section "\"\n\t.byte 0\n.popsection\n"); \
	extern const char symbol[];

PAGES(INCLUDE)

#define ROW(symbol, name, section) { name, section, symbol },

const struct ga_explain_page ga_explain_pages[] = { PAGES(ROW) { NULL, NULL, NULL } };
