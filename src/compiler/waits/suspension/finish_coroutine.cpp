#include "compiler/waits/suspension/finish_coroutine.h"

#include "compiler/waits/suspension/spill_scopes.h"
#include "compiler/waits/suspension/suspension_sites.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

constexpr char facts_symbol[] = "__lockstep_frame_facts";
constexpr char facts_attribute[] = "lockstep-frame"; // "<size>,<alignment>"
constexpr char of_group_attribute[] = "lockstep-frame-of-group";

class Finisher {
public:
  explicit Finisher(llvm::Module &module)
      : module_(module), builder_(module.getContext()),
        ramp_(*module.getFunction(sub_group_symbol)),
        resume_(module.getFunction(std::string(sub_group_symbol) + ".resume")) {}

  void run() {
    for (const char *suffix : {".destroy", ".cleanup"})
      drop(suffix);
    // The frame needs no resume pointer, because only lockstep.resume continues it.
    if (resume_)
      resume_->replaceAllUsesWith(llvm::ConstantPointerNull::get(builder_.getPtrTy()));
    emit_start();
    emit_resume();
    for (llvm::Function *function : {&ramp_, resume_})
      if (function) {
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
        forward_kept_values(*function);
        add_spill_scopes(*function);
      }
  }

private:
  void drop(const char *suffix) {
    llvm::Function *function = module_.getFunction(std::string(sub_group_symbol) + suffix);
    if (!function)
      return;
    function->replaceAllUsesWith(llvm::ConstantPointerNull::get(builder_.getPtrTy()));
    function->eraseFromParent();
  }

  // Removes the placeholder and returns "<size>,<alignment>".
  std::string take_facts() {
    llvm::Function *function = module_.getFunction(facts_symbol);
    std::string facts;
    while (!function->use_empty()) {
      auto *call = llvm::cast<llvm::CallInst>(function->user_back());
      uint64_t size = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
      uint64_t alignment = llvm::cast<llvm::ConstantInt>(call->getArgOperand(1))->getZExtValue();
      size = std::max<uint64_t>(size, sizeof(SubGroupFrame)); // 0 if it is never suspended
      alignment = std::max<uint64_t>(alignment, alignof(SubGroupFrame));
      facts = llvm::utostr(llvm::alignTo(size, alignment)) + "," + llvm::utostr(alignment);
      call->eraseFromParent();
    }
    function->eraseFromParent();
    return facts;
  }

  llvm::Function *make(const char *name, llvm::ArrayRef<llvm::Type *> parameters) {
    auto *function =
        llvm::Function::Create(llvm::FunctionType::get(builder_.getInt32Ty(), parameters, false),
                               llvm::GlobalValue::ExternalLinkage, name, &module_);
    for (const char *attribute : {"target-cpu", "target-features", "prefer-vector-width",
                                  "lockstep-sub-group-size", size_is_free, local_memory_bytes})
      if (ramp_.hasFnAttribute(attribute))
        function->addFnAttr(ramp_.getFnAttribute(attribute));
    if (ramp_.hasFnAttribute(llvm::Attribute::VScaleRange))
      function->addFnAttr(ramp_.getFnAttribute(llvm::Attribute::VScaleRange));
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->setDSOLocal(true);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function));
    return function;
  }

  void return_step(llvm::Value *frame) {
    llvm::Value *step = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame,
                                                            offsetof(SubGroupFrame, step));
    builder_.CreateRet(
        builder_.CreateAlignedLoad(builder_.getInt32Ty(), step, llvm::Align(4), "step"));
  }

  void call(llvm::Function &callee, llvm::ArrayRef<llvm::Value *> arguments) {
    auto *call = builder_.CreateCall(&callee, arguments);
    call->setCallingConv(callee.getCallingConv());
  }

  void call_on_stack(llvm::SmallVector<llvm::Value *, 4> arguments) {
    uint64_t bytes = 0;
    ramp_.getFnAttribute(own_stack_bytes).getValueAsString().getAsInteger(10, bytes);
    arguments.append({&ramp_, builder_.getInt64(bytes)});
    llvm::SmallVector<llvm::Type *, 6> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *type = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
    builder_.CreateCall(module_.getOrInsertFunction("lockstep_start_on_stack", type), arguments);
  }

  void emit_start() {
    std::string facts = take_facts();
    llvm::SmallVector<llvm::Type *, 4> types;
    for (llvm::Argument &parameter : ramp_.args())
      types.push_back(parameter.getType());
    llvm::Function *start = make(start_symbol, types);
    start->addFnAttr(facts_attribute, facts);
    const bool is_of_group = is_resumable_by_group(ramp_);
    if (is_of_group)
      start->addFnAttr(of_group_attribute);
    for (const char *attribute : {may_batch_updates, stops_before_locks})
      if (ramp_.hasFnAttribute(attribute))
        start->addFnAttr(attribute);
    llvm::SmallVector<llvm::Value *, 4> arguments;
    for (llvm::Argument &parameter : start->args())
      arguments.push_back(&parameter);
    if (ramp_.hasFnAttribute(own_stack_bytes))
      call_on_stack(arguments);
    else
      call(ramp_, arguments);
    return_step(start->getArg(2));
    llvm::StringRef size = llvm::StringRef(facts).split(',').first;
    module_.getContext().diagnose(llvm::DiagnosticInfoGeneric(
        "resumable: " + size + " bytes per " +
            (is_of_group ? "work-group in sub-groups of " : "sub-group of ") +
            llvm::utostr(sub_group_size(ramp_)) + " work-items",
        llvm::DS_Remark));
  }

  // A coroutine without suspensions has nothing to resume, and the launch never calls this.
  void emit_resume() {
    llvm::Function *function = make(resume_symbol, {builder_.getPtrTy()});
    if (ramp_.hasFnAttribute(own_stack_bytes))
      builder_.CreateCall(module_.getOrInsertFunction("lockstep_resume_on_stack",
                                                      builder_.getVoidTy(), builder_.getPtrTy()),
                          {function->getArg(0)});
    else if (resume_)
      call(*resume_, {function->getArg(0)});
    return_step(function->getArg(0));
  }

  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
  llvm::Function &ramp_;
  llvm::Function *resume_;
};

} // namespace

llvm::PreservedAnalyses FinishCoroutinePass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  if (!module.getFunction(sub_group_symbol))
    return llvm::PreservedAnalyses::all();
  Finisher(module).run();
  return llvm::PreservedAnalyses::none();
}

void record_frame_facts(llvm::IRBuilderBase &builder, llvm::Value *size, llvm::Value *alignment) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  auto callee = module.getOrInsertFunction(facts_symbol, builder.getVoidTy(), size->getType(),
                                           alignment->getType());
  builder.CreateCall(callee, {size, alignment})->setDoesNotThrow();
}

ResumableCode resumable_facts(const llvm::Module &module) {
  ResumableCode code;
  code.sites = suspension_sites(module);
  code.accesses = seen_accesses(module);
  const llvm::Function &start = *module.getFunction(start_symbol);
  code.is_of_group = start.hasFnAttribute(of_group_attribute);
  code.may_batch_updates = start.hasFnAttribute(may_batch_updates);
  code.stops_before_locks = start.hasFnAttribute(stops_before_locks);
  auto [size, alignment] = start.getFnAttribute(facts_attribute).getValueAsString().split(',');
  size.getAsInteger(10, code.frame_size);
  alignment.getAsInteger(10, code.frame_alignment);
  return code;
}

} // namespace lockstep::compiler
