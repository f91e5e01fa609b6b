#include "compiler/work_item/link/link_device_library.h"

#include "compiler/target_model/target_model.h"
#include "compiler/work_item/link/change_layout.h"
#include "compiler/work_item/link/libclc.h"
#include "device_lib/device_library.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace lockstep::compiler {

namespace {

void report(llvm::Module &module, const llvm::Twine &message) {
  module.getContext().diagnose(llvm::DiagnosticInfoGeneric(message, llvm::DS_Error));
}

// Our library corrects some functions of libclc and calls libclc's under this prefix.
constexpr llvm::StringLiteral corrected_prefix = "__libclc_";

void rename_corrected(const llvm::Module &module, llvm::Module &libclc) {
  for (const llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (!name.starts_with(corrected_prefix))
      continue;
    if (llvm::Function *theirs = libclc.getFunction(name.drop_front(corrected_prefix.size())))
      theirs->setName(name);
  }
}

using Library = std::unique_ptr<llvm::Module>;

// Returns null and reports an error if the library cannot be read.
Library read_library(llvm::Module &module, llvm::MemoryBufferRef bitcode) {
  auto library = llvm::getLazyBitcodeModule(bitcode, module.getContext());
  if (library)
    return std::move(*library);
  report(module, "device library is not readable: " + llvm::toString(library.takeError()));
  return nullptr;
}

void link_needed(llvm::Module &module, Library library) {
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (auto *identification = library->getNamedMetadata("llvm.ident"))
    identification->eraseFromParent();
  llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded);
  set_primitives(module);
}

// The parts of our library that define used declarations; `requested` holds the names that were linked
// before.
llvm::SetVector<const DeviceLibraryPart *> needed_parts(const llvm::Module &module,
                                                        llvm::StringSet<> &requested) {
  llvm::SetVector<const DeviceLibraryPart *> parts;
  for (const llvm::GlobalValue &value : module.global_values())
    if (value.isDeclaration() && !value.use_empty())
      if (const DeviceLibraryPart *part = device_library_part(std::string_view(value.getName()));
          part && requested.insert(value.getName()).second)
        parts.insert(part);
  return parts;
}

// Repeats, since a part's functions call those of others.
void link_our_library(llvm::Module &module) {
  llvm::StringSet<> requested;
  for (auto parts = needed_parts(module, requested); !parts.empty();
       parts = needed_parts(module, requested))
    for (const DeviceLibraryPart *part : parts)
      link_functions(module, part->bitcode, part->name.data());
}

std::vector<std::string> undefined_builtins(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (llvm::StringRef name = function.getName();
        function.isDeclaration() && !function.use_empty() &&
        (name.starts_with("_Z") || name.starts_with(corrected_prefix) ||
         is_builtin_function(std::string_view(name))))
      names.push_back(name.str());
  return names;
}

void link_of_libclc(llvm::Module &module, llvm::MemoryBufferRef bitcode) {
  if (Library libclc = read_library(module, bitcode)) {
    rename_corrected(module, *libclc);
    link_needed(module, std::move(libclc));
  }
}

void link_libclc(llvm::Module &module, const std::vector<std::string> &names) {
  bool have_all = true;
  for (const std::string &name : names) {
    llvm::StringRef theirs = name;
    theirs.consume_front(corrected_prefix);
    const auto function = function_of_libclc(std::string_view(theirs));
    have_all &= function.has_value();
    if (function && *function)
      link_of_libclc(module, llvm::MemoryBufferRef(**function, "libclc"));
  }
  if (!have_all)
    link_of_libclc(module, libclc_bitcode());
}

// libclc and the front end set attributes of another CPU.
void adopt_target(llvm::Function &function, const llvm::TargetMachine &target,
                  const TargetModel &model) {
  for (const char *attribute :
       {"target-cpu", "target-features", "frame-pointer", "stack-protector-buffer-size", "tune-cpu",
        "uniform-work-group-size"})
    function.removeFnAttr(attribute);
  function.addFnAttr("target-cpu", target.getTargetCPU());
  function.addFnAttr("target-features", target.getTargetFeatureString());
  model.set_code_attributes(function);
  function.setDSOLocal(true);
  function.setCallingConv(llvm::CallingConv::C);
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        call->setCallingConv(llvm::CallingConv::C);
}

// libclc computes on paths whose result it discards: erfc(8000.0f) converts -6e9 to an int, which
// is poison, and branches on a value derived from it before it selects 0. With a constant argument
// LLVM folds that to an unreachable branch, and with it the kernel. libclc expects an arbitrary but
// fixed number, which freeze yields.
void freeze_conversions(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> conversions;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction))
      conversions.push_back(&instruction);
  for (llvm::Instruction *conversion : conversions) {
    auto *number = new llvm::FreezeInst(conversion, "", std::next(conversion->getIterator()));
    conversion->replaceUsesWithIf(number, [&](llvm::Use &use) { return use.getUser() != number; });
  }
}

} // namespace

void link_functions(llvm::Module &module, std::string_view bitcode, const char *name) {
  const llvm::StringRef bytes(bitcode.data(), bitcode.size());
  if (Library library = read_library(module, llvm::MemoryBufferRef(bytes, name)))
    link_needed(module, std::move(library));
}

llvm::PreservedAnalyses LinkDeviceLibraryPass::run(llvm::Module &module,
                                                   llvm::ModuleAnalysisManager &analyses) {
  llvm::Function *kernel = kernel_.empty() ? nullptr : module.getFunction(kernel_);
  for (llvm::Function &function : module)
    if (kernel_.empty() && function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      kernel = &function;
  if (!kernel || kernel->isDeclaration()) {
    report(module, "no kernel named '" + kernel_ + "' in this program");
    return llvm::PreservedAnalyses::all();
  }
  kernel->setName("lockstep.kernel");
  kernel->setLinkage(llvm::GlobalValue::ExternalLinkage); // kernels of blocks are internal

  auto drop_the_rest = [&] {
    llvm::internalizeModule(module,
                            [&](const llvm::GlobalValue &value) { return &value == kernel; });
    llvm::GlobalDCEPass().run(module, analyses);
  };
  drop_the_rest();
  change_layout(module, target_.createDataLayout());
  module.setTargetTriple(target_.getTargetTriple());
  if (auto *identification = module.getNamedMetadata("llvm.ident"))
    identification->eraseFromParent();

  llvm::SmallPtrSet<const llvm::Function *, 16> of_the_program;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      of_the_program.insert(&function);

  link_our_library(module);
  if (auto names = undefined_builtins(module); !names.empty()) {
    if (libclc_bitcode().getBufferSize() == 0) {
      report(module, "cannot read libclc's bitcode at " LOCKSTEP_LIBCLC_BITCODE
                     " (Debian package libclc-22)");
      return llvm::PreservedAnalyses::none();
    }
    link_libclc(module, names);
    link_our_library(module); // libclc calls work-item functions and barrier
  }
  drop_the_rest();
  const auto model = target_model(target_);
  for (llvm::Function &function : module) {
    adopt_target(function, target_, *model);
    if (flushes_)
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    if (!of_the_program.contains(&function))
      freeze_conversions(function);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
