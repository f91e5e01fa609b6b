// The structure of modules: what clCreateProgramWithIL refuses, and where.
#include "front_ends/common/device_features.h"
#include "front_ends/spirv/assemble.h"
#include "front_ends/spirv/module/instruction_table.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>

namespace lockstep::compiler::spirv {
namespace {

std::vector<uint32_t> words_of(const std::string &binary) {
  std::vector<uint32_t> words(binary.size() / 4);
  std::memcpy(words.data(), binary.data(), binary.size());
  return words;
}

std::string binary_of(const std::vector<uint32_t> &words) {
  return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
}

void expect_invalid(const std::string &binary, const std::string &sentence) {
  auto module = parse_module(binary);
  ASSERT_FALSE(module) << sentence;
  EXPECT_EQ(module.error().kind, ErrorKind::invalid_binary);
  EXPECT_NE(module.error().message.find(sentence), std::string::npos) << module.error().message;
}

std::string valid_module() {
  return assemble(module_with(""));
}

TEST(Structure, HasAFunctionWithItsBlock) {
  auto module = parse_module(valid_module());
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->functions.size(), 1u);
  EXPECT_EQ(module->functions[0].blocks.size(), 1u);
  ASSERT_EQ(module->entry_points.size(), 1u);
  EXPECT_EQ(module->entry_points[0].name, "f");
  EXPECT_EQ(module->extended_sets.size(), 1u);
}

TEST(Structure, EitherByteOrder) {
  auto words = words_of(valid_module());
  for (uint32_t &word : words)
    word = llvm::byteswap(word);
  auto module = parse_module(binary_of(words));
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->entry_points[0].name, "f");
}

TEST(Structure, Header) {
  expect_invalid("", "its size");
  expect_invalid(std::string(valid_module(), 0, 19), "its size");
  auto words = words_of(valid_module());
  words[0] = 0x4243c0de; // LLVM bitcode
  expect_invalid(binary_of(words), "its first word is 0x4243c0de");
  words = words_of(valid_module());
  for (uint32_t bound : {0u, 4'194'304u, 0xffffffffu}) {
    words[3] = bound;
    expect_invalid(binary_of(words), "the bound of ids");
  }
  words = words_of(valid_module());
  for (uint32_t version : {0u, 0x10700u, 0x990000u}) {
    words[1] = version;
    expect_invalid(binary_of(words), "is not supported; 1.0 to 1.6 are");
  }
}

TEST(Structure, WordCounts) {
  const auto words = words_of(valid_module());
  auto empty = words;
  empty[5] &= 0xffff;
  expect_invalid(binary_of(empty), "program.spv:6: the word count 0");
  auto long_one = words;
  long_one.push_back(0x00050000); // OpNop of five words
  expect_invalid(binary_of(long_one), "the word count 5");
  auto cut = words;
  cut.resize(7);
  ASSERT_TRUE(parse_module(binary_of(cut))); // one whole instruction
}

TEST(Structure, IdsBelowTheBoundAndDefinedOnce) {
  auto words = words_of(valid_module());
  words.insert(words.end(), {0x00020013, 1'000'000}); // OpTypeVoid
  expect_invalid(binary_of(words),
                 "the id of its result or type is missing or not below the bound");
  words = words_of(valid_module());
  words[3] = 4;
  expect_invalid(binary_of(words), "the bound");
  auto twice = words_of(assemble("OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
                                 "%1 = OpTypeVoid\n%2 = OpTypeBool\n"));
  twice.back() = 1;
  expect_invalid(binary_of(twice), "program.spv:9: OpTypeBool: the id %1 is defined twice");
}

TEST(Structure, StringsEnd) {
  auto words = words_of(assemble("OpCapability Kernel\nOpExtension \"abc\"\n"));
  words.back() |= 0x64000000;
  expect_invalid(binary_of(words), "program.spv:7: OpExtension: the string in operand 1 does not "
                                   "end");
}

TEST(Structure, OperandsAreThere) {
  auto words = words_of(assemble("OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"));
  words[7] = 0x0002000e; // OpMemoryModel with one operand
  words.pop_back();
  expect_invalid(binary_of(words), "program.spv:7: OpMemoryModel: operand 2 is missing");
}

TEST(Structure, SectionsInOrder) {
  auto words = words_of(assemble("OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"));
  words.insert(words.end(), {0x00020011, 6}); // OpCapability
  expect_invalid(binary_of(words), "OpCapability: it belongs into an earlier section");
}

TEST(Structure, BlocksAndFunctionsEnd) {
  const std::string head = "OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
                           "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpFunction %1 None %2\n";
  expect_invalid(assemble(head), "OpFunction: the function does not end");
  expect_invalid(assemble(head + "%4 = OpLabel\nOpFunctionEnd\n"),
                 "OpLabel: the block does not end in a branch or return");
  expect_invalid(assemble(head + "OpReturn\nOpFunctionEnd\n"),
                 "OpReturn: the instruction is in no block");
  expect_invalid(assemble(head + "OpFunctionEnd\nOpReturn\n"),
                 "OpReturn: the instruction is in no function");
}

TEST(Structure, ListsSpecializationConstants) {
  auto module = parse_module(assemble(R"(
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpDecorate %4 SpecId 7
OpDecorate %5 SpecId 4294967295
OpDecorate %6 SpecId 9
%1 = OpTypeBool
%2 = OpTypeInt 8 0
%3 = OpTypeFloat 64
%4 = OpSpecConstantTrue %1
%5 = OpSpecConstant %2 1
%6 = OpSpecConstant %3 1
%7 = OpSpecConstant %3 1
)"));
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->spec_constants.size(), 3u);
  EXPECT_EQ(module->spec_constants[0].spec_id, 7u);
  EXPECT_EQ(module->spec_constants[0].size, 1u);
  EXPECT_EQ(module->spec_constants[1].spec_id, 4294967295u);
  EXPECT_EQ(module->spec_constants[1].size, 1u);
  EXPECT_EQ(module->spec_constants[2].size, 8u);
}

TEST(Structure, GroupsOfDecorations) {
  auto module = parse_module(assemble(R"(
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpDecorate %1 Volatile
OpDecorate %1 Alignment 64
%1 = OpDecorationGroup
OpGroupDecorate %1 %2 %3
OpGroupMemberDecorate %1 %2 1
%2 = OpTypeVoid
%3 = OpTypeBool
)"));
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_TRUE(module->has_decoration(3, spv::Decoration::Volatile));
  EXPECT_EQ(module->find_decoration(2, spv::Decoration::Alignment)->operands[0], 64u);
  EXPECT_EQ(module->decorations_of(2).size(), 4u);
  EXPECT_EQ(module->decorations_of(2)[2].member, 1u);
}

TEST(InstructionTable, NeedsOnlyCapabilitiesThatTheDeviceReports) {
  for (uint32_t opcode = 0; opcode < 0x10000; ++opcode)
    if (const InstructionRow *row = find_row(static_cast<Op>(opcode)))
      EXPECT_TRUE(std::ranges::any_of(spirv_capabilities, [&](const SpirvCapability &known) {
        return known.number == static_cast<uint32_t>(row->capability);
      })) << row->name;
}

} // namespace
} // namespace lockstep::compiler::spirv
