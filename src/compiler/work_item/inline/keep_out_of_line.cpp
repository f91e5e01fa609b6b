// Decides which functions of a large kernel are not inlined.
//
// Requires: a module with one kernel, builtins linked, nothing inlined; no recursion.
// Ensures: functions that must not be inlined have the attribute "lockstep-out-of-line".
//
// Later stages work best on one function, which is what small kernels get. But its size is a
// product: a hash function of 300 lines that is called 20 times by one that is called 20 times is
// 120,000 lines, which takes minutes to compile. So above `limit` instructions, the pass first
// simplifies each function, once instead of in each copy. Then it marks the fewest and largest
// functions for which the total code is below the limit, or as small as possible.
//
// Cooperating work-items must be in one control-flow graph. So a function is always inlined if it
// or a callee reaches a barrier, a sub-group operation, or an access that a loop might wait for.
// With fences, that is any load of memory that other work-items see. If accesses are checked,
// functions that access such memory are inlined as well, since each access must know its work-item.
//
// The decision depends only on the IR and the limit, so the same kernel yields the same code
// everywhere.
#include "compiler/work_item/inline/passes.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/prepare_code/workarounds/llvm22/passes.h"
#include "compiler/waits/analysis/waits.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace lockstep::compiler {

namespace {

// Below this size a function is not worth a call with its arguments and results.
constexpr uint64_t smallest_kept = limits::small_code / 2;

// clang emits a kernel as two functions, so that other kernels can call it; this is the one with
// the body.
constexpr llvm::StringLiteral kernel_body_prefix = "__clang_ocl_kern_imp_";

// Scalars and vectors of them. Structures are passed by pointer; as values they are only results of
// builtins.
bool is_plain(llvm::Type *type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    type = vector->getElementType();
  return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy();
}

bool has_plain_types(const llvm::Function &function) {
  llvm::Type *result = function.getReturnType();
  return !function.isVarArg() && (result->isVoidTy() || is_plain(result)) &&
         llvm::all_of(function.getFunctionType()->params(), is_plain);
}

// Whether the instruction needs all work-items in one control-flow graph, or needs the kernel's
// frame.
bool needs_the_kernel(const llvm::Instruction &instruction) {
  if (may_be_changed_by_others(instruction)) // no loop can wait for an unused result
    return !llvm::isa<llvm::AtomicRMWInst>(instruction) || !instruction.use_empty();
  if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
    return fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isAtomic(); // it may end a wait
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isa<llvm::IntrinsicInst>(call))
    return false;
  if (!llvm::isa<llvm::CallInst>(call) || !call->getCalledFunction())
    return true;
  auto primitive = called_primitive(instruction);
  if (!primitive)
    return call->getCalledFunction()->isDeclaration();
  return *primitive != Primitive::printf && *primitive != Primitive::reciprocal_sqrt &&
         !is_of_work_item(*primitive);
}

// Loops may wait for ordinary memory if there are fences, or barriers and accesses that a loop can
// wait for (waits.h).
struct Synchronization {
  bool has_fence = false, has_barrier = false, has_access = false;

  void add(const llvm::Instruction &instruction) {
    has_fence |= llvm::isa<llvm::FenceInst>(instruction);
    has_barrier |= is_group_operation(instruction);
    has_access |= may_be_changed_by_others(instruction);
  }
  bool makes_loads_matter() const { return has_fence || (has_barrier && has_access); }
};

bool loads_shared_memory(const llvm::Instruction &instruction) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && load->getPointerAddressSpace() != private_space &&
         load->getPointerAddressSpace() != constant_space;
}

// Private and constant memory is not shared.
bool accesses_shared_memory(const llvm::Instruction &instruction) {
  if (!instruction.mayReadOrWriteMemory())
    return false;
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      call && !llvm::isa<llvm::MemIntrinsic>(call))
    return false; // its callee is checked separately
  return llvm::any_of(instruction.operands(), [](const llvm::Use &operand) {
    auto *pointer = llvm::dyn_cast<llvm::PointerType>(operand->getType());
    return pointer && pointer->getAddressSpace() != private_space &&
           pointer->getAddressSpace() != constant_space;
  });
}

struct Facts {
  uint64_t own_size = 0;
  unsigned calls = 0;        // of this function
  bool needs_kernel = false; // because of its own code or a callee's
  bool loads_shared_memory = false;
  bool has_plain_types = false;
  llvm::SmallVector<llvm::Function *> callees; // one entry for each call
};

class Chooser {
public:
  Chooser(llvm::Function &kernel, uint64_t limit, bool checks)
      : kernel_(&kernel), limit_(limit), checks_(checks) {
    look_at(kernel);
    if (synchronization_.makes_loads_matter())
      for (llvm::Function *function : order_) { // callees first
        Facts &facts = facts_[function];
        facts.needs_kernel |= facts.loads_shared_memory;
        for (llvm::Function *callee : facts.callees)
          facts.needs_kernel |= facts_[callee].needs_kernel;
      }
  }

  // The functions that the kernel reaches, callees before callers, the kernel last.
  llvm::ArrayRef<llvm::Function *> order() const { return order_; }

  bool needs_kernel(llvm::Function &function) const {
    return facts_.find(&function)->second.needs_kernel;
  }

  // Returns the total size of the code if functions above `smallest` instructions stay out of line.
  uint64_t choose(uint64_t smallest) {
    kept_.clear();
    llvm::DenseMap<llvm::Function *, uint64_t> sizes; // including inlined callees
    uint64_t total = 0;
    for (llvm::Function *function : order_) {
      const Facts &facts = facts_[function];
      uint64_t size = facts.own_size;
      for (llvm::Function *callee : facts.callees)
        if (!kept_.contains(callee))
          size = llvm::SaturatingAdd(size, sizes[callee]);
      sizes[function] = size;
      // Inlining a function that is called once does not grow the total, but may make one function
      // too large.
      bool keep = size > (facts.calls == 1 ? std::max(smallest, limit_ / 4) : smallest) &&
                  !facts.needs_kernel && facts.has_plain_types;
      if (keep)
        kept_.insert(function);
      if (keep || function == kernel_)
        total = llvm::SaturatingAdd(total, size);
    }
    return total;
  }

  const llvm::SmallPtrSetImpl<llvm::Function *> &kept() const { return kept_; }

private:
  static uint64_t size_of(const llvm::Function &function) {
    return llvm::count_if(llvm::instructions(function), [](const llvm::Instruction &instruction) {
      return !instruction.isDebugOrPseudoInst();
    });
  }

  void look_at(llvm::Function &function) {
    if (!facts_.try_emplace(&function).second)
      return;
    Facts facts;
    facts.own_size = size_of(function);
    facts.has_plain_types = has_plain_types(function);
    facts.needs_kernel = &function == kernel_ || function.hasAddressTaken() ||
                         function.getName().starts_with(kernel_body_prefix);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      facts.needs_kernel |=
          needs_the_kernel(instruction) || (checks_ && accesses_shared_memory(instruction));
      facts.loads_shared_memory |= loads_shared_memory(instruction);
      synchronization_.add(instruction);
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration())
        continue;
      facts.callees.push_back(callee);
      look_at(*callee);
      ++facts_[callee].calls;
      facts.needs_kernel |= facts_[callee].needs_kernel;
    }
    // Keeps calls that were counted during this visit: those of recursive functions, which
    // inline-kernel rejects.
    facts.calls = facts_[&function].calls;
    facts_[&function] = std::move(facts);
    order_.push_back(&function);
  }

  llvm::Function *kernel_;
  uint64_t limit_;
  bool checks_;
  llvm::DenseMap<llvm::Function *, Facts> facts_;
  llvm::SmallVector<llvm::Function *> order_;
  Synchronization synchronization_;
  llvm::SmallPtrSet<llvm::Function *, 16> kept_;
};

// Simplifies each function once instead of in each copy. Divisions are guarded before the first
// optimization. Accesses of functions that reach a barrier do not change: drop-noalias cannot see
// barriers behind calls.
void simplify(llvm::Module &module, const Chooser &chooser, bool optimize,
              llvm::ModuleAnalysisManager &analyses) {
  llvm::FunctionPassManager first, more;
  first.addPass(GuardIntegerDivisionPass());
  first.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  more.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  more.addPass(ClampConversionsToHalfPass());
  more.addPass(llvm::InstCombinePass());
  more.addPass(llvm::SimplifyCFGPass());
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (llvm::Function *function : chooser.order()) {
    of_functions.invalidate(*function, first.run(*function, of_functions));
    if (optimize && !chooser.needs_kernel(*function))
      of_functions.invalidate(*function, more.run(*function, of_functions));
  }
}

} // namespace

llvm::PreservedAnalyses KeepOutOfLinePass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &analyses) {
  constexpr uint64_t nothing = UINT64_MAX;
  llvm::Function *kernel = kernel_function(module);
  if (!kernel)
    return llvm::PreservedAnalyses::all();
  Chooser chooser(*kernel, limit_, checks_);
  if (chooser.choose(nothing) <= limit_)
    return llvm::PreservedAnalyses::all();
  simplify(module, chooser, optimize_, analyses);
  chooser = Chooser(*kernel, limit_, checks_);
  uint64_t best = limit_ == 0 ? 0 : nothing, least = limit_ == 0 ? 0 : chooser.choose(nothing);
  for (uint64_t smallest = std::max(limit_, smallest_kept); least > limit_; smallest /= 2) {
    if (uint64_t size = chooser.choose(smallest); size < least) {
      least = size;
      best = smallest;
    }
    if (smallest <= smallest_kept)
      break;
  }
  chooser.choose(best);
  for (llvm::Function *function : chooser.order())
    if (chooser.kept().contains(function)) {
      function->addFnAttr(out_of_line_function);
      remark(function->getEntryBlock().front(), "functions",
             "'" + llvm::demangle(function->getName()) +
                 "' stays a function: the kernel would be too large with everything inlined");
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
