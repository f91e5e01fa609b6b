// Defines how the lanes stage treats each LLVM intrinsic.
//
// Clang and LLVM passes may leave any intrinsic in a kernel, and each LLVM version adds new ones. A
// table names all of them, so that none is treated by accident. lane_intrinsics_test.cpp checks the
// table against LLVM's list.
#pragma once

#include "llvm/IR/Intrinsics.h"

#include <optional>

namespace llvm {
class IntrinsicInst;
} // namespace llvm

namespace lockstep::compiler {

enum class LaneTreatment : uint8_t {
  dropped,       // a hint about one work-item that does not hold for a vector
  first_operand, // the result is the first operand
  vector,        // the same intrinsic on vectors
  each_lane,     // called lane by lane
  earlier,       // removed by an earlier pass for vectors; does not exist for scalars
  one_lane,      // supported for one work-item only: the sub-group gets one lane
  refused        // an error: it has no meaning in a kernel
};

// Returns nullopt for an intrinsic that is not in the table.
std::optional<LaneTreatment> known_lane_treatment(llvm::Intrinsic::ID id);

// Treatment of a call. Unknown intrinsics, and those of vectors that split-vectors cannot split,
// are `one_lane`.
LaneTreatment lane_treatment(const llvm::IntrinsicInst &call);

} // namespace lockstep::compiler
