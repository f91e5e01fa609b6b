#include "front_ends/front_ends.h"

#include "front_ends/common/check_program_binary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SourceMgr.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace lockstep::compiler {
namespace {

KernelModule program() {
  std::string log;
  auto module = build_opencl_c(
      "typedef struct { float4 a; } S; global int counter;\n"
      "kernel __attribute__((reqd_work_group_size(2, 3, 4))) void first(global const int "
      "*restrict a, local float *b, S s) { local int x[4]; x[0] = a[0]; counter = x[0]; }\n"
      "kernel void second() {}",
      "-cl-std=CL3.0 -cl-kernel-arg-info", log);
  EXPECT_TRUE(module) << log;
  return *module;
}

void expect_equal(const KernelArg &a, const KernelArg &b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.alignment, b.alignment);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.pointee_alignment, b.pointee_alignment);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type_name, b.type_name);
  EXPECT_EQ(a.address_space, b.address_space);
  EXPECT_EQ(a.access, b.access);
  EXPECT_EQ(a.type_qualifiers, b.type_qualifiers);
}

void expect_equal(const KernelInfo &a, const KernelInfo &b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.args.size(), b.args.size());
  for (size_t i = 0; i < a.args.size(); ++i)
    expect_equal(a.args[i], b.args[i]);
  EXPECT_EQ(a.argument_block_size, b.argument_block_size);
  EXPECT_EQ(a.has_arg_info, b.has_arg_info);
  EXPECT_EQ(a.reqd_work_group_size, b.reqd_work_group_size);
  EXPECT_EQ(a.work_group_size_hint, b.work_group_size_hint);
  EXPECT_EQ(a.reqd_sub_group_size, b.reqd_sub_group_size);
  EXPECT_EQ(a.reqd_sub_group_count, b.reqd_sub_group_count);
  EXPECT_EQ(a.vec_type_hint, b.vec_type_hint);
  EXPECT_EQ(a.attributes, b.attributes);
  EXPECT_EQ(a.local_memory_size, b.local_memory_size);
  EXPECT_EQ(a.private_memory_size, b.private_memory_size);
  EXPECT_EQ(a.uniform_work_group_size, b.uniform_work_group_size);
}

TEST(ProgramBinary, ExecutableComesBackWhole) {
  KernelModule before = program();
  std::string binary = write_binary(before);
  ASSERT_TRUE(binary_type(binary));
  EXPECT_EQ(*binary_type(binary), BinaryType::executable);
  auto after = read_program_binary(binary);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->bitcode, before.bitcode);
  EXPECT_EQ(after->build_options, before.build_options);
  EXPECT_EQ(after->global_variable_size, 4u);
  EXPECT_EQ(after->hash, before.hash);
  ASSERT_EQ(after->kernels.size(), 2u);
  expect_equal(after->kernels[0], before.kernels[0]);
  expect_equal(after->kernels[1], before.kernels[1]);
}

TEST(ProgramBinary, ObjectsAndLibraries) {
  ObjectModule object{"bitcode", "-w", false};
  EXPECT_EQ(*binary_type(write_binary(object)), BinaryType::object);
  object.is_library = true;
  object.language = SourceLanguage::spirv;
  std::string binary = write_binary(object);
  EXPECT_EQ(*binary_type(binary), BinaryType::library);
  auto after = read_object_binary(binary);
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->is_library);
  EXPECT_EQ(after->bitcode, "bitcode");
  EXPECT_EQ(after->build_options, "-w");
  EXPECT_EQ(after->language, SourceLanguage::spirv);
}

// Both readers must reject the binary, and neither may crash.
void expect_refused(std::string_view binary) {
  auto type = binary_type(binary);
  auto object = read_object_binary(binary);
  auto executable = read_program_binary(binary);
  ASSERT_FALSE(type);
  ASSERT_FALSE(object);
  ASSERT_FALSE(executable);
  EXPECT_EQ(type.error().kind, ErrorKind::invalid_binary);
  EXPECT_EQ(object.error().kind, ErrorKind::invalid_binary);
  EXPECT_EQ(executable.error().kind, ErrorKind::invalid_binary);
}

TEST(ProgramBinary, OfTheOtherKind) {
  auto object = read_object_binary(write_binary(program()));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().kind, ErrorKind::invalid_binary);
  auto executable = read_program_binary(write_binary(ObjectModule{}));
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().kind, ErrorKind::invalid_binary);
}

TEST(ProgramBinary, NotOurs) {
  expect_refused("");
  expect_refused("L");
  expect_refused("LOCKSTEP");
  expect_refused("\x7f"
                 "ELF and more of the kind, long enough to hold a header of ours");
  expect_refused(std::string(1 << 20, 'L'));
  expect_refused("\x03\x02\x23\x07rest"); // SPIR-V
}

TEST(ProgramBinary, EveryFlippedByteIsFound) {
  std::string binary = write_binary(program());
  for (size_t at = 0; at < binary.size(); at += at < 600 ? 1 : 37) {
    std::string damaged = binary;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    expect_refused(damaged);
  }
}

TEST(ProgramBinary, EveryTruncationIsFound) {
  std::string binary = write_binary(program());
  for (size_t size = 0; size < binary.size(); size += size < 600 ? 1 : 41)
    expect_refused(std::string_view(binary).substr(0, size));
  expect_refused(binary + "x");
}

TEST(ProgramBinary, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = "LOCKSTEP";
    for (size_t size = random() % 500; size > 0; --size)
      bytes += static_cast<char>(random());
    expect_refused(bytes);
  }
}

// ---- executables that this linker cannot have produced

KernelModule executable(const std::string &body, const std::string &declarations = "") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "target triple = \"spir64-unknown-unknown\"\n" + declarations +
          "define spir_kernel void @k(ptr addrspace(1) %a) {\n" + body + "  ret void\n}\n",
      diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  KernelModule forged;
  llvm::raw_string_ostream stream(forged.bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  forged.kernels.emplace_back().name = "k";
  auto read = read_program_binary(write_binary(forged));
  EXPECT_TRUE(read) << "the frame is sound";
  return read ? *read : KernelModule();
}

void expect_unsound(const KernelModule &forged, const std::string &word) {
  std::string log;
  const auto checked = check_program_binary(forged, log);
  ASSERT_FALSE(checked) << word;
  EXPECT_EQ(checked.error().kind, ErrorKind::invalid_binary);
  EXPECT_NE(log.find(word), std::string::npos) << log;
}

TEST(ProgramBinary, WhatItCallsIsDefinedInIt) {
  std::string log;
  EXPECT_TRUE(check_program_binary(program(), log)) << log;
  EXPECT_TRUE(check_program_binary(executable(""), log)) << log;
  EXPECT_EQ(log, "");
  expect_unsound(executable("  call i32 @system(ptr null)\n", "declare i32 @system(ptr)\n"),
                 "the function system is declared and used, but defined nowhere");
  expect_unsound(executable("  store ptr @system, ptr addrspace(1) %a\n",
                            "declare extern_weak i32 @system(ptr)\n"),
                 "system");
  expect_unsound(executable("  %e = load ptr, ptr @environ\n  store ptr %e, ptr addrspace(1) %a\n",
                            "@environ = external global ptr\n"),
                 "the variable environ");
  expect_unsound(executable("  call void inttoptr (i64 4096 to ptr)()\n"),
                 "a call through a pointer");
  expect_unsound(executable("  call void asm sideeffect \"syscall\", \"\"()\n"), "inline assembly");
  expect_unsound(executable("", "module asm \".globl mine\"\n"), "inline assembly");
}

TEST(ProgramBinary, ItsCodeIsWhatItsTableSays) {
  KernelModule other = executable("");
  other.kernels[0].name = "absent";
  expect_unsound(other, "absent");
  KernelModule broken = executable("");
  broken.bitcode.resize(broken.bitcode.size() / 2);
  expect_unsound(broken, "is not bitcode");
}

// Forged tables with a valid checksum. Reading one either fails, or yields a table whose arguments
// are within their blocks.
TEST(ProgramBinary, ForgedTables) {
  const KernelModule before = program();
  const std::string binary = write_binary(before);
  constexpr size_t header = 8 + 32; // magic and checksum
  const size_t table = binary.find(before.kernels[0].name), end = binary.find(before.bitcode);
  ASSERT_LT(table, end);
  std::mt19937 random(3);
  unsigned refused = 0, read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string forged = binary;
    for (unsigned more = 1 + random() % 3; more--;) {
      const char bytes[] = {0, 1, 2, 8, 0x7f, char(0x80), char(0xff), char(random())};
      forged[table - 16 + random() % (end - table + 16)] = bytes[random() % std::size(bytes)];
    }
    auto sum = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(forged.substr(header)));
    std::copy(sum.begin(), sum.end(), forged.begin() + 8);
    auto module = read_program_binary(forged);
    if (!module) {
      EXPECT_EQ(module.error().kind, ErrorKind::invalid_binary);
      ++refused;
      continue;
    }
    ++read;
    for (const KernelInfo &kernel : module->kernels)
      for (const KernelArg &argument : kernel.args) {
        EXPECT_LE(uint64_t{argument.offset} + argument.size, kernel.argument_block_size);
        EXPECT_LE(argument.kind, ArgKind::block);
        EXPECT_EQ(std::popcount(argument.alignment), 1);
        EXPECT_EQ(std::popcount(argument.pointee_alignment), 1);
      }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(read, 100u); // a letter of a name, for example
}

} // namespace
} // namespace lockstep::compiler
