// Members of structures that are arguments: what a function object of SYCL has captured, and pointers, ranges and offsets
// of its accessors. They are read where they lie, in the argument block (arguments/privatise_arguments.h), which nobody
// writes, so each is as good as an argument of its own.
#pragma once

#include "compiler/check_abi.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Argument;
class Function;
class LoadInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct ArgumentMember {
  const llvm::Argument *argument;
  int64_t byte;
};
// Nothing: the value is no load of one.
std::optional<ArgumentMember> member_of(const llvm::Value &value);

// The same at the beginning of the kernel. `member`: a load from an argument, which nobody writes.
llvm::LoadInst *load_at_entry(const llvm::LoadInst &member);

// A pointer that is an argument of the launch, or a member of one; of it, which.
struct ArgumentPlace {
  int64_t argument;
  int64_t byte; // -1: it is the argument
};
std::optional<ArgumentPlace> argument_place(const llvm::Value &object);

// By what a place of the source reaches memory.
void set_argument(CheckSite &site, const llvm::Value &object);

// Pointers that are members. One may be loaded at several places; it is one object.
class ArgumentMembers {
public:
  explicit ArgumentMembers(const llvm::Function &kernel);
  // Argument, variable, or the first load of the member; null: it is something else.
  const llvm::Value *object_of(const llvm::Value &underlying) const;

private:
  llvm::DenseMap<std::pair<const llvm::Argument *, int64_t>, const llvm::Value *> first_loads_;
};

} // namespace lockstep::compiler
