#include "compiler/lanes/split/private_layouts.h"

#include "compiler/lanes/split/address_flow.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"

#include "abi/address_spaces.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool may_be_private(const llvm::Type &type) {
  // Private or generic.
  return type.isPointerTy() && (type.getPointerAddressSpace() == private_space ||
                                type.getPointerAddressSpace() == generic_space);
}

// What is known about the set of a variable or parameter.
struct Set {
  uint64_t element_size = 0;
  bool can_be_interleaved = true;
  unsigned members = 0;
};

class Finder {
public:
  Finder(llvm::Function &kernel, llvm::ArrayRef<PrivateLayouts::Copy> copies)
      : layout_(kernel.getDataLayout()) {
    bodies_.push_back(&kernel);
    for (auto [original, copy] : copies) {
      bodies_.push_back(copy);
      copy_of_[original] = copy;
    }
  }

  // Returns the variables and parameters of sets that can be interleaved, with their element sizes.
  llvm::MapVector<llvm::Value *, uint64_t> find() {
    for (llvm::Function *body : bodies_) {
      for (llvm::Instruction &instruction : llvm::instructions(*body))
        if (llvm::isa<llvm::AllocaInst>(instruction) &&
            !instruction.hasMetadata(sub_group_variable))
          add(instruction);
      for (llvm::Argument &parameter : body->args())
        if (body != bodies_.front() && may_be_private(*parameter.getType()))
          add(parameter);
    }
    for (llvm::Function *body : bodies_)
      for (llvm::Instruction &instruction : llvm::instructions(*body))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          check_origins(*call);
    return interleaved();
  }

private:
  llvm::Argument *parameter_of(const llvm::Use &argument) const {
    auto *call = llvm::cast<llvm::CallInst>(argument.getUser());
    llvm::Function *copy = copy_of_.lookup(call->getCalledFunction());
    return copy ? copy->getArg(call->getArgOperandNo(&argument)) : nullptr;
  }

  void add(llvm::Value &root) {
    sets_.insert(&root);
    AddressFlow flow(root, layout_);
    facts_[&root] = {flow.element_size, !flow.gets_away};
    for (llvm::Use *use : flow.passed_on) {
      if (llvm::Argument *parameter = parameter_of(*use)) {
        sets_.unionSets(&root, parameter);
        known_origin_.insert(use);
      } else {
        facts_[&root].can_be_interleaved = false; // the callee is called lane by lane
      }
    }
  }

  // Excludes parameters that get an address of unknown origin.
  void check_origins(llvm::CallInst &call) {
    for (llvm::Use &argument : call.args())
      if (may_be_private(*argument->getType()) && !known_origin_.contains(&argument))
        if (llvm::Argument *parameter = call.getCalledFunction() ? parameter_of(argument) : nullptr)
          facts_[parameter].can_be_interleaved = false;
  }

  // Ignores sets of a single variable: interleave-private handles those.
  llvm::MapVector<llvm::Value *, uint64_t> interleaved() {
    llvm::MapVector<llvm::Value *, uint64_t> result;
    llvm::DenseMap<llvm::Value *, Set> of_leader;
    for (auto &[root, fact] : facts_) {
      Set &set = of_leader[sets_.getLeaderValue(root)];
      set.can_be_interleaved &=
          fact.can_be_interleaved && (fact.element_size == 0 || set.element_size == 0 ||
                                      fact.element_size == set.element_size);
      set.element_size = std::max(set.element_size, fact.element_size);
      ++set.members;
    }
    for (auto &[root, fact] : facts_) {
      Set &set = of_leader[sets_.getLeaderValue(root)];
      set.can_be_interleaved =
          set.can_be_interleaved && set.element_size != 0 &&
          is_of_elements(*root, set.element_size, layout_) &&
          steps_by_elements(AddressFlow(*root, layout_), set.element_size, layout_);
    }
    for (auto &[root, fact] : facts_) {
      const Set &set = of_leader[sets_.getLeaderValue(root)];
      if (set.can_be_interleaved && set.members > 1)
        result[root] = set.element_size;
    }
    return result;
  }

  const llvm::DataLayout &layout_;
  llvm::SmallVector<llvm::Function *> bodies_; // the kernel first
  llvm::DenseMap<llvm::Function *, llvm::Function *> copy_of_;
  llvm::EquivalenceClasses<llvm::Value *> sets_;
  llvm::MapVector<llvm::Value *, Set> facts_;
  llvm::SmallPtrSet<const llvm::Use *, 16> known_origin_; // arguments derived from a root
};

// Serialized code (serialize-loops) calls the scalar versions of functions, which do not know the
// interleaved layout.
bool has_serial_regions(llvm::Function &kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction &instruction) {
    return called_primitive(instruction) == Primitive::serial_begin;
  });
}

} // namespace

PrivateLayouts::PrivateLayouts(llvm::Function &kernel, llvm::ArrayRef<Copy> copies) {
  if (has_serial_regions(kernel))
    return;
  for (auto &[root, size] : Finder(kernel, copies).find()) {
    element_sizes_[root] = size;
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(root))
      mark_interleaved(*variable, size);
  }
}

} // namespace lockstep::compiler
