#include "compiler/lanes/packetize/lane_intrinsics.h"

#include "llvm/Analysis/VectorUtils.h"

#include <gtest/gtest.h>

using namespace lockstep::compiler;

namespace {

// A new LLVM version adds intrinsics: decide about them in lane_intrinsics.cpp.
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

// The table must not contradict LLVM's vectorizer.
TEST(LaneIntrinsics, WhatLlvmVectorizesIsVectorized) {
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
