// Damaged modules: the reader refuses or translates them. It never crashes, and LLVM's verifier
// finds nothing that the reader's own checks have missed.
#include "front_ends/spirv/assemble.h"

#include <cstdlib>
#include <cstring>
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
    return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
  }

private:
  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }

  // Most of the module declares types, so half of the changes are in its last third.
  size_t instruction() {
    const size_t first = below(2) ? 0 : instructions_.size() * 2 / 3;
    return instructions_[first + below(instructions_.size() - first)];
  }

  void change(std::vector<uint32_t> &words) {
    const size_t at = instruction();
    const size_t operands = (words_[at] >> 16) - 1;
    uint32_t &word = operands ? words[at + 1 + below(operands)] : words[at];
    switch (below(6)) {
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
      word = words[other + below(words_[other] >> 16)];
      break;
    }
    default: // another opcode
      words[at] = (words[at] & 0xffff0000) | (words[instruction()] & 0xffff);
    }
  }

  std::vector<uint32_t> words_;
  std::vector<size_t> instructions_;
  std::mt19937 random_;
};

unsigned count_of_mutants() {
  const char *text = std::getenv("LOCKSTEP_SPIRV_MUTANTS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 500;
}

TEST(MutatedModules, AreRefusedOrRead) {
  const std::string module = valid_module();
  const ReadModule whole(ReadModule::binary{module});
  ASSERT_EQ(whole.error, "");
  Mutator mutator(module, 22);
  unsigned read = 0;
  for (unsigned i = 0; i < count_of_mutants(); ++i) {
    const ReadModule mutant(ReadModule::binary{mutator.mutant()});
    read += mutant.error.empty();
    EXPECT_EQ(mutant.error.find("the module is not valid"), std::string::npos)
        << "mutant " << i << ": " << mutant.error;
  }
  EXPECT_GT(read, count_of_mutants() / 50); // or the mutants test only the first checks
}

} // namespace
} // namespace lockstep::compiler::spirv
