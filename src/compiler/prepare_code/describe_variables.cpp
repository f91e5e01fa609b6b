// Keeps what a debugger needs to know about the kernel's functions and variables.
//
// Input:  the output of lower-launch, which has inlined the kernel into its entry function, and the
//         front end's debug information.
// Output: the entry function is the kernel, so its variables and lines are found in it. Variables
//         have plain addresses: clang gives each the number of its address space, and the host has
//         only one.
#include "compiler/prepare_code/passes.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// clang's name of an OpenCL kernel's body, which the kernel that the program names calls.
constexpr llvm::StringLiteral body_prefix = "__clang_ocl_kern_imp_";

class Describer {
public:
  explicit Describer(llvm::Function &function) : function_(function) {}

  void run() {
    for (llvm::Instruction &instruction : llvm::instructions(function_)) {
      find_body(instruction.getDebugLoc());
      for (llvm::DbgVariableRecord &record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
        find_body(record.getDebugLoc());
    }
    if (!body_)
      return;
    body_->replaceLinkageName(nullptr); // gdb would show it
    if (body_->getName().empty()) {     // gdb ignores functions without a name
      constexpr unsigned name_operand = 2;
      body_->replaceOperandWith(name_operand,
                                llvm::MDString::get(function_.getContext(), "kernel"));
    }
    function_.setSubprogram(body_);
    llvm::DILocation *nowhere = llvm::DILocation::get(function_.getContext(), 0, 0, body_);
    llvm::DILocation *last = nowhere;
    for (llvm::Instruction &instruction : llvm::instructions(function_)) {
      if (llvm::DILocation *location = own_location(instruction.getDebugLoc()))
        last = location;
      // An instruction of a caller within a function would end its scope, and gdb would take the
      // next instruction for the beginning of a call.
      if (instruction.getDebugLoc() || llvm::isa<llvm::CallBase>(instruction))
        instruction.setDebugLoc(last);
      llvm::updateLoopMetadataDebugLocations(instruction, [&](llvm::Metadata *node) {
        auto *place = llvm::dyn_cast<llvm::DILocation>(node);
        return place ? own_location(place) : node;
      });
      for (llvm::DbgVariableRecord &record :
           llvm::make_early_inc_range(llvm::filterDbgVars(instruction.getDbgRecordRange()))) {
        if (llvm::DILocation *own = own_location(record.getDebugLoc())) {
          record.setDebugLoc(own);
          record.setExpression(plain(*record.getExpression()));
        } else {
          record.eraseFromParent(); // of the caller, which is gone
        }
      }
    }
  }

private:
  // The outermost function of OpenCL C's body of a kernel, or of any kernel.
  void find_body(const llvm::DILocation *location) {
    for (; location; location = location->getInlinedAt()) {
      llvm::DISubprogram *function = location->getScope()->getSubprogram();
      const bool is_body = function->getLinkageName().starts_with(body_prefix);
      if (is_body || (!has_prefix_ && !location->getInlinedAt()))
        body_ = function;
      has_prefix_ |= is_body;
    }
  }

  // Without the calls from the entry function to the body; null for a location outside of the body.
  llvm::DILocation *own_location(llvm::DILocation *location) {
    llvm::SmallVector<llvm::DILocation *, 4> chain; // the outermost last
    for (; location; location = location->getInlinedAt()) {
      chain.push_back(location);
      if (location->getScope()->getSubprogram() == body_)
        break;
    }
    if (chain.empty() || chain.back()->getScope()->getSubprogram() != body_)
      return nullptr;
    llvm::DILocation *result = nullptr;
    for (llvm::DILocation *each : llvm::reverse(chain)) {
      llvm::DILocation *&known = known_[{each, result}];
      if (!known)
        known = copy(*each, result);
      result = known;
    }
    return result;
  }

  // With the atom, which says where a debugger stops. Those of different calls stay different.
  static llvm::DILocation *copy(const llvm::DILocation &old, llvm::DILocation *inlined_at) {
    llvm::LLVMContext &context = old.getContext();
    if (old.isDistinct())
      return llvm::DILocation::getDistinct(context, old.getLine(), old.getColumn(), old.getScope(),
                                           inlined_at, old.isImplicitCode(), old.getAtomGroup(),
                                           old.getAtomRank());
    return llvm::DILocation::get(context, old.getLine(), old.getColumn(), old.getScope(),
                                 inlined_at, old.isImplicitCode(), old.getAtomGroup(),
                                 old.getAtomRank());
  }

  // Without "in address space N" at its end.
  static llvm::DIExpression *plain(llvm::DIExpression &expression) {
    llvm::SmallVector<uint64_t, 8> elements(expression.getElements());
    if (elements.empty() || elements.back() != llvm::dwarf::DW_OP_xderef)
      return &expression;
    elements.pop_back_n(2); // also DW_OP_swap
    if (elements.size() >= 2 && elements[elements.size() - 2] == llvm::dwarf::DW_OP_constu)
      elements.pop_back_n(2);
    else
      elements.pop_back(); // DW_OP_lit0 to DW_OP_lit31
    return llvm::DIExpression::get(expression.getContext(), elements);
  }

  llvm::Function &function_;
  llvm::DISubprogram *body_ = nullptr;
  bool has_prefix_ = false;
  llvm::DenseMap<std::pair<llvm::DILocation *, llvm::DILocation *>, llvm::DILocation *> known_;
};

} // namespace

llvm::PreservedAnalyses DescribeVariablesPass::run(llvm::Module &module,
                                                   llvm::ModuleAnalysisManager &) {
  if (llvm::Function *function = module.getFunction(sub_group_symbol))
    Describer(*function).run();
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
