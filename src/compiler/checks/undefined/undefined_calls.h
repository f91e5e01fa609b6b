// Placeholder functions that track-undefined inserts and lower-undefined lowers: the memory that
// they act on is known only after optimization.
//
// A name ends with the type of the bits and the address space. The type is an integer or a vector
// of integers, of the size of the access.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace lockstep::compiler {

// void (value): the work-items of a group or sub-group use the value together. mark-user-code
// inserts the call, track-undefined consumes it.
inline constexpr llvm::StringLiteral collective_use_name = "__lockstep_collective_use";
// Calls from mark-user-code to track-undefined:
//   bits (value): its undefined bits, as an integer of its size
//   i1 (value): whether some of them were computed from undefined bits
//   value (value, bits, i1 computed): the value with these shadow bits
inline constexpr llvm::StringLiteral bits_of_name = "__lockstep_bits_of";
inline constexpr llvm::StringLiteral computed_of_name = "__lockstep_computed_of";
inline constexpr llvm::StringLiteral with_bits_name = "__lockstep_with_bits";
// bits (pointer): the undefined bits of the memory there.
inline constexpr llvm::StringLiteral undefined_load_name = "__lockstep_undefined_load";
// bits (pointer): nonzero if some bits there were computed from undefined ones; local memory.
inline constexpr llvm::StringLiteral computed_load_name = "__lockstep_computed_load";
// void (pointer, bits, i1 computed, site): stores shadow bits; reports undefined ones in global
// memory.
inline constexpr llvm::StringLiteral undefined_store_name = "__lockstep_undefined_store";
// Attribute of such a call: the store of an atomic.
inline constexpr char shadow_of_atomic[] = "lockstep-shadow-of-atomic";
// void (pointer, bits operand, bits, site): an atomic update.
inline constexpr llvm::StringLiteral undefined_update_name = "__lockstep_undefined_update";
// void (operands of the group copy before it): the same copy, of the shadow.
inline constexpr llvm::StringLiteral undefined_copy_name = "__lockstep_undefined_copy";

// Scratch memory of collectives counts as defined: the library accesses it in ways that are not
// tracked.
inline bool is_of_collectives(const llvm::Value &object) {
  return object.getName().starts_with("lockstep.group.scratch");
}

// On instructions of the program, as opposed to those of the device library (mark-user-code).
inline constexpr char user_code[] = "lockstep.user.code";

// A function name for each type of bits and each address space.
inline std::string name_for(llvm::StringRef name, const llvm::Type &type,
                            const llvm::Type *pointer = nullptr) {
  std::string text = (name + ".").str();
  llvm::raw_string_ostream stream(text);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type))
    stream << 'v' << vector->getNumElements() << *vector->getElementType();
  else
    stream << type;
  if (pointer)
    stream << ".p" << pointer->getPointerAddressSpace();
  return text;
}

} // namespace lockstep::compiler
