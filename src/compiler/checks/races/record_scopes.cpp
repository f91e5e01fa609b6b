#include "compiler/checks/races/record_scopes.h"

#include "kernel_ir/metadata_numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <vector>

namespace lockstep::compiler {

namespace {

// memory_scope of OpenCL C: 0 work-item, 1 work-group, 2 device, 3 all devices, 4 sub-group.
CheckScope scope_of(const llvm::Value &value) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
  switch (constant ? constant->getZExtValue() : 2) {
  case 0:
    return CheckScope::work_item;
  case 1:
    return CheckScope::work_group;
  case 4:
    return CheckScope::sub_group;
  default:
    return CheckScope::device;
  }
}

uint32_t flags_of(const llvm::Value &value) {
  constexpr uint32_t both = local_fence | global_fence;
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
  if (!constant)
    return both;
  const auto flags = static_cast<uint32_t>(constant->getZExtValue());
  return (flags & image_fence ? flags | global_fence : flags) & both;
}

// Atomics of OpenCL C 1.x, including the 64-bit ones.
bool is_legacy_atomic(llvm::StringRef name) {
  if (!name.consume_front("atomic_") && !name.consume_front("atom_"))
    return false;
  for (llvm::StringRef operation :
       {"add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"})
    if (name == operation)
      return true;
  return false;
}

std::optional<SynchronizationNote> note_of(const llvm::CallInst &call, bool strictly) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  const llvm::StringRef name = builtin_name(*callee);
  if (name == "part_of_sub_group_barrier")
    return SynchronizationNote{CheckScope::device, 3, SynchronizationNote::orders_lanes};
  if (call.arg_empty())
    return std::nullopt;
  const llvm::Value &last = *call.getArgOperand(call.arg_size() - 1);
  if (name == "atomic_work_item_fence")
    return SynchronizationNote{scope_of(last), flags_of(*call.getArgOperand(0))};
  if (is_legacy_fence(name))
    return SynchronizationNote{strictly ? CheckScope::work_item : CheckScope::device,
                               flags_of(*call.getArgOperand(0))};
  if (strictly && is_legacy_atomic(name))
    return SynchronizationNote{CheckScope::work_group, 0};
  if (name == "wait_group_events")
    return SynchronizationNote{CheckScope::work_group, 0, SynchronizationNote::waits_for_copies};
  if (name == "async_work_group_copy_fence")
    return SynchronizationNote{CheckScope::work_group, 0, SynchronizationNote::separates_copies};
  if (name == "barrier" || name == "work_group_barrier")
    return SynchronizationNote{takes_scope(*callee) ? scope_of(last) : CheckScope::work_group,
                               flags_of(*call.getArgOperand(0))};
  if (name.starts_with("atomic_") && takes_scope(*callee))
    return SynchronizationNote{scope_of(last), 0};
  return std::nullopt;
}

} // namespace

llvm::StringRef builtin_name(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  unsigned length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size())
    return {};
  return name.take_front(length);
}

bool takes_scope(const llvm::Function &function) {
  return function.getName().ends_with("12memory_scope");
}

bool is_legacy_fence(llvm::StringRef name) {
  return name == "mem_fence" || name == "read_mem_fence" || name == "write_mem_fence";
}

llvm::PreservedAnalyses RecordScopesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::LLVMContext &context = module.getContext();
  if (strictly_)
    module.getOrInsertNamedMetadata(strict_synchronization_name);
  // Entries by source location; the index of an entry is its discriminator.
  std::map<std::tuple<llvm::StringRef, uint32_t, uint32_t>, std::vector<SynchronizationNote>> known;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::DILocation *place = instruction.getDebugLoc().get();
      auto note = call && place ? note_of(*call, strictly_) : std::nullopt;
      if (!note)
        continue;
      auto &here = known[{place->getFilename(), place->getLine(), place->getColumn()}];
      const auto number = std::size_t(std::find(here.begin(), here.end(), *note) - here.begin());
      if (number == here.size())
        here.push_back(*note);
      if (auto distinct =
              number ? place->cloneWithBaseDiscriminator(unsigned(number)) : std::nullopt)
        instruction.setDebugLoc(place = *distinct);
      module.getOrInsertNamedMetadata(synchronization_notes_name)
          ->addOperand(llvm::MDNode::getDistinct(
              context,
              {llvm::MDString::get(context, place->getFilename()),
               metadata_number(context, place->getLine()),
               metadata_number(context, place->getColumn()),
               metadata_number(context, static_cast<uint32_t>(note->scope)),
               metadata_number(context, note->fences), metadata_number(context, note->kind),
               metadata_number(context, place->getDiscriminator())}));
    }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
