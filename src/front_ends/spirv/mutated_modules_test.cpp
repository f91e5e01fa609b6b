// Damaged modules: the reader refuses or translates them. It never crashes, and LLVM's verifier
// finds nothing that the reader's own checks have missed.
#include "front_ends/spirv/assemble.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *declarations = R"(
%array = OpTypeArray %int4 %int_3
%struct = OpTypeStruct %float %array
%p_struct = OpTypePointer Function %struct
%null = OpConstantNull %struct
%pair = OpTypeStruct %int %int
%size = OpSpecConstantOp %int IMul %int_3 %int_5
%local = OpTypeArray %char %size
%p_local = OpTypePointer Workgroup %local
%memory = OpVariable %p_local Workgroup
%callee_type = OpTypeFunction %int %int %p_int
)";

constexpr const char *body = R"(
%s = OpVariable %p_struct Function %null
%v = OpVariable %p_int Function
%x = OpLoad %int %u_g_int Aligned 4
%f4 = OpLoad %float4 %u_g_float4
%l = OpLoad %long %u_g_long
%c = OpSLessThan %bool %x %int_7
OpSelectionMerge %join None
OpBranchConditional %c %left %right
%left = OpLabel
%a = OpIAdd %int %x %int_5
%part = OpInBoundsAccessChain %p_int4 %s %int_1 %x
%i4 = OpLoad %int4 %part
%two = OpVectorShuffle %int2 %i4 %i4 1 6
%e = OpVectorExtractDynamic %int %i4 %a
%old = OpAtomicIAdd %int %u_g_int %int_1 %int_8 %e
OpBranch %join
%right = OpLabel
%whole = OpLoad %struct %s
%inner = OpCompositeExtract %int %whole 1 2 3
%again = OpCompositeInsert %struct %inner %whole 1 0 2
OpStore %s %again
%carry = OpIAddCarry %pair %inner %x
%g = OpConvertFToS %int4 %f4
%b = OpBitcast %float4 %g
%root = OpExtInst %float4 %std sqrt %b
OpStore %u_g_float4 %root Nontemporal
OpBranch %join
%join = OpLabel
%y = OpPhi %int %a %left %inner %right
%r = OpFunctionCall %int %callee %y %v
%p = OpPtrAccessChain %g_int %u_g_int %r
%q = OpPtrCastToGeneric %q_int %p
OpCopyMemorySized %q %u_c_int %int_16 Aligned 4
OpControlBarrier %int_2 %int_2 %int_16
%sum = OpGroupIAdd %int %int_2 Reduce %r
OpSwitch %sum %loop 1 %out 2 %loop
%loop = OpLabel
%n = OpPhi %int %sum %join %m %loop
%m = OpISub %int %n %int_1
%done = OpIEqual %bool %m %int_0
OpLoopMerge %out %loop None
OpBranchConditional %done %out %loop
%out = OpLabel
)";

std::string valid_module() {
  return assemble(module_with(body, "OpCapability Groups\n", declarations) + R"(
%callee = OpFunction %int Inline %callee_type
%n0 = OpFunctionParameter %int
%n1 = OpFunctionParameter %p_int
%e2 = OpLabel
%n2 = OpSelect %int %true %n0 %int_3
OpStore %n1 %n2 Volatile
OpReturnValue %n2
OpFunctionEnd
)");
}

class Mutator {
public:
  Mutator(const std::string &module, unsigned seed) : words_(module.size() / 4), random_(seed) {
    std::memcpy(words_.data(), module.data(), module.size());
    for (size_t at = 5; at < words_.size(); at += words_[at] >> 16)
      instructions_.push_back(at);
  }

  std::string mutant() {
    std::vector<uint32_t> words = words_;
    for (unsigned changes = 1 + below(8) / 6; changes > 0; --changes)
      change(words);
    if (below(8) == 0) // last, because it moves other instructions
      change_order(words);
    if (below(64) == 0)
      words.resize(below(words.size()));
    return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
  }

private:
  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }

  // Most of the module declares types, so half of the changes are in its last third.
  size_t instruction() {
    const size_t first = below(2) ? 0 : instructions_.size() * 2 / 3;
    return instructions_[first + below(instructions_.size() - first)];
  }
  size_t length(size_t at) const { return words_[at] >> 16; }

  void change(std::vector<uint32_t> &words) {
    const size_t at = instruction();
    const size_t operands = length(at) - 1;
    uint32_t &word = operands ? words[at + 1 + below(operands)] : words[at];
    switch (below(8)) {
    case 0: // another small literal or id
      word = below(64);
      break;
    case 1:
      word = below(words_[3]);
      break;
    case 2:
      word += below(2) ? 1 : -1;
      break;
    case 3:
      word ^= 1u << below(32);
      break;
    case 4: { // the word of another instruction
      const size_t other = instruction();
      word = words[other + below(length(other))];
      break;
    }
    case 5: // another length
      words[at] += (below(2) ? 1u : -1u) << 16;
      break;
    case 6: // the header
      if (below(8) == 0)
        words[below(5)] ^= 1u << below(32);
      else
        word = 0;
      break;
    default: // another opcode
      words[at] = (words[at] & 0xffff0000) | (words[instruction()] & 0xffff);
    }
  }

  // Removes an instruction, or inserts another one before it.
  void change_order(std::vector<uint32_t> &words) {
    const size_t at = instruction(), other = instruction();
    const auto place = words.begin() + std::ptrdiff_t(at);
    if (below(2)) {
      words.erase(place, place + std::ptrdiff_t(length(at)));
    } else {
      const std::vector<uint32_t> copy(words.begin() + std::ptrdiff_t(other),
                                       words.begin() + std::ptrdiff_t(other + length(other)));
      words.insert(place, copy.begin(), copy.end());
    }
  }

  std::vector<uint32_t> words_;
  std::vector<size_t> instructions_;
  std::mt19937 random_;
};

std::string text_of(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path &folder,
                                            const char *extension) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension)
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Also those in the folder LOCKSTEP_SPIRV_MODULES, for campaigns.
std::vector<std::string> modules() {
  std::vector<std::string> all{valid_module()};
  for (const auto &file : files_in(LOCKSTEP_SPIRV_SOURCES, ".spvasm"))
    all.push_back(assemble(text_of(file)));
  if (const char *folder = std::getenv("LOCKSTEP_SPIRV_MODULES"))
    for (const auto &file : files_in(folder, ".spv"))
      all.push_back(text_of(file));
  return all;
}

unsigned number_of(const char *variable, unsigned otherwise) {
  const char *text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// The mutant that is read next, for one that ends the process.
void keep(const std::string &mutant) {
  if (const char *file = std::getenv("LOCKSTEP_SPIRV_LAST"))
    std::ofstream(file, std::ios::binary) << mutant;
}

TEST(MutatedModules, AreRefusedOrRead) {
  const unsigned count = number_of("LOCKSTEP_SPIRV_MUTANTS", 500); // of each module
  const unsigned seed = number_of("LOCKSTEP_SPIRV_SEED", 22);
  unsigned read = 0, modules_read = 0;
  for (const std::string &module : modules()) {
    if (!ReadModule(ReadModule::binary{module}).error.empty())
      continue; // in a campaign: the module needs what this device does not have
    ++modules_read;
    Mutator mutator(module, seed);
    for (unsigned i = 0; i < count; ++i) {
      const std::string words = mutator.mutant();
      keep(words);
      const ReadModule mutant(ReadModule::binary{words});
      read += mutant.error.empty();
      EXPECT_EQ(mutant.error.find("the module is not valid"), std::string::npos)
          << "module " << modules_read << ", mutant " << i << ": " << mutant.error;
    }
  }
  EXPECT_GE(modules_read, 5u);
  EXPECT_GT(read, modules_read * count / 50); // or the mutants test only the first checks
}

} // namespace
} // namespace lockstep::compiler::spirv
