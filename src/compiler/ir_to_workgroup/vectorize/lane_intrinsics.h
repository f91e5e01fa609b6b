// What the lanes stage does with each of LLVM's intrinsics.
//
// Clang and LLVM's passes may leave any of them in a kernel, and a new version of LLVM brings new
// ones. A table names them all, so that none is taken for something that it is not;
// lane_intrinsics_test.cpp goes through LLVM's own list.
#pragma once

#include "llvm/IR/Intrinsics.h"

#include <optional>

namespace llvm {
class IntrinsicInst;
} // namespace llvm

namespace lockstep::compiler {

enum class LaneTreatment : uint8_t {
  dropped,       // tells the optimiser about one work-item, which holds for no vector
  first_operand, // its result is its first operand
  vector,        // the same intrinsic on vectors
  each_lane,     // done for one lane after the other
  earlier,       // none is left when instructions become vectors; on scalars there is none
  one_lane,      // the code generator knows it, for one work-item: the sub-group has one lane
  refused        // has no meaning in a kernel: an error
};

// Nothing if the table does not know it.
std::optional<LaneTreatment> known_lane_treatment(llvm::Intrinsic::ID id);

// Of a call. What is unknown, or of vectors that split-vectors cannot split, is for one lane.
LaneTreatment lane_treatment(const llvm::IntrinsicInst &call);

} // namespace lockstep::compiler
