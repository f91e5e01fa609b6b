#include "compiler/work_item/link/libclc.h"

#include "platform/linux/leaked.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

namespace lockstep::compiler {

namespace {

using Values = llvm::SetVector<llvm::GlobalValue *>;

// Collects the globals that a constant expression refers to.
void add_globals_of(llvm::Value *value, Values &globals) {
  if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(value))
    globals.insert(global);
  else if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    for (llvm::Value *operand : constant->operands())
      add_globals_of(operand, globals);
}

llvm::GlobalValue *declare(llvm::GlobalValue &global, llvm::Module &module) {
  llvm::GlobalValue *declared = nullptr;
  if (auto *function = llvm::dyn_cast<llvm::Function>(&global)) {
    auto *copy = llvm::Function::Create(function->getFunctionType(), function->getLinkage(),
                                        function->getAddressSpace(), function->getName(), &module);
    copy->copyAttributesFrom(function);
    declared = copy;
  } else {
    auto &variable = llvm::cast<llvm::GlobalVariable>(global);
    auto *copy = new llvm::GlobalVariable(
        module, variable.getValueType(), variable.isConstant(), variable.getLinkage(), nullptr,
        variable.getName(), nullptr, variable.getThreadLocalMode(), variable.getAddressSpace());
    copy->copyAttributesFrom(&variable);
    declared = copy;
  }
  return declared;
}

void define(llvm::GlobalValue &global, llvm::GlobalValue &copy, llvm::ValueToValueMapTy &copies) {
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&global)) {
    if (variable->hasInitializer())
      llvm::cast<llvm::GlobalVariable>(copy).setInitializer(
          llvm::MapValue(variable->getInitializer(), copies));
    return;
  }
  auto &function = llvm::cast<llvm::Function>(global);
  if (function.isDeclaration())
    return;
  auto &its_copy = llvm::cast<llvm::Function>(copy);
  for (auto [argument, its] : llvm::zip(function.args(), its_copy.args())) {
    its.setName(argument.getName());
    copies[&argument] = &its;
  }
  llvm::SmallVector<llvm::ReturnInst *, 8> returns;
  llvm::CloneFunctionInto(&its_copy, &function, copies,
                          llvm::CloneFunctionChangeType::DifferentModule, returns);
}

class Libclc {
public:
  Libclc() {
    auto module = llvm::getLazyBitcodeModule(libclc_bitcode(), context_);
    if (module)
      module_ = std::move(*module);
    else
      llvm::consumeError(module.takeError());
  }

  std::shared_ptr<const std::string> function(llvm::StringRef name) {
    std::shared_ptr<const std::string> &known = functions_[name];
    llvm::Function *function = !known && module_ ? module_->getFunction(name) : nullptr;
    if (function && !function->isDeclaration())
      known = bitcode_of(*function);
    return known;
  }

private:
  std::shared_ptr<const std::string> bitcode_of(llvm::Function &function) {
    Values values;
    values.insert(&function);
    for (unsigned i = 0; i != values.size(); ++i) {
      llvm::GlobalValue &value = *values[i];
      if (llvm::Error error = value.materialize()) {
        llvm::consumeError(std::move(error));
        return nullptr;
      }
      if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
          variable && variable->hasInitializer())
        add_globals_of(variable->getInitializer(), values);
      if (auto *called = llvm::dyn_cast<llvm::Function>(&value))
        for (llvm::Instruction &instruction : llvm::instructions(*called))
          for (llvm::Value *operand : instruction.operands())
            add_globals_of(operand, values);
    }
    llvm::Module module(function.getName(), context_);
    module.setTargetTriple(module_->getTargetTriple());
    module.setDataLayout(module_->getDataLayout());
    llvm::ValueToValueMapTy copies;
    for (llvm::GlobalValue *value : values)
      copies[value] = declare(*value, module);
    for (llvm::GlobalValue *value : values)
      define(*value, llvm::cast<llvm::GlobalValue>(*copies[value]), copies);
    // it is empty, and readers warn about it
    if (auto *units = module.getNamedMetadata("llvm.dbg.cu"))
      units->eraseFromParent();
    std::string bitcode;
    llvm::raw_string_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module, stream);
    return std::make_shared<const std::string>(std::move(bitcode));
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::StringMap<std::shared_ptr<const std::string>> functions_;
};

} // namespace

llvm::MemoryBufferRef libclc_bitcode() {
  const auto &buffer = leaked([]() -> std::unique_ptr<llvm::MemoryBuffer> {
    auto file = llvm::MemoryBuffer::getFile(LOCKSTEP_LIBCLC_BITCODE, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    return file ? std::move(*file) : nullptr;
  });
  return buffer ? buffer->getMemBufferRef() : llvm::MemoryBufferRef();
}

std::optional<std::shared_ptr<const std::string>> function_of_libclc(std::string_view name) {
  // A thread that crashes in here does not unlock (crash_guard.h), so its unfinished state is not
  // used again.
  struct Shared {
    std::mutex mutex;
    std::optional<Libclc> libclc;
  };
  auto &[mutex, libclc] = leaked<AfterFork::make_again>([] { return new Shared; });
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return std::nullopt;
  if (!libclc)
    libclc.emplace();
  return libclc->function(llvm::StringRef(name.data(), name.size()));
}

} // namespace lockstep::compiler
