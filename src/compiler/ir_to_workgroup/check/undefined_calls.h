// Functions that track-undefined leaves for lower-undefined: what they act on is known only when the kernel is optimised.
// Their names end with the type of the bits, an integer, or a vector of them, of the size of what is accessed; and with the
// address space.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace lockstep::compiler {

// void (value): work-items of a group or sub-group need it together. From mark-user-code to track-undefined.
inline constexpr llvm::StringLiteral collective_use_name = "__lockstep_collective_use";
// bits (value): which of its bits are undefined, as an integer of its size; i1 (value): were some computed? And value
// (value, bits, i1 computed): the first, with these. From mark-user-code to track-undefined.
inline constexpr llvm::StringLiteral bits_of_name = "__lockstep_bits_of";
inline constexpr llvm::StringLiteral computed_of_name = "__lockstep_computed_of";
inline constexpr llvm::StringLiteral with_bits_name = "__lockstep_with_bits";
// bits (pointer): which bits there are undefined.
inline constexpr llvm::StringLiteral undefined_load_name = "__lockstep_undefined_load";
// bits (pointer): is any of these set, some were computed from undefined ones, in local memory.
inline constexpr llvm::StringLiteral computed_load_name = "__lockstep_computed_load";
// void (pointer, bits, i1 computed, site): an access writes there; told of if it is of global memory.
inline constexpr llvm::StringLiteral undefined_store_name = "__lockstep_undefined_store";
// void (pointer, bits operand, bits, site): an atomic update.
inline constexpr llvm::StringLiteral undefined_update_name = "__lockstep_undefined_update";
// void (as the group copy that stands before it): the same copy of what is known of the bits.
inline constexpr llvm::StringLiteral undefined_copy_name = "__lockstep_undefined_copy";

// What collectives lay down for each other, by ways that nobody here sees: all of it counts as defined.
inline bool is_of_collectives(const llvm::Value &object) {
  return object.getName().starts_with("lockstep.group.scratch");
}

// On instructions that the program wrote, not the device library (mark-user-code).
inline constexpr char user_code[] = "lockstep.user.code";

// A function for each type of bits, and of pointers.
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
