// Finds members of structure arguments: captures of a SYCL function object, and the pointers,
// ranges and offsets of its accessors.
//
// Kernels read members in the argument block (arguments/privatize_arguments.cpp), which is never
// written. So a member can be treated like an argument of its own. A pass that must know which
// pointer of the launch an access goes through calls argument_pointer, and so treats SYCL's
// pointers like OpenCL's arguments.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Argument;
class Function;
class IRBuilderBase;
class LoadInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct ArgumentMember {
  const llvm::Argument *argument;
  int64_t byte;
};
// Nullopt: the value is not a load of a member.
std::optional<ArgumentMember> member_of(const llvm::Value &value);

// Inserts a copy of the load, at `builder` or at the entry of the kernel. `member` must be a load
// from an argument, which is never written and can be read anywhere.
llvm::LoadInst *copy_of(const llvm::LoadInst &member, llvm::IRBuilderBase &builder);
llvm::LoadInst *load_at_entry(const llvm::LoadInst &member);

// Identifies a pointer that is a kernel argument or a member of one.
struct ArgumentPointer {
  int64_t argument;
  int64_t byte; // -1: the argument itself
  bool operator==(const ArgumentPointer &) const = default;
};
std::optional<ArgumentPointer> argument_pointer(const llvm::Value &object);

// Maps all loads of a pointer member to one object, since a member may be loaded several times.
class ArgumentMembers {
public:
  explicit ArgumentMembers(const llvm::Function &kernel);
  // Returns the argument, the variable or the first load of the member; null for anything else.
  const llvm::Value *object_of(const llvm::Value &underlying) const;

private:
  llvm::DenseMap<std::pair<const llvm::Argument *, int64_t>, const llvm::Value *> first_loads_;
};

} // namespace lockstep::compiler
