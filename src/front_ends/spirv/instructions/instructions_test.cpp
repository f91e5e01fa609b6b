// Instructions of functions: what they become, and which operands they refuse.
#include "front_ends/spirv/assemble.h"

namespace lockstep::compiler::spirv {
namespace {

void expect_ir(const std::string &body, std::initializer_list<const char *> parts,
               const std::string &declarations = "", const std::string &capabilities = "") {
  ReadModule read(module_with(body, capabilities, declarations));
  EXPECT_EQ(read.error, "");
  for (const char *part : parts)
    EXPECT_TRUE(read.has(part)) << part << "\n" << read.ir();
}

void expect_error(const std::string &body, const std::string &sentence,
                  const std::string &declarations = "", const std::string &capabilities = "") {
  ReadModule read(module_with(body, capabilities, declarations));
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

// Values that are not constants: nothing folds.
std::string loaded(const std::string &type) {
  return "%" + type + "_v = OpLoad %" + type + " %u_g_" + type + "\n";
}

// ---- arithmetic ----

TEST(Arithmetic, Integers) {
  const std::string a = loaded("int");
  expect_ir(a + "%x = OpIAdd %int %int_v %int_7", {"= add i32 %1, 7"});
  expect_ir("OpNop\n" + a + "%x = OpSRem %int %int_v %int_7", {"= srem i32 "});
  expect_ir(a + "%x = OpSMod %int %int_v %int_7", {"= srem i32 ", "= select i1 "});
  expect_ir(a + "%x = OpSNegate %int %int_v", {"= sub i32 0, "});
  expect_ir(loaded("int4") + "%x = OpBitCount %int4 %int4_v", {"@llvm.ctpop.v4i32"});
}

TEST(Arithmetic, ShiftsByAnotherWidth) {
  expect_ir(loaded("int") + loaded("char") + "%x = OpShiftLeftLogical %int %int_v %char_v",
            {"= zext i8 ", "= shl i32 "});
}

TEST(Arithmetic, RemaindersOfFloats) {
  expect_ir(loaded("float") + "%x = OpFRem %float %float_v %float_v", {"@_Z4fmodff"});
  expect_ir(loaded("float4") + "%x = OpFMod %float4 %float4_v %float4_v",
            {"@_Z4fmodDv4_fS_", "fcmp ", "= select "});
}

TEST(Arithmetic, PairsOfResults) {
  const std::string pair = "%pair = OpTypeStruct %int %int\n";
  expect_ir(loaded("int") + "%x = OpIAddCarry %pair %int_v %int_7",
            {"icmp ult i32 ", "insertvalue"}, pair);
  expect_ir(loaded("int") + "%x = OpUMulExtended %pair %int_v %int_7", {"@_Z6mul_hijj"}, pair);
  expect_error(loaded("int") + "%x = OpSMulExtended %pair %int_v %int_7",
               "not a structure of two members", "%pair = OpTypeStruct %int %long\n");
}

TEST(Arithmetic, OperandsHaveTheTypeOfTheResult) {
  expect_error("%x = OpIAdd %int %u_int %u_float", "OpIAdd: operand 2 is float, not ints");
  expect_error("%x = OpIAdd %int %u_int %u_long", "OpIAdd: operand 2 is int64, not int32");
  expect_error("%x = OpIAdd %float %u_float %u_float", "its result type is float, not ints");
  expect_error("%x = OpFAdd %float4 %u_float4 %u_float2",
               "operand 2 is vector of 2 float, not vector of 4 float");
  expect_error("%x = OpIAdd %int %u_int %int", "which is not a value that is defined here");
}

TEST(Arithmetic, ContractsUnlessAKernelForbidsIt) {
  expect_ir(loaded("float") + "%x = OpFMul %float %float_v %float_v", {"fmul contract float"});
  std::string text = module_with(loaded("float") + "%x = OpFMul %float %float_v %float_v");
  const std::string entry = "OpEntryPoint Kernel %f \"f\"\n";
  text.insert(text.find(entry) + entry.size(), "OpExecutionMode %f ContractionOff\n");
  ReadModule read(text);
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("fmul float")) << read.ir();
}

// ---- comparisons and conversions ----

TEST(Comparisons, Predicates) {
  expect_ir(loaded("int") + "%x = OpULessThan %bool %int_v %int_7", {"icmp ult i32"});
  expect_ir(loaded("float") + "%x = OpFUnordNotEqual %bool %float_v %float_v", {"une float"});
  expect_ir(loaded("float") + "%x = OpIsInf %bool %float_v", {"@_Z5isinff", "icmp ne i32"});
  expect_error("%x = OpIEqual %bool %u_int4 %u_int4", "another number of components");
}

TEST(Conversions, OutOfRangeIsNotPoison) {
  expect_ir(loaded("float") + "%x = OpConvertFToS %int %float_v", {"fptosi", "freeze i32"});
}

TEST(Conversions, Bits) {
  expect_ir(loaded("float") + "%x = OpBitcast %int %float_v", {"bitcast float"});
  expect_error("%x = OpBitcast %long %u_float",
               "operand 1 is float, which cannot be cast to int64");
  expect_error("%x = OpBitcast %bool %u_int", "cannot be cast to bool");
  expect_error("%x = OpBitcast %g_int %u_l_int", "cannot be cast to pointer");
}

TEST(Conversions, Pointers) {
  expect_ir("%x = OpLoad %g_int %u_p_p\n%y = OpPtrCastToGeneric %q_int %x",
            {"addrspacecast ptr addrspace(1) "},
            "%p_p = OpTypePointer Function %g_int\n"
            "%u_p_p = OpUndef %p_p\n");
  expect_error("%x = OpPtrCastToGeneric %q_int %u_c_int", "cannot be cast to Generic");
  expect_error("%x = OpGenericCastToPtr %l_int %u_g_int", "is not in the storage class Generic");
}

// ---- composites ----

constexpr const char *aggregates = R"(
%array = OpTypeArray %int4 %int_3
%struct = OpTypeStruct %float %array
%p_struct = OpTypePointer Function %struct
%u_p_struct = OpUndef %p_struct
)";

TEST(Composites, PartsOfParts) {
  expect_ir("%s = OpLoad %struct %u_p_struct\n%x = OpCompositeExtract %int %s 1 2 3\n"
            "%y = OpCompositeInsert %struct %x %s 1 0 2",
            {"extractvalue %struct %1, 1, 2", "extractelement <4 x i32>", "insertelement <4 x i32>",
             "insertvalue %struct %1"},
            aggregates);
  expect_error("%s = OpLoad %struct %u_p_struct\n%x = OpCompositeExtract %int %s 1 3 3",
               "operand 3 is 3, but array does not have such a part", aggregates);
  expect_error("%s = OpLoad %struct %u_p_struct\n%x = OpCompositeExtract %int %s 1 2 3 0",
               "int32 does not have such a part", aggregates);
  expect_error("%s = OpLoad %struct %u_p_struct\n%x = OpCompositeExtract %float %s 1 2 3",
               "the result cannot be float", aggregates);
}

TEST(Composites, VectorsFromParts) {
  expect_ir(loaded("int2") + loaded("int") + "%x = OpCompositeConstruct %int3 %int2_v %int_v",
            {"insertelement <3 x i32>"});
  expect_error("%x = OpCompositeConstruct %int3 %u_int2 %u_int2", "is one component too many");
  expect_error("%x = OpCompositeConstruct %int4 %u_int2 %u_int", "fewer components");
  expect_error("%x = OpCompositeConstruct %int2 %u_float %u_int", "operand 1 is float");
}

TEST(Composites, ShufflesOfVectorsOfOtherLengths) {
  expect_ir(
      loaded("int2") + loaded("int4") + "%x = OpVectorShuffle %int3 %int2_v %int4_v 1 2 0xffffffff",
      {"<4 x i32> <i32 0, i32 1, i32 poison, i32 poison>", "<3 x i32> <i32 1, i32 4, i32 poison>"});
  expect_error("%x = OpVectorShuffle %int2 %u_int2 %u_int4 1 6", "beyond the last component");
  expect_error("%x = OpVectorShuffle %int3 %u_int2 %u_int4 1 5", "the result cannot be");
}

// ---- memory ----

TEST(Memory, SizesOfTypes) {
  const std::string types = "%struct = OpTypeStruct %char %long\n"
                            "%g_struct = OpTypePointer CrossWorkgroup %struct\n"
                            "%u_g_struct = OpUndef %g_struct\n"
                            "%p_fn = OpTypePointer Function %fn\n"
                            "%u_p_fn = OpUndef %p_fn\n";
  expect_ir("%x = OpSizeOf %int %u_g_struct\nOpStore %u_g_int %x", {"store i32 16, "}, types);
  expect_ir("%x = OpSizeOf %int %u_c_int3\nOpStore %u_g_int %x", {"store i32 16, "});
  expect_error("%x = OpSizeOf %int %u_p_fn", "OpSizeOf: operand 1 points to a type without a size",
               types);
  expect_error("%x = OpSizeOf %long %u_g_int", "OpSizeOf: ");
}

TEST(Memory, OperandsOfAccesses) {
  expect_ir("%x = OpLoad %int %u_g_int Volatile|Aligned 2", {"load volatile i32", "align 2"});
  expect_ir("OpStore %u_g_int %int_1 Nontemporal", {"store i32 1", "!nontemporal"});
  // LLVM 22 writes 128 so.
  expect_ir("%x = OpLoad %int %u_g_int Aligned 4294967168", {"align 4"});
  expect_error("%x = OpLoad %int %u_g_int !2", "the alignment is missing");
  expect_error("%x = OpLoad %int %u_g_float", "points to float, not int32");
}

TEST(Memory, VariablesAreInTheEntryBlock) {
  expect_ir("OpBranch %next\n%next = OpLabel\n%v = OpVariable %p_int Function %int_7\n",
            {"entry:\n  %0 = alloca i32, align 4", "store i32 7, ptr %0"});
  expect_error("%v = OpVariable %g_int CrossWorkgroup", "in the storage class Function");
}

TEST(Memory, LargeConstantsAreCopied) {
  const std::string array = "%n = OpConstant %int 4096\n%big = OpTypeArray %int %n\n"
                            "%p_big = OpTypePointer Function %big\n%zero = OpConstantNull %big\n";
  expect_ir("%v = OpVariable %p_big Function %zero",
            {"@llvm.memset.p0.i64(ptr align 4 %0, i8 0, "
             "i64 16384"},
            array);
}

// LLVM would take the value apart into its elements.
TEST(Memory, ArraysOfManyElementsAreNotValues) {
  const std::string array = "%n = OpConstant %int 100000\n%big = OpTypeArray %int %n\n"
                            "%p_big = OpTypePointer Function %big\n%u_p_big = OpUndef %p_big\n";
  expect_error("%x = OpLoad %big %u_p_big", "the result has more than 65536 scalars", array);
  expect_ir("%v = OpVariable %p_big Function\nOpCopyMemory %v %u_p_big",
            {"@llvm.memmove", "i64 400000"}, array);
}

TEST(Memory, Copies) {
  expect_ir("OpCopyMemorySized %u_g_int %u_c_int %int_16 Aligned 4",
            {"@llvm.memmove.p1.p2.i64(ptr addrspace(1) align 4", "i64 16"});
  expect_ir("OpCopyMemory %u_p_int4 %u_g_int4", {"@llvm.memmove.p0.p1.i64(ptr align 16"});
  expect_error("OpCopyMemory %u_p_int4 %u_g_int", "points to vector of 4 int32, not int32");
}

TEST(Memory, AccessChains) {
  const std::string variable = "%v = OpVariable %p_struct Function\n";
  expect_ir(variable + "%i = OpLoad %int %u_g_int\n"
                       "%x = OpInBoundsAccessChain %p_int4 %v %long_1 %i",
            {"getelementptr inbounds %struct, ptr %0, i32 0, i32 1, i32 %2"},
            std::string(aggregates) + "%long_1 = OpConstant %long 1\n");
  expect_ir("%v = OpVariable %p_int Function\n%x = OpPtrAccessChain %p_int %v %int_7",
            {"getelementptr i32, ptr %0, i32 7"});
  expect_error("%x = OpAccessChain %p_int4 %u_p_struct %int_2 %int_0",
               "OpAccessChain: operand 2 is not a constant below the number", aggregates);
  expect_error("%i = OpLoad %int %u_g_int\n%x = OpAccessChain %p_int4 %u_p_struct %i", "operand 2",
               aggregates);
  expect_error("%x = OpAccessChain %p_int %u_p_struct %int_1 %int_0", "its result type to int32",
               aggregates);
  expect_error("%x = OpAccessChain %g_float %u_p_struct %int_0", "the result cannot be pointer",
               aggregates);
}

// ---- built-in variables ----

TEST(BuiltIns, AreCallsInTheEntryBlock) {
  std::string text = module_with("%x = OpLoad %long3 %id\n", "", R"(
%in = OpTypePointer Input %long3
%id = OpVariable %in Input
)");
  const std::string entry = "OpEntryPoint Kernel %f \"f\"\n";
  text.insert(text.find(entry) + entry.size(), "OpDecorate %id BuiltIn GlobalInvocationId\n");
  ReadModule read(text);
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("call spir_func i64 @_Z13get_global_idj(i32 2)")) << read.ir();
  EXPECT_TRUE(read.has("= load <3 x i64>")) << read.ir();
}

TEST(BuiltIns, AreNoConstants) {
  std::string text = module_with("", "", R"(
%in = OpTypePointer Input %long3
%id = OpVariable %in Input
%array = OpTypeArray %int %id
)");
  const std::string entry = "OpEntryPoint Kernel %f \"f\"\n";
  text.insert(text.find(entry) + entry.size(), "OpDecorate %id BuiltIn GlobalInvocationId\n");
  EXPECT_NE(ReadModule(text).error.find("OpTypeArray: operand 2 is not an integer constant"),
            std::string::npos)
      << ReadModule(text).error;
}

// ---- control flow ----

TEST(ControlFlow, BlocksMayComeBeforeTheirDominators) {
  expect_ir(R"(
%x = OpLoad %int %u_g_int
%c = OpIEqual %bool %x %int_7
OpBranchConditional %c %a %b
%b = OpLabel
%y = OpPhi %int %z %d %int_3 %entry
OpStore %u_g_int %y
OpBranch %end
%d = OpLabel
%z = OpIAdd %int %w %int_1
OpBranch %b
%a = OpLabel
%w = OpIMul %int %x %int_5
OpBranch %d
%end = OpLabel
)",
            {"= phi i32"});
}

TEST(ControlFlow, Phis) {
  const std::string diamond = R"(
%x = OpLoad %int %u_g_int
%c = OpIEqual %bool %x %int_7
OpBranchConditional %c %a %b
%a = OpLabel
OpBranch %b
%b = OpLabel
)";
  expect_error(diamond + "%y = OpPhi %int %int_1 %a", "a predecessor of the block is missing");
  expect_error(diamond + "%y = OpPhi %int %int_1 %a %int_2 %entry %int_3 %b",
               "a block that is not a predecessor is named");
  expect_error(diamond + "%y = OpPhi %int %int_1 %a %u_float %entry", "operand 3 is not a value");
  expect_error(diamond + "%y = OpPhi %int %int_1 %a %int_2 %a", "was named before");
  expect_error(diamond + "OpStore %u_g_int %int_1\n%y = OpPhi %int %int_1 %a %int_2 %entry",
               "at the beginning of its block");
}

TEST(ControlFlow, Switches) {
  expect_ir("%x = OpLoad %long %u_g_long\nOpSwitch %x %end 4294967296 %end 2 %end\n%end = OpLabel",
            {"switch i64 %1, label %", "i64 4294967296, label %"});
  expect_error("%x = OpLoad %int %u_g_int\nOpSwitch %x %end 1 %end 1 %end\n%end = OpLabel",
               "the literal of an earlier branch");
}

constexpr const char *loop = R"(
OpBranch %head
%head = OpLabel
%n = OpPhi %int %int_0 %entry %m %latch
OpLoopMerge %out %latch HINT
OpBranch %latch
%latch = OpLabel
%m = OpIAdd %int %n %int_1
%c = OpIEqual %bool %m %int_7
OpBranchConditional %c %out %head
%out = OpLabel
)";

std::string loop_with(const std::string &hint) {
  std::string text = loop;
  return text.replace(text.find("HINT"), 4, hint);
}

TEST(ControlFlow, HintsOfLoops) {
  expect_ir(loop_with("Unroll"), {"br i1 %", "!llvm.loop ", "!\"llvm.loop.unroll.enable\""});
  expect_ir(loop_with("DontUnroll"), {"!\"llvm.loop.unroll.disable\""});
  expect_ir(loop_with("DependencyLength|PartialCount 9 4"),
            {"!\"llvm.loop.unroll.count\", i32 4}"});
  ReadModule none(module_with(loop_with("None")));
  EXPECT_EQ(none.error, "");
  EXPECT_FALSE(none.has("llvm.loop"));
}

TEST(ControlFlow, ValuesOfOtherFunctionsAreUnknown) {
  std::string text = module_with("%x = OpLoad %int %u_g_int\n");
  text += "%g = OpFunction %void None %fn\n%e2 = OpLabel\nOpStore %u_g_int %x\nOpReturn\n"
          "OpFunctionEnd\n";
  ReadModule read(text);
  EXPECT_NE(read.error.find("which is not a value that is defined here"), std::string::npos)
      << read.error;
  text = module_with("");
  text += "%g = OpFunction %void None %fn\n%e2 = OpLabel\nOpBranch %entry\nOpFunctionEnd\n";
  ReadModule jumps(text);
  EXPECT_NE(jumps.error.find("is not a label of this function"), std::string::npos) << jumps.error;
}

TEST(ControlFlow, DefinitionsDominateTheirUses) {
  expect_error(R"(
%x = OpLoad %int %u_g_int
%c = OpIEqual %bool %x %int_7
OpBranchConditional %c %a %b
%a = OpLabel
%y = OpIAdd %int %x %int_5
OpBranch %b
%b = OpLabel
OpStore %u_g_int %y
)",
               "OpIAdd: the result is used in a block that can be reached without it");
}

TEST(ControlFlow, Calls) {
  expect_error("%x = OpFunctionCall %void %f", "is a kernel, which cannot be called");
  expect_error("%x = OpFunctionCall %void %int_1", "is not a function");
}

TEST(ControlFlow, UnknownInstructions) {
  expect_error("OpKill\n%dead = OpLabel", "opcode 252: the instruction is not supported");
}

} // namespace
} // namespace lockstep::compiler::spirv
