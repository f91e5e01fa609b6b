// Instructions of work-groups and sub-groups: which functions are called.
#include "front_ends/spirv/assemble.h"

#include "llvm/IR/Instructions.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *capabilities = R"(
OpCapability Groups
OpCapability GroupUniformArithmeticKHR
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformRotateKHR
OpCapability SubgroupShuffleINTEL
OpCapability SubgroupBufferBlockIOINTEL
OpExtension "SPV_KHR_uniform_group_instructions"
OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_INTEL_subgroups"
)";

constexpr const char *declarations = R"(
%event = OpTypeEvent
%u_event = OpUndef %event
%p_event = OpTypePointer Function %event
%u_p_event = OpUndef %p_event
%int_128 = OpConstant %int 128
)";

void expect_call(const std::string &body, const std::string &call) {
  ReadModule read(module_with(body, capabilities, declarations));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has(call)) << call << "\n" << read.ir();
}

void expect_error(const std::string &body, const std::string &sentence) {
  ReadModule read(module_with(body, capabilities));
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

TEST(Groups, Votes) {
  expect_call("%x = OpGroupAll %bool %int_2 %true",
              "%1 = call spir_func i32 @_Z14work_group_alli(i32 1)");
  expect_call("%x = OpGroupAny %bool %int_3 %true", "@_Z13sub_group_anyi(i32 1)");
  expect_call("%x = OpGroupNonUniformElect %bool %int_3", "@_Z15sub_group_electv()");
  expect_call("%x = OpGroupNonUniformAll %bool %int_3 %true", "@_Z25sub_group_non_uniform_alli(");
  expect_call("%x = OpGroupNonUniformAllEqual %bool %int_3 %u_float",
              "@_Z31sub_group_non_uniform_all_equalf(");
  expect_call("%x = OpGroupNonUniformAllEqual %bool %int_3 %u_int2",
              "@llvm.vector.reduce.and.v2i1(");
}

TEST(Groups, Arithmetic) {
  expect_call("%x = OpGroupIAdd %int %int_2 Reduce %u_int", "@_Z21work_group_reduce_addi(");
  expect_call("%x = OpGroupUMax %int %int_2 InclusiveScan %u_int",
              "@_Z29work_group_scan_inclusive_maxj(");
  expect_call("%x = OpGroupSMin %long %int_3 ExclusiveScan %u_long",
              "@_Z28sub_group_scan_exclusive_minl(");
  expect_call("%x = OpGroupFAdd %half %int_3 Reduce %u_half", "@_Z20sub_group_reduce_addDh(");
  expect_call("%x = OpGroupIMulKHR %int %int_2 Reduce %u_int", "@_Z21work_group_reduce_muli(");
  expect_call("%x = OpGroupLogicalXorKHR %bool %int_2 Reduce %true",
              "@_Z29work_group_reduce_logical_xori(i32 1)");
}

// OpenCL C has the uniform functions of sub-groups for three operations only.
TEST(Groups, OtherArithmeticOfSubGroups) {
  expect_call("%x = OpGroupIMulKHR %int %int_3 Reduce %u_int",
              "@_Z32sub_group_non_uniform_reduce_muli(");
  expect_call("%x = OpGroupLogicalAndKHR %bool %int_3 InclusiveScan %true",
              "@_Z48sub_group_non_uniform_scan_inclusive_logical_andi(");
}

TEST(Groups, NonUniformArithmetic) {
  expect_call("%x = OpGroupNonUniformIMul %int %int_3 Reduce %u_int",
              "@_Z32sub_group_non_uniform_reduce_muli(");
  expect_call("%x = OpGroupNonUniformUMin %char %int_3 ExclusiveScan %u_char",
              "@_Z40sub_group_non_uniform_scan_exclusive_minh(i8 zeroext");
  expect_call("%x = OpGroupNonUniformFMax %float %int_3 ClusteredReduce %u_float %int_4",
              "@_Z30sub_group_clustered_reduce_maxfj(float undef, i32 4)");
  // Undefined only where it is executed.
  expect_call("%x = OpGroupNonUniformFMax %float %int_3 ClusteredReduce %u_float %int_128",
              "@_Z30sub_group_clustered_reduce_maxfj(float undef, i32 128)");
  expect_call("%x = OpGroupNonUniformLogicalOr %bool %int_3 Reduce %true",
              "@_Z39sub_group_non_uniform_reduce_logical_ori(i32 1)");
}

TEST(Groups, VectorsAreCombinedByComponents) {
  ReadModule read(module_with("%x = OpGroupFAdd %float2 %int_2 Reduce %u_float2", capabilities));
  EXPECT_EQ(read.error, "");
  unsigned calls = 0;
  for (const llvm::User *user : read.module.getFunction("_Z21work_group_reduce_addf")->users())
    calls += llvm::isa<llvm::CallInst>(user);
  EXPECT_EQ(calls, 2u);
}

TEST(Groups, Broadcasts) {
  expect_call("%x = OpGroupBroadcast %int %int_2 %u_int %u_long", "@_Z20work_group_broadcastim(");
  expect_call("%x = OpGroupBroadcast %float %int_2 %u_float %u_long3",
              "@_Z20work_group_broadcastfmmm(");
  expect_call("%x = OpGroupBroadcast %int %int_3 %u_int %u_long", "@_Z19sub_group_broadcastij(");
  expect_call("%x = OpGroupNonUniformBroadcast %bool %int_3 %true %int_3",
              "@_Z31sub_group_non_uniform_broadcastij(i32 1, i32 3)");
  expect_call("%x = OpGroupNonUniformBroadcastFirst %char %int_3 %u_char",
              "@_Z25sub_group_broadcast_firstc(i8 signext");
}

TEST(Groups, Shuffles) {
  for (auto [opcode, name] : {std::pair{"Shuffle", "17sub_group_shuffle"},
                              {"ShuffleXor", "21sub_group_shuffle_xor"},
                              {"ShuffleUp", "20sub_group_shuffle_up"},
                              {"ShuffleDown", "22sub_group_shuffle_down"}})
    expect_call(fmt::format("%x = OpGroupNonUniform{} %double %int_3 %u_double %int_1", opcode),
                fmt::format("@_Z{}dj(double undef, i32 1)", name));
  expect_call("%x = OpGroupNonUniformRotateKHR %int %int_3 %u_int %int_1",
              "@_Z16sub_group_rotateii(");
  expect_call("%x = OpGroupNonUniformRotateKHR %int %int_3 %u_int %int_1 %int_4",
              "@_Z26sub_group_clustered_rotateiij(i32 undef, i32 1, i32 4)");
}

TEST(Groups, Ballots) {
  expect_call("%x = OpGroupNonUniformBallot %int4 %int_3 %true", "@_Z16sub_group_balloti(i32 1)");
  expect_call("%x = OpGroupNonUniformInverseBallot %bool %int_3 %u_int4",
              "@_Z24sub_group_inverse_ballotDv4_j(");
  expect_call("%x = OpGroupNonUniformBallotBitExtract %bool %int_3 %u_int4 %int_3",
              "@_Z28sub_group_ballot_bit_extractDv4_jj(");
  expect_call("%x = OpGroupNonUniformBallotBitCount %int %int_3 ExclusiveScan %u_int4",
              "@_Z31sub_group_ballot_exclusive_scanDv4_j(");
  expect_call("%x = OpGroupNonUniformBallotFindMSB %int %int_3 %u_int4",
              "@_Z25sub_group_ballot_find_msbDv4_j(");
}

TEST(Groups, Intel) {
  expect_call("%x = OpSubgroupShuffleINTEL %float4 %u_float4 %int_1",
              "@_Z23intel_sub_group_shufflefj(");
  expect_call("%x = OpSubgroupShuffleUpINTEL %int %u_int %int_5 %int_1",
              "@_Z26intel_sub_group_shuffle_upiij(i32 undef, i32 5, i32 1)");
  expect_call("%x = OpSubgroupBlockReadINTEL %int4 %u_g_int",
              "@_Z27intel_sub_group_block_read4PU3AS1Kj(");
  expect_call("%x = OpSubgroupBlockReadINTEL %float %u_g_float",
              "@_Z26intel_sub_group_block_readPU3AS1Kj(");
  expect_call("OpSubgroupBlockWriteINTEL %u_g_short %u_short8",
              "@_Z31intel_sub_group_block_write_us8PU3AS1tDv8_t(");
  expect_call("OpSubgroupBlockWriteINTEL %u_g_double %u_double",
              "@_Z30intel_sub_group_block_write_ulPU3AS1mm(");
}

TEST(Groups, ImageBlocks) {
  ReadModule read(module_with("%x = OpSubgroupImageBlockReadINTEL %int2 %image %u_int2\n"
                              "OpSubgroupImageBlockWriteINTEL %output %u_int2 %u_int",
                              "OpCapability ImageBasic\nOpCapability SubgroupImageBlockIOINTEL\n"
                              "OpExtension \"SPV_INTEL_subgroups\"\n",
                              "%in = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n"
                              "%out = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly\n"
                              "%image = OpUndef %in\n%output = OpUndef %out\n"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("@_Z27intel_sub_group_block_read214ocl_image2d_roDv2_i(")) << read.ir();
  EXPECT_TRUE(read.has("@_Z27intel_sub_group_block_write14ocl_image2d_woDv2_ij(")) << read.ir();
}

TEST(Groups, AsyncCopies) {
  expect_call("%x = OpGroupAsyncCopy %event %int_2 %u_l_float4 %u_g_float4 %int_4 %int_1 %u_event",
              "@_Z29async_work_group_strided_copyPU3AS3Dv4_fPU3AS1KS_mm9ocl_event(");
  expect_call("OpGroupWaitEvents %int_2 %int_1 %u_p_event",
              "@_Z17wait_group_eventsiP9ocl_event(i32 1, ptr undef)");
}

TEST(Groups, CollectivesAreConvergent) {
  ReadModule read(module_with("%x = OpGroupIAdd %int %int_2 Reduce %u_int", capabilities));
  ASSERT_EQ(read.error, "");
  EXPECT_TRUE(read.module.getFunction("_Z21work_group_reduce_addi")->isConvergent());
}

TEST(Groups, Errors) {
  expect_error("%x = OpGroupIAdd %int %int_1 Reduce %u_int",
               "operand 1 is not the constant Workgroup or Subgroup");
  expect_error("%x = OpGroupNonUniformIAdd %int %int_2 Reduce %u_int",
               "operand 1 is not the constant Subgroup");
  expect_error("%x = OpGroupIAdd %int %int_2 ClusteredReduce %u_int",
               "operand 2 is not an operation of groups");
  expect_error("%x = OpGroupNonUniformIAdd %int %int_3 ClusteredReduce %u_int %int_3",
               "the size of the cluster must be a constant and a power of two");
  expect_error("%x = OpGroupNonUniformIAdd %int %int_3 ClusteredReduce %u_int",
               "the size of the cluster must be a constant");
  expect_error("%x = OpGroupNonUniformBallot %int2 %int_3 %true",
               "its result is not a vector of 4 int32");
  expect_error("%x = OpGroupNonUniformInverseBallot %bool %int_3 %u_long4",
               "no function sub_group_inverse_ballot");
  expect_error("%x = OpGroupNonUniformShuffle %g_int %int_3 %u_g_int %int_1",
               "operand 2 is pointer");
  expect_error("%x = OpSubgroupBlockReadINTEL %int3 %u_g_int",
               "no function intel_sub_group_block_read3");
  expect_error("%x = OpGroupBroadcast %int %int_3 %u_int %u_long2",
               "operand 3 has more components than there are dimensions");
}

} // namespace
} // namespace lockstep::compiler::spirv
