#include "front_ends/opencl_c/inline_definitions.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/Mangle.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {
namespace {

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(InlineDefinitions &found) : found_(found) {}

  // The program does not call kernels, so clang would omit an inline kernel. GNU's rules make the
  // definition external.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
          function && function->isInlineSpecified() && function->hasAttr<clang::DeviceKernelAttr>())
        function->addAttr(clang::GNUInlineAttr::CreateImplicit(function->getASTContext()));
    return true;
  }

  // Whether a declaration says `extern` is known only at the end. clang emits weak definitions
  // whatever their linkage.
  void HandleTranslationUnit(clang::ASTContext &context) override {
    clang::ASTNameGenerator names(context);
    for (clang::Decl *declaration : context.getTranslationUnitDecl()->decls()) {
      auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
      if (!function || !function->doesThisDeclarationHaveABody() ||
          context.GetGVALinkageForFunction(function) != clang::GVA_AvailableExternally)
        continue;
      function->addAttr(clang::WeakAttr::CreateImplicit(context));
      found_.push_back(names.getName(function));
    }
  }

private:
  InlineDefinitions &found_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> keep_inline_definitions(InlineDefinitions &found) {
  return std::make_unique<Consumer>(found);
}

void make_internal(llvm::Module &module, const InlineDefinitions &found) {
  for (const std::string &symbol : found)
    if (llvm::Function *function = module.getFunction(symbol);
        function && !function->isDeclaration())
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace lockstep::compiler
