// Extracts one kernel from an image that may hold thousands of kernels.
//
// Only the function bodies that the kernel reaches are parsed, because this runs for each kernel of
// the image. Everything but the kernel becomes internal, and what the kernel does not reach is
// removed. The result includes the functions that the kernel calls in other images and the values
// of its constants. It is cached on disk under the image's content and the kernel's name, so that a
// program that runs again does not parse.
#include "front_ends/common/diagnostic_collector.h"
#include "front_ends/common/make_program.h"
#include "front_ends/common/sort_without_recursion.h"
#include "front_ends/front_ends.h"
#include "process/disk_cache.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

// The section in which the headers place the variables that are constants of a kernel
// (include/lockstep/sycl/specialization_id.hpp).
constexpr llvm::StringRef kernel_constant_section = "lockstep.spec";

// Removes the lists that keep symbols alive for a host linker; they do not apply here.
void forget_used_lists(llvm::Module &module) {
  for (const char *list :
       {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *variable = module.getNamedGlobal(list))
      variable->eraseFromParent();
}

// Reads the bodies of the functions that the kernel reaches; the others become declarations.
llvm::Error read_what_is_reached(llvm::Module &module, llvm::Function &kernel) {
  llvm::SmallVector<llvm::Constant *, 32> left = {&kernel};
  llvm::SmallPtrSet<llvm::Constant *, 32> seen = {&kernel};
  auto reach = [&](llvm::User &user) {
    for (llvm::Value *operand : user.operands())
      if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
        if (seen.insert(constant).second)
          left.push_back(constant);
  };
  while (!left.empty()) {
    llvm::Constant *constant = left.pop_back_val();
    auto *function = llvm::dyn_cast<llvm::Function>(constant);
    if (function)
      if (llvm::Error error = function->materialize())
        return error;
    reach(*constant); // an initializer, an aliasee, a personality
    if (function)
      for (llvm::Instruction &instruction : llvm::instructions(*function))
        reach(instruction);
  }
  for (llvm::Function &function : module)
    if (function.isMaterializable()) {
      function.deleteBody();
      function.setComdat(nullptr); // declarations do not have one
    }
  return module.materializeAll(); // reads the rest of the module
}

void make_internal(llvm::Module &module, const llvm::Function &kernel) {
  for (llvm::GlobalValue &value : module.global_values())
    if (&value != &kernel && !value.isDeclaration()) {
      if (auto *object = llvm::dyn_cast<llvm::GlobalObject>(&value))
        object->setComdat(nullptr);
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(module, analyses);
}

// The variable keeps its address space but not its type: the value is an array of bytes.
void set_constant(llvm::Module &module, const KernelConstant &constant) {
  llvm::GlobalVariable *variable = module.getNamedGlobal(constant.variable);
  if (!variable || variable->isDeclaration() ||
      module.getDataLayout().getTypeAllocSize(variable->getValueType()) != constant.bytes.size())
    return;
  auto *value = llvm::ConstantDataArray::getString(module.getContext(), constant.bytes,
                                                   /*AddNull=*/false);
  auto *set = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, value, "",
      variable, llvm::GlobalValue::NotThreadLocal, variable->getAddressSpace());
  set->setAlignment(variable->getAlign());
  set->takeName(variable);
  variable->replaceAllUsesWith(set);
  variable->eraseFromParent();
}

// Specialization constants that the program has not set keep their defaults.
void make_defaults_constant(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getSection() == kernel_constant_section) {
      variable.setConstant(true);
      variable.setSection("");
    }
}

Result<void> add_libraries(llvm::Module &module, const KernelSource &source,
                           DiagnosticCollector &diagnostics) {
  for (std::string_view library : source.libraries) {
    auto parsed = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(library, "<device image>"),
                                             module.getContext());
    if (!parsed)
      return Error{ErrorKind::invalid_binary,
                   "a device image is not LLVM bitcode: " + llvm::toString(parsed.takeError())};
    forget_used_lists(**parsed);
    if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
      return Error{ErrorKind::build_failure, diagnostics.errors()};
  }
  return {};
}

Result<KernelModule> extract(const KernelSource &source, std::string &log) {
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(context);
  auto broken = [](llvm::Error error) {
    return Error{ErrorKind::invalid_binary,
                 "the device image is not LLVM bitcode: " + llvm::toString(std::move(error))};
  };
  auto parsed =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(source.bitcode, "<device image>"), context);
  if (!parsed)
    return broken(parsed.takeError());
  llvm::Module &module = **parsed;
  llvm::Function *kernel = module.getFunction(source.kernel);
  if (!kernel || kernel->isDeclaration())
    return Error{ErrorKind::invalid_argument,
                 fmt::format("the device image has no kernel named {}", source.kernel)};
  forget_used_lists(module);
  if (llvm::Error error = read_what_is_reached(module, *kernel))
    return broken(std::move(error));
  make_internal(module, *kernel); // what the kernel does not reach needs no library
  LOCKSTEP_TRY(add_libraries(module, source, diagnostics));
  for (const KernelConstant &constant : source.constants)
    set_constant(module, constant);
  make_defaults_constant(module);
  make_internal(module, *kernel);
  sort_without_recursion(module);
  return make_program(module, SourceLanguage::kernel_ir, log);
}

CacheKey key_of(const KernelSource &source) {
  CacheKeyBuilder key;
  key.add(source.bitcode).add(source.kernel);
  for (std::string_view library : source.libraries)
    key.add(library);
  for (const KernelConstant &constant : source.constants)
    key.add(constant.variable).add(constant.bytes);
  return key.key();
}

} // namespace

Result<KernelModule> link_kernel(const KernelSource &source, std::string &log) {
  DiskCache &cache = DiskCache::of_process();
  const CacheKey key = key_of(source);
  if (auto stored = cache.get("kernel", key))
    if (auto program = read_program_binary(*stored))
      return program;
  auto program = on_big_stack(source.bitcode.size(), "taking a kernel out of its image",
                              [&] { return extract(source, log); });
  if (program)
    cache.put("kernel", key, write_binary(*program));
  return program;
}

} // namespace lockstep::compiler
