// Types, constants, variables, kernels and places: the parts of a module outside of blocks.
#include "front_ends/spirv/assemble.h"

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *head = R"(
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
)";

// A module of these sections.
std::string module_of(const std::string &entries_to_annotations, const std::string &rest) {
  return head + std::string("OpMemoryModel Physical64 OpenCL\n") + entries_to_annotations + R"(
%void = OpTypeVoid
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%char = OpTypeInt 8 0
%fn = OpTypeFunction %void
)" + rest;
}

constexpr const char *empty_kernel = R"(
%f = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

void expect_ir(const std::string &text, std::initializer_list<const char *> parts) {
  ReadModule read(text);
  EXPECT_EQ(read.error, "");
  for (const char *part : parts)
    EXPECT_TRUE(read.has(part)) << part << "\n" << read.ir();
}

void expect_error(const std::string &text, const std::string &sentence) {
  ReadModule read(text);
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

// ---- admission ----

TEST(Admission, NamesWhatIsNotSupported) {
  expect_error("OpCapability Kernel\nOpCapability Shader\nOpMemoryModel Physical64 OpenCL\n",
               "program.spv:7: OpCapability: the capability 1 is not supported");
  expect_error("OpCapability Kernel\nOpExtension \"SPV_X_y\"\nOpMemoryModel Physical64 OpenCL\n",
               "OpExtension: the extension SPV_X_y is not supported");
  expect_error("OpCapability Kernel\n%1 = OpExtInstImport \"GLSL.std.450\"\n"
               "OpMemoryModel Physical64 OpenCL\n",
               "the instruction set GLSL.std.450 is not supported");
  expect_error("OpCapability Kernel\nOpMemoryModel Physical32 OpenCL\n", "is not Physical64");
  expect_error("OpCapability Kernel\nOpMemoryModel Physical64 Simple\n", "the memory model OpenCL");
  expect_error("OpCapability Kernel\n", "no OpMemoryModel");
}

TEST(Admission, IgnoresNonSemanticSets) {
  expect_ir("OpCapability Kernel\nOpExtension \"SPV_KHR_non_semantic_info\"\n"
            "%1 = OpExtInstImport \"NonSemantic.Anything\"\nOpMemoryModel Physical64 OpenCL\n",
            {"spir64-unknown-unknown"});
}

// ---- types ----

TEST(Types, Limits) {
  expect_error(module_of("", "%odd = OpTypeInt 24 0\n"), "integers have 8, 16, 32 or 64 bits");
  expect_error(module_of("", "%x = OpTypeVector %int 5\n"), "2, 3, 4, 8 or 16 components");
  expect_error(module_of("", "%x = OpTypeVector %fn 4\n"), "vectors are of numbers or bools");
  expect_error(module_of("", "%n = OpConstant %long 1099511627776\n%a = OpTypeArray %int %n\n"
                             "%b = OpTypeArray %a %n\n"),
               "larger than 2^47 bytes");
  expect_error(module_of("", "%n = OpConstant %long 18446744073709551615\n"
                             "%a = OpTypeArray %int %n\n"),
               "larger than 2^47 bytes");
  expect_error(module_of("", "%a = OpTypeArray %int %int\n"), "is not an integer constant");
  expect_error(module_of("", "%s = OpTypeStruct %void\n"), "operand 1 is void, which has no size");
  expect_error(module_of("", "%s = OpTypeStruct %s\n"), "is not the id of a type");
  expect_error(module_of("", "%p = OpTypePointer Uniform %int\n"),
               "a storage class that kernels do not have");
}

TEST(Types, StructuresThatPointToThemselves) {
  expect_ir(module_of("OpName %node \"node\"\n", R"(
OpTypeForwardPointer %p CrossWorkgroup
%node = OpTypeStruct %int %p
%p = OpTypePointer CrossWorkgroup %node
%null = OpConstantNull %node
%v = OpVariable %p CrossWorkgroup %null
)"),
            {"%node = type { i32, ptr addrspace(1) }",
             "addrspace(1) global %node zeroinitializer, align 8"});
}

TEST(Types, PackedStructures) {
  expect_ir(module_of("OpDecorate %s CPacked\n", R"(
%s = OpTypeStruct %char %int
%p = OpTypePointer CrossWorkgroup %s
%v = OpVariable %p CrossWorkgroup
)"),
            {"<{ i8, i32 }>"});
}

// ---- constants ----

constexpr const char *spec_module = R"(
%bool = OpTypeBool
%b = OpSpecConstantTrue %bool
%n = OpSpecConstant %int 5
%two = OpConstant %int 2
%m = OpSpecConstantOp %int IMul %n %two
%array = OpTypeArray %char %m
%p = OpTypePointer Workgroup %array
%v = OpVariable %p Workgroup
%pi = OpTypePointer CrossWorkgroup %int
%chosen = OpSpecConstantOp %int Select %b %n %two
%w = OpVariable %pi CrossWorkgroup %chosen
)";

TEST(Constants, SpecializationHasDefaults) {
  expect_ir(module_of("OpDecorate %b SpecId 1\nOpDecorate %n SpecId 2\n", spec_module),
            {"addrspace(3) global [10 x i8]", "addrspace(1) global i32 5"});
}

TEST(Constants, SpecializationIsReplaced) {
  ReadModule read(module_of("OpDecorate %b SpecId 1\nOpDecorate %n SpecId 2\n", spec_module),
                  {{1, std::string(1, '\0')}, {2, std::string("\7\0\0\0", 4)}, {99, "abcd"}});
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("addrspace(3) global [14 x i8]")) << read.ir();
  EXPECT_TRUE(read.has("addrspace(1) global i32 2")) << read.ir();
}

TEST(Constants, OperationsAreConstant) {
  expect_error(module_of("", "%zero = OpConstant %int 0\n"
                             "%x = OpSpecConstantOp %int SDiv %zero %zero\n%p = OpTypePointer "
                             "CrossWorkgroup %int\n%v = OpVariable %p CrossWorkgroup %x\n"
                             "%long0 = OpConstant %long 0\n"
                             "%y = OpSpecConstantOp %int IAdd %zero %long0\n"),
               "OpIAdd: operand 2 is int64, not int32");
}

TEST(Constants, PartsHaveTheirTypes) {
  expect_error(module_of("", "%s = OpTypeStruct %int %char\n%one = OpConstant %int 1\n"
                             "%c = OpConstantComposite %s %one %one\n"),
               "OpConstantComposite: operand 2 is not a constant of the type");
  expect_error(module_of("", "%s = OpTypeStruct %int %char\n%one = OpConstant %int 1\n"
                             "%c = OpConstantComposite %s %one\n"),
               "fewer than its type");
  expect_error(module_of("", "%x = OpConstantNull %void\n"), "its result type is void, not any");
}

TEST(Constants, NullsOfAnotherTypeAreInitialValuesOfPointers) {
  const std::string types = "%p = OpTypePointer CrossWorkgroup %int\n"
                            "%pp = OpTypePointer CrossWorkgroup %p\n"
                            "%null = OpConstantNull %long\n%one = OpConstant %long 1\n";
  expect_ir(module_of("OpName %v \"own\"\n", types + "%v = OpVariable %pp CrossWorkgroup %null\n"),
            {"@own = internal addrspace(1) global ptr addrspace(1) null"});
  for (const char *variable :
       {"%v = OpVariable %pp CrossWorkgroup %one\n", "%v = OpVariable %p CrossWorkgroup %null\n"})
    expect_error(module_of("", types + variable),
                 "OpVariable: operand 2 is not a constant of the variable's type");
}

// ---- symbols ----

TEST(Symbols, LinkageAndReservedNames) {
  const std::string variable = "%p = OpTypePointer CrossWorkgroup %int\n"
                               "%v = OpVariable %p CrossWorkgroup\n";
  expect_ir(module_of("OpDecorate %v LinkageAttributes \"shared\" Export\n", variable),
            {"@shared = addrspace(1) global i32 0, align 4"});
  expect_ir(module_of("OpDecorate %v LinkageAttributes \"shared\" Import\n", variable),
            {"@shared = external addrspace(1) global i32, align 4"});
  expect_ir(module_of("OpName %v \"own\"\n", variable), {"@own = internal addrspace(1) global"});
  for (const char *name : {"llvm.used", "__lockstep_barrier", "lockstep.kernel", ""})
    expect_error(module_of("OpDecorate %v LinkageAttributes \"" + std::string(name) + "\" Export\n",
                           variable),
                 "programs cannot define or import the name");
}

TEST(Symbols, NamesOfLocalFunctionsAreNotThoseOfBuiltins) {
  expect_ir(module_of("OpName %f \"_Z13get_global_idj\"\n", empty_kernel),
            {"define internal spir_func void @0()"});
}

TEST(Symbols, FunctionsHaveTheirTypes) {
  expect_error(module_of("", "%f = OpFunction %int None %fn\n%e = OpLabel\nOpUnreachable\n"
                             "OpFunctionEnd\n"),
               "its result type differs from that of its function type");
  expect_error(module_of("", "%f = OpFunction %void None %fn\nOpFunctionEnd\n"),
               "a function without a body must be an import");
}

// ---- kernels ----

TEST(Kernels, ExecutionModes) {
  expect_ir(module_of("OpEntryPoint Kernel %f \"f\"\nOpExecutionMode %f LocalSize 4 2 1\n"
                      "OpExecutionMode %f LocalSizeHint 8 8 8\n"
                      "OpExecutionMode %f VecTypeHint 262149\n",
                      empty_kernel),
            {"spir_kernel void @f()", "!reqd_work_group_size", "!{i32 4, i32 2, i32 1}",
             "!work_group_size_hint", "!{i32 8, i32 8, i32 8}", "!{<4 x float> undef, i32 1}",
             "!lockstep.no_arg_info"});
}

TEST(Kernels, LocalSizeFromConstants) {
  expect_ir(module_of("OpEntryPoint Kernel %f \"f\"\nOpExecutionModeId %f LocalSizeId %n %n %n\n",
                      std::string("%n = OpSpecConstant %int 16\n") + empty_kernel),
            {"!{i32 16, i32 16, i32 16}"});
}

TEST(Kernels, SeveralNamesOfAFunction) {
  expect_ir(module_of("OpEntryPoint Kernel %f \"a\"\nOpEntryPoint Kernel %f \"b\"\n", empty_kernel),
            {"spir_kernel void @a()", "spir_kernel void @b()", "define internal spir_func void"});
  expect_error(
      module_of("OpEntryPoint Kernel %f \"a\"\nOpEntryPoint Kernel %f \"a\"\n", empty_kernel),
      "the name of another kernel");
}

TEST(Kernels, TheKernelHasItsNameBeforeAnExportedFunction) {
  expect_ir(module_of("OpEntryPoint Kernel %k \"f\"\n"
                      "OpDecorate %f LinkageAttributes \"f\" Export\n",
                      std::string(empty_kernel) + R"(
%k = OpFunction %void None %fn
%start = OpLabel
%r = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
)"),
            {"spir_kernel void @f()", "define internal spir_func void"});
}

TEST(Kernels, StructuresByValue) {
  expect_ir(module_of("OpEntryPoint Kernel %f \"f\"\nOpName %s \"pair\"\n"
                      "OpDecorate %a FuncParamAttr ByVal\n"
                      "OpDecorate %a Alignment 16\nOpDecorate %b FuncParamAttr NoAlias\n",
                      R"(
%s = OpTypeStruct %int %long
%p = OpTypePointer Function %s
%g = OpTypePointer CrossWorkgroup %int
%kernel = OpTypeFunction %void %p %g
%f = OpFunction %void None %kernel
%a = OpFunctionParameter %p
%b = OpFunctionParameter %g
%entry = OpLabel
OpReturn
OpFunctionEnd
)"),
            {"@f(ptr byval(%pair) align 16 %0, ptr addrspace(1) noalias %1)"});
}

TEST(Kernels, ReturnVoid) {
  expect_error(module_of("OpEntryPoint Kernel %f \"f\"\n", R"(
%fni = OpTypeFunction %int
%one = OpConstant %int 1
%f = OpFunction %int None %fni
%entry = OpLabel
OpReturnValue %one
OpFunctionEnd
)"),
               "a kernel must return void");
}

// ---- places ----

constexpr const char *two_stores = R"(
%p = OpTypePointer Function %int
%one = OpConstant %int 1
%f = OpFunction %void None %fn
%entry = OpLabel
%v = OpVariable %p Function
OpLine %file 12 3
OpStore %v %one
OpNoLine
OpStore %v %one
OpReturn
OpFunctionEnd
)";

TEST(Places, OpLineOrTheLineOfTheDisassembly) {
  expect_ir(module_of("%file = OpString \"/src/a.cl\"\n", two_stores),
            {"!DIFile(filename: \"/src/a.cl\", directory: \"\")",
             "!DILocation(line: 12, column: 3, scope: ", "!DIFile(filename: \"<SPIR-V>\"",
             "!DILocation(line: 27, scope: "});
}

constexpr const char *inlined_call = R"(
%none = OpExtInst %void %debug DebugInfoNone
%source = OpExtInst %void %debug DebugSource %file
%unit = OpExtInst %void %debug DebugCompilationUnit 1 4 %source OpenCL_C
%type = OpExtInst %void %debug DebugTypeFunction FlagIsPrivate %void
%outer = OpExtInst %void %debug DebugFunction %outer_name %type %source 4 1 %unit %outer_name FlagIsPublic 5 %f
%inner = OpExtInst %void %debug DebugFunction %inner_name %type %source 8 1 %unit %inner_name FlagIsPublic 9 %none
%block = OpExtInst %void %debug DebugLexicalBlock %source 10 2 %inner
%call = OpExtInst %void %debug DebugInlinedAt 6 %outer
%p = OpTypePointer Function %int
%one = OpConstant %int 1
%f = OpFunction %void None %fn
%entry = OpLabel
%v = OpVariable %p Function
%s1 = OpExtInst %void %debug DebugScope %block %call
OpLine %file 11 3
OpStore %v %one
%s2 = OpExtInst %void %debug DebugScope %inner
OpLine %file 12 3
OpStore %v %one
OpReturn
OpFunctionEnd
)";

TEST(Places, FunctionsAndInlinedCallsOfDebugInformation) {
  std::string text = module_of("%file = OpString \"a.cl\"\n%outer_name = OpString \"outer\"\n"
                               "%inner_name = OpString \"inner\"\n",
                               inlined_call);
  text.insert(text.find("OpMemoryModel"), "%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"\n");
  // The second scope is not of this function: LLVM would not take it.
  expect_ir(text,
            {"distinct !DISubprogram(name: \"outer\"", "distinct !DISubprogram(name: \"inner\"",
             "!DILexicalBlock(", "!DILocation(line: 11, column: 3, scope: ", "inlinedAt: ",
             "distinct !DILocation(line: 6, scope: ", "!DILocation(line: 12, column: 3"});
}

} // namespace
} // namespace lockstep::compiler::spirv
