/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-layout.h"

#define CLASS "v8dbg_class_"
#define TYPE  "v8dbg_type_"
#define DEOPT "v8dbg_DeoptimizationData"

const char *const v8_names[V8_CONSTANTS][V8_NAMES] = {
	[V8_MAJOR] = {"_ZN2v88internal7Version6major_E"},
	[V8_MINOR] = {"_ZN2v88internal7Version6minor_E"},
	[V8_BUILD] = {"_ZN2v88internal7Version6build_E"},
	[V8_FUNCTION_SHARED] = {CLASS "JSFunction__shared__SharedFunctionInfo"},
	[V8_SHARED_NAME] = {CLASS "SharedFunctionInfo__name_or_scope_info__Object",
		CLASS "SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
		CLASS "SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_"},
	[V8_SHARED_SCRIPT] = {CLASS
		"SharedFunctionInfo__script_or_debug_info__HeapObject",
		CLASS "SharedFunctionInfo__script__Tagged_HeapObject_"},
	[V8_SCRIPT_SOURCE] = {CLASS "Script__source__Object"},
	[V8_SCRIPT_NAME] = {CLASS "Script__name__Object"},
	[V8_SCOPE_LOCALS] = {"v8dbg_scopeinfo_idx_ncontextlocals"},
	[V8_SCOPE_FIRST] = {"v8dbg_scopeinfo_idx_first_vars"},
	[V8_CODE_FLAGS] = {CLASS "Code__flags__uint32_t"},
	[V8_CODE_SIZE] = {CLASS "Code__instruction_size__int"},
	[V8_STREAM_START] = {CLASS "InstructionStream__instruction_start__uintptr_t"},
	[V8_DEOPT_COUNT] = {DEOPT "InlinedFunctionCountIndex"},
	[V8_DEOPT_LITERALS] = {DEOPT "LiteralArrayIndex"},
	[V8_DEOPT_SHARED] = {DEOPT "SharedFunctionInfoIndex",
		DEOPT "WrappedSharedFunctionInfoIndex"},
	[V8_DEOPT_POSITIONS] = {DEOPT "InliningPositionsIndex"},
	[V8_BYTECODE_DATA] = {CLASS "BytecodeArray__data__uintptr_t"},
	[V8_KIND_BASELINE] = {"v8dbg_CodeKindBaseline"},
	[V8_TYPE_MAP] = {TYPE "Map__MAP_TYPE"},
	[V8_TYPE_SHARED] = {TYPE "SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"},
	[V8_TYPE_SHARED_WRAPPER] = {TYPE
		"SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE"},
	[V8_TYPE_SCRIPT] = {TYPE "Script__SCRIPT_TYPE"},
	[V8_TYPE_SCOPE] = {TYPE "ScopeInfo__SCOPE_INFO_TYPE"},
	[V8_TYPE_CODE] = {TYPE "Code__CODE_TYPE"},
	[V8_TYPE_CODE_CONTAINER] = {TYPE "CodeDataContainer__CODE_DATA_CONTAINER_TYPE"},
	[V8_TYPE_STREAM] = {TYPE "InstructionStream__INSTRUCTION_STREAM_TYPE"},
	[V8_TYPE_BYTECODE] = {TYPE "BytecodeArray__BYTECODE_ARRAY_TYPE"},
	[V8_TYPE_BYTES] = {TYPE "ByteArray__BYTE_ARRAY_TYPE"},
	[V8_TYPE_TRUSTED_BYTES] = {TYPE "TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE"},
	[V8_TYPE_INTERPRETER_DATA] = {TYPE "InterpreterData__INTERPRETER_DATA_TYPE"},
};

static int64_t version_of(int64_t major, int64_t minor, int64_t build)
{
	return major * 100000000 + minor * 100000 + build;
}

static void set_default(struct v8_layout *layout, enum v8_constant constant, int32_t to)
{
	if (layout->constants[constant] < 0)
		layout->constants[constant] = to;
}

bool v8_layout_complete(struct v8_layout *layout)
{
	static const enum v8_constant needed[] = {V8_FUNCTION_SHARED, V8_SHARED_NAME,
		V8_SHARED_SCRIPT, V8_SCRIPT_SOURCE, V8_SCRIPT_NAME, V8_SCOPE_LOCALS,
		V8_SCOPE_FIRST, V8_KIND_BASELINE, V8_TYPE_MAP, V8_TYPE_SHARED,
		V8_TYPE_SCRIPT, V8_TYPE_SCOPE, V8_TYPE_CODE, V8_TYPE_BYTECODE,
		V8_TYPE_BYTES, V8_BYTECODE_DATA};
	const int32_t *constants = layout->constants;
	int64_t version =
		version_of(constants[V8_MAJOR], constants[V8_MINOR], constants[V8_BUILD]);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (constants[needed[i]] < 0)
			return false;
	if (version < version_of(10, 2, 0) || version >= version_of(15, 0, 0))
		return false;
	layout->has_streams = version >= version_of(11, 1, 204);
	layout->has_plain_deltas = version >= version_of(14, 0, 0);
	layout->has_scope_positions = version >= version_of(12, 8, 44);
	set_default(layout, V8_DEOPT_COUNT, 1);
	set_default(layout, V8_DEOPT_LITERALS, 2);
	set_default(layout, V8_DEOPT_SHARED, 6);
	set_default(layout, V8_DEOPT_POSITIONS, 7);
	if (!layout->has_streams) {
		layout->deopt = 16;
		layout->positions = 24;
		layout->header = 128;
		layout->constants[V8_CODE_FLAGS] = 48;
		layout->constants[V8_CODE_SIZE] = 40;
		return true;
	}
	bool is_older = version < version_of(11, 9, 0);
	layout->deopt = is_older ? 16 : 8;
	layout->positions = is_older ? 24 : 16;
	layout->stream = 32;
	layout->start = 40;
	set_default(layout, V8_CODE_FLAGS, 48);
	set_default(layout, V8_CODE_SIZE, is_older ? 56 : 52);
	return constants[V8_TYPE_STREAM] >= 0 && constants[V8_STREAM_START] >= 0;
}
