#include "compiler/ir_to_workgroup/vectorize/lane_intrinsics.h"

#include "llvm/Analysis/VectorUtils.h"

#include <gtest/gtest.h>

using namespace lockstep::compiler;

namespace {

// A new version of LLVM has new ones: decide about them in lane_intrinsics.cpp.
TEST(LaneIntrinsics, EveryIntrinsicOfLlvmIsKnown) {
  unsigned count = 0;
  for (llvm::Intrinsic::ID id = 1; id != llvm::Intrinsic::num_intrinsics; ++id) {
    if (llvm::Intrinsic::isTargetIntrinsic(id))
      continue;
    ++count;
    EXPECT_TRUE(known_lane_treatment(id)) << llvm::Intrinsic::getBaseName(id).str();
  }
  EXPECT_GT(count, 500U);
}

// What the table says must not contradict what LLVM's vectoriser does.
TEST(LaneIntrinsics, WhatLlvmVectorisesIsVectorised) {
  for (llvm::Intrinsic::ID id = 1; id != llvm::Intrinsic::num_intrinsics; ++id)
    if (llvm::isTriviallyVectorizable(id))
      EXPECT_EQ(known_lane_treatment(id), LaneTreatment::vector)
          << llvm::Intrinsic::getBaseName(id).str();
}

TEST(LaneIntrinsics, LongerRowsCountBeforeShorterOnes) {
  EXPECT_EQ(known_lane_treatment(llvm::Intrinsic::vector_reduce_add), LaneTreatment::earlier);
  EXPECT_EQ(known_lane_treatment(llvm::Intrinsic::vector_reverse), LaneTreatment::one_lane);
  EXPECT_EQ(known_lane_treatment(llvm::Intrinsic::memcpy), LaneTreatment::each_lane);
  EXPECT_EQ(known_lane_treatment(llvm::Intrinsic::memcpy_element_unordered_atomic),
            LaneTreatment::refused);
}

} // namespace
