// Turns kernel IR for spir64 into IR for nvptx64.
//
// Requires: the kernel after the shared stages.
// Ensures: triple, data layout, processor and features are those of the GPU. Address spaces are
// NVPTX's: constant memory (2) is global memory, and generic pointers (4) are plain ones (0).
// Pointers in `byval` struct arguments have a type again, as NVPTX requires. Atomic operations and
// fences have a scope of NVPTX: "block", or "device" where kernel IR has none. There is no debug
// information: PTX would contain it as text.
//
// Position: after the shared stages. They must not run with the GPU's alias analysis, in which
// address space 4 is constant memory.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "back_ends/nvidia/passes/gpu_scopes.h"
#include "compiler/work_item/link/change_layout.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

unsigned gpu_space(unsigned space) {
  return space == constant_space ? global_space : space == generic_space ? 0 : space;
}

class GpuTypes final : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type *remapType(llvm::Type *type) override {
    llvm::Type *&known = types_[type];
    if (!known) {
      llvm::Type *made = make(type); // may change `types_`
      return types_[type] = made;
    }
    return known;
  }

private:
  llvm::Type *make(llvm::Type *type) {
    if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(type))
      return llvm::PointerType::get(type->getContext(), gpu_space(pointer->getAddressSpace()));
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
      return llvm::VectorType::get(remapType(vector->getElementType()), vector->getElementCount());
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
      return make_structure(*structure);
    if (auto *function = llvm::dyn_cast<llvm::FunctionType>(type)) {
      llvm::SmallVector<llvm::Type *> parameters;
      for (llvm::Type *parameter : function->params())
        parameters.push_back(remapType(parameter));
      return llvm::FunctionType::get(remapType(function->getReturnType()), parameters,
                                     function->isVarArg());
    }
    return type;
  }
  llvm::Type *make_structure(llvm::StructType &structure) {
    if (structure.isOpaque())
      return &structure;
    llvm::SmallVector<llvm::Type *> members;
    for (llvm::Type *member : structure.elements())
      members.push_back(remapType(member));
    if (llvm::equal(members, structure.elements()))
      return &structure;
    return structure.isLiteral()
               ? llvm::StructType::get(structure.getContext(), members, structure.isPacked())
               : llvm::StructType::create(members, structure.getName(), structure.isPacked());
  }

  llvm::DenseMap<llvm::Type *, llvm::Type *> types_;
};

llvm::RemapFlags flags() {
  return llvm::RF_IgnoreMissingLocals | llvm::RF_ReuseAndMutateDistinctMDs;
}

class Retargeting {
public:
  explicit Retargeting(llvm::Module &module) : module_(module) {}
  void run();

private:
  void replace_variable(llvm::GlobalVariable &variable);
  void replace_function(llvm::Function &function);
  void drop_casts(llvm::Constant &constant);
  void drop_casts(llvm::Function &function);

  llvm::Module &module_;
  GpuTypes types_;
  llvm::ValueToValueMapTy values_;
  llvm::SmallPtrSet<llvm::Constant *, 16> seen_;
  llvm::SmallVector<llvm::GlobalVariable *> old_variables_;
  llvm::SmallVector<llvm::Function *> old_functions_;
};

void Retargeting::replace_variable(llvm::GlobalVariable &variable) {
  auto *made = new llvm::GlobalVariable(module_, types_.remapType(variable.getValueType()),
                                        variable.isConstant(), variable.getLinkage(), nullptr, "",
                                        &variable, llvm::GlobalValue::NotThreadLocal,
                                        gpu_space(variable.getAddressSpace()));
  made->copyAttributesFrom(&variable);
  made->takeName(&variable);
  if (variable.getAddressSpace() == local_space) {
    made->setSection(""); // of pin-local-memory
    made->setAlignment(std::max(variable.getAlign().valueOrOne(), llvm::Align(4)));
  }
  values_[&variable] = made;
  old_variables_.push_back(&variable);
}

void Retargeting::replace_function(llvm::Function &function) {
  auto *type = llvm::cast<llvm::FunctionType>(types_.remapType(function.getFunctionType()));
  if (type == function.getFunctionType())
    return;
  const std::string name = function.getName().str();
  function.setName("");
  auto *made = llvm::Function::Create(type, function.getLinkage(), 0, name, &module_);
  made->copyAttributesFrom(&function);
  if (auto intrinsic = llvm::Intrinsic::remangleIntrinsicFunction(made)) {
    made->eraseFromParent();
    values_[&function] = *intrinsic;
  } else {
    values_[&function] = made;
    made->splice(made->begin(), &function);
    for (auto [before, after] : llvm::zip(function.args(), made->args())) {
      after.takeName(&before);
      values_[&before] = &after;
    }
  }
  old_functions_.push_back(&function);
}

// A cast between spaces that are one space on the GPU is its operand.
void Retargeting::drop_casts(llvm::Constant &constant) {
  if (llvm::isa<llvm::GlobalValue>(constant) || !seen_.insert(&constant).second)
    return;
  for (llvm::Use &operand : constant.operands())
    if (auto *inner = llvm::dyn_cast<llvm::Constant>(operand))
      drop_casts(*inner);
  auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  if (cast && cast->getOpcode() == llvm::Instruction::AddrSpaceCast &&
      types_.remapType(cast->getType()) == types_.remapType(cast->getOperand(0)->getType()))
    values_[cast] = llvm::MapValue(cast->getOperand(0), values_, flags(), &types_);
}

void Retargeting::drop_casts(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction);
    if (!cast || cast->getSrcTy() != cast->getDestTy())
      continue;
    cast->replaceAllUsesWith(cast->getPointerOperand());
    cast->eraseFromParent();
  }
}

void Retargeting::run() {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module_.globals()))
    if (!values_.count(&variable))
      replace_variable(variable);
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module_)
    functions.push_back(&function);
  for (llvm::Function *function : functions)
    replace_function(*function);
  for (llvm::GlobalVariable *variable : old_variables_)
    if (variable->hasInitializer()) {
      drop_casts(*variable->getInitializer());
      llvm::cast<llvm::GlobalVariable>(values_[variable])
          ->setInitializer(llvm::MapValue(variable->getInitializer(), values_, flags(), &types_));
      variable->setInitializer(nullptr);
    }
  for (llvm::Function &function : module_) {
    if (function.isDeclaration())
      continue;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      for (llvm::Use &operand : instruction.operands())
        if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
          drop_casts(*constant);
    llvm::RemapFunction(function, values_, flags(), &types_);
    drop_casts(function);
  }
  auto drop = [](auto &old) {
    for (auto *value : old) {
      value->replaceAllUsesWith(llvm::PoisonValue::get(value->getType()));
      value->eraseFromParent();
    }
  };
  drop(old_functions_);
  drop(old_variables_);
}

// privatize-arguments has made a pointer of a struct argument. NVPTX passes a struct as `byval`.
void pass_structs_by_value(llvm::Function &kernel, const KernelInfo &info) {
  for (llvm::Argument &argument : kernel.args()) {
    if (argument.getArgNo() >= info.args.size())
      break;
    const KernelArg &described = info.args[argument.getArgNo()];
    auto *pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
    if (!pointer || pointer->getAddressSpace() != private_space || described.kind != ArgKind::value)
      continue;
    llvm::LLVMContext &context = kernel.getContext();
    argument.addAttr(llvm::Attribute::getWithByValType(
        context, llvm::ArrayType::get(llvm::Type::getInt8Ty(context), described.size)));
    argument.removeAttr(llvm::Attribute::Alignment);
    argument.addAttr(
        llvm::Attribute::getWithAlignment(context, llvm::Align(std::max(1u, described.alignment))));
  }
}

// Whatever the target of the module was before.
void adopt_target(llvm::Function &function) {
  for (const char *attribute : {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                                "stack-protector-buffer-size", "uniform-work-group-size"})
    function.removeFnAttr(attribute);
}

} // namespace

llvm::PreservedAnalyses RetargetPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::StripDebugInfo(module);
  pass_structs_by_value(*kernel_function(module), kernel_);
  change_layout(module, target_.createDataLayout());
  module.setTargetTriple(target_.getTargetTriple());
  Retargeting(module).run();
  for (llvm::Function &function : module) {
    adopt_target(function);
    use_gpu_scopes(function);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
