#include "tools/lockstep++/device_pass.h"

#include "tools/lockstep++/accessor_places.h"
#include "tools/lockstep++/device_rules.h"
#include "tools/lockstep++/front_end_job.h"
#include "tools/lockstep++/kernel_attributes.h"
#include "tools/lockstep++/map_c_maths.h"
#include "tools/lockstep++/map_printf.h"
#include "tools/lockstep++/own_local_memory.h"
#include "tools/lockstep++/replace_throws.h"
#include "tools/lockstep++/static_local_memory.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace lockstep::driver {
namespace {

// Marks functions that are declared SYCL_EXTERNAL. The headers define the macro as an annotation,
// because clang rejects its own attribute at some positions where the macro may be.
class ExternalFunctions : public clang::ASTConsumer {
public:
  explicit ExternalFunctions(clang::DiagnosticsEngine &diagnostics)
      : diagnostics_(diagnostics),
        error_(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                           "SYCL_EXTERNAL is for functions with external linkage, "
                                           "and '%0' has none (SYCL 2020 section 5.10.1)")) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *decl : group)
      mark_in(decl);
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override { mark(*function); }
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl *function) override {
    mark(*function);
  }

private:
  void mark_in(clang::Decl *decl) {
    if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl))
      mark(*function);
    else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(decl))
      for (clang::Decl *inner : llvm::cast<clang::DeclContext>(decl)->decls())
        mark_in(inner);
  }
  void mark(clang::FunctionDecl &function) {
    if (function.hasAttr<clang::SYCLExternalAttr>() || function.isDependentContext())
      return;
    for (const auto *annotation : function.specific_attrs<clang::AnnotateAttr>()) {
      // Other sources may launch free-function kernels.
      const bool is_marked_external = annotation->getAnnotation() == "lockstep.external";
      const bool may_be =
          annotation->getAnnotation() == "lockstep.property" && function.isExternallyVisible();
      if (is_marked_external && !function.isExternallyVisible())
        diagnostics_.Report(function.getLocation(), error_) << function.getDeclName();
      if (is_marked_external || may_be) {
        function.addAttr(clang::SYCLExternalAttr::CreateImplicit(function.getASTContext()));
        return;
      }
    }
  }

  clang::DiagnosticsEngine &diagnostics_;
  const unsigned error_;
};

// The device runs no global constructors or destructors. The lists must be removed, because they
// can be invalid: for a template's static member with a constructor, clang writes a pointer to a
// wrong address space.
void drop_constructors(llvm::Module &module) {
  for (const char *name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *list = module.getNamedGlobal(name))
      list->eraseFromParent();
}

// Kernel IR is spir64 (docs/kernel_ir.md), with clang's data layout for it.
void set_target_of_kernel_ir(llvm::Module &module) {
  module.setTargetTriple(llvm::Triple("spir64-unknown-unknown"));
  module.setDataLayout("e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-"
                       "v1024:1024-G1");
}

// Generates code and then checks the rules for kernels.
class Consumer : public clang::MultiplexConsumer {
public:
  Consumer(std::vector<std::unique_ptr<clang::ASTConsumer>> parts, clang::CodeGenerator &generator,
           const std::string &own_headers, DeviceCode &code)
      : MultiplexConsumer(std::move(parts)), generator_(generator), own_headers_(own_headers),
        code_(code) {}

  void HandleTranslationUnit(clang::ASTContext &syntax) override {
    MultiplexConsumer::HandleTranslationUnit(syntax);
    llvm::Module *module = generator_.GetModule();
    if (!module || syntax.getDiagnostics().hasErrorOccurred())
      return;
    set_target_of_kernel_ir(*module);
    drop_constructors(*module);
    replace_throws(*module);
    map_c_maths(*module);
    map_printf(*module);
    check_device_rules(syntax, generator_, *module, own_headers_);
    check_kernel_attributes(syntax, generator_, *module);
    give_calls_own_local_memory(*module);
    move_to_local_memory(*module);
    code_.globals = take_device_globals(*module, generator_, syntax);
  }

private:
  clang::CodeGenerator &generator_;
  const std::string &own_headers_;
  DeviceCode &code_;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(llvm::LLVMContext &context, const std::string &own_headers, uint32_t default_sub_group,
         bool warns, DeviceCode &code)
      : context_(context), own_headers_(own_headers), default_sub_group_(default_sub_group),
        warns_(warns), code_(code) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    auto generator = clang::CreateLLVMCodeGen(compiler, file, context_);
    generator_ = generator.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> parts;
    parts.push_back(std::make_unique<ExternalFunctions>(compiler.getDiagnostics()));
    auto places = std::make_unique<AccessorPlaces>(warns_);
    accessors_ = places.get();
    parts.push_back(std::move(places));
    parts.push_back(std::move(generator));
    return std::make_unique<Consumer>(std::move(parts), *generator_, own_headers_, code_);
  }

  void EndSourceFileAction() override {
    if (getCompilerInstance().getDiagnostics().hasErrorOccurred() || !generator_->GetModule())
      return;
    llvm::Module &module = *generator_->GetModule();
    code_.description = apply_kernel_attributes(module, default_sub_group_);
    describe(module);
    llvm::raw_string_ostream stream(code_.bitcode);
    llvm::WriteBitcodeToFile(module, stream);
  }

private:
  void describe(const llvm::Module &module) {
    for (const DeviceGlobal &global : code_.globals)
      code_.description += "global " + global.name + " " + std::to_string(global.bytes) + "\n";
    for (const llvm::Function &function : module) {
      const std::string name = function.getName().str();
      auto *decl = llvm::dyn_cast_or_null<clang::FunctionDecl>(
          generator_->GetDeclForMangledName(function.getName()));
      const bool is_external = decl && decl->hasAttr<clang::SYCLExternalAttr>();
      if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration())
        describe_kernel(function, name);
      else if (is_external && !function.isDeclaration()) {
        code_.description += "external " + name + "\n";
        describe_constants(function, name);
      } else if (is_external && !function.use_empty()) {
        code_.description += "needs " + name + "\n";
        code_.needs.push_back(name);
      }
    }
  }

  void describe_kernel(const llvm::Function &kernel, const std::string &name) {
    code_.description += "kernel " + name + "\n";
    if (auto found = accessors_->lines().find(name); found != accessors_->lines().end())
      code_.description += found->second;
    describe_constants(kernel, name);
  }

  void describe_constants(const llvm::Function &user, const std::string &name) {
    llvm::SetVector<const llvm::Function *> reached;
    llvm::SetVector<const llvm::GlobalVariable *> constants;
    reached.insert(&user);
    for (size_t next = 0; next < reached.size(); ++next)
      for (const llvm::Instruction &instruction : llvm::instructions(*reached[next]))
        for (const llvm::Value *operand : instruction.operands()) {
          const llvm::Value *used = operand->stripPointerCasts();
          if (auto *callee = llvm::dyn_cast<llvm::Function>(used))
            reached.insert(callee);
          else if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(used);
                   variable && variable->getSection() == "lockstep.spec")
            constants.insert(variable);
        }
    for (const llvm::GlobalVariable *variable : constants)
      code_.description += (is_global(*variable) ? "uses " : "constant ") + name + " " +
                           variable->getName().str() + "\n";
  }

  bool is_global(const llvm::GlobalVariable &variable) const {
    return llvm::any_of(code_.globals, [&](const DeviceGlobal &global) {
      return global.name == variable.getName();
    });
  }

  llvm::LLVMContext &context_;
  const std::string &own_headers_;
  const uint32_t default_sub_group_;
  const bool warns_;
  DeviceCode &code_;
  clang::CodeGenerator *generator_ = nullptr;
  const AccessorPlaces *accessors_ = nullptr;
};

} // namespace

std::optional<DeviceCode> compile_for_device(const Installation &installation,
                                             const UserOptions &user, const std::string &source) {
  DriverRun run(installation, device_arguments(installation, user, source),
                DriverRun::Warnings::hidden); // the host side has shown them
  const clang::driver::Command *command = run.first_front_end_job();
  if (!command)
    return std::nullopt; // clang's driver has reported the reason
  auto compiler = make_compiler(command->getArguments(), installation);
  if (!compiler)
    return std::nullopt;
  llvm::LLVMContext context;
  DeviceCode code;
  const bool warns = !llvm::is_contained(user.arguments, "-w");
  Action action(context, installation.headers, user.default_sub_group, warns, code);
  if (!compiler->ExecuteAction(action) || code.bitcode.empty())
    return std::nullopt;
  return code;
}

} // namespace lockstep::driver
