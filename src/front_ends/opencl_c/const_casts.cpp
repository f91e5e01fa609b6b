#include "front_ends/opencl_c/const_casts.h"

#include "kernel_ir/source_facts.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Mangle.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {
namespace {

// A pointer to const that is not to constant memory, which nothing can write.
bool points_to_const(clang::QualType type) {
  const clang::QualType pointee = type->getPointeeType();
  return type->isPointerType() && pointee.isConstQualified() &&
         pointee.getAddressSpace() != clang::LangAS::opencl_constant;
}

class Finder : public clang::DynamicRecursiveASTVisitor {
public:
  bool found = false;

  bool VisitCastExpr(clang::CastExpr *cast) override {
    const clang::QualType to = cast->getType();
    if (points_to_const(cast->getSubExpr()->getType()) &&
        (cast->getCastKind() == clang::CK_PointerToIntegral ||
         (to->isPointerType() && !to->getPointeeType().isConstQualified())))
      found = true;
    return !found; // ends the search
  }
};

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(ConstCasts &found) : found_(found) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group) {
      const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
      if (function && !function->isThisDeclarationADefinition())
        continue; // such as thousands of builtin functions
      Finder finder;
      finder.TraverseDecl(declaration);
      if (finder.found && function)
        found_.functions.push_back(
            clang::ASTNameGenerator(declaration->getASTContext()).getName(function));
      else
        found_.elsewhere |= finder.found;
    }
    return true;
  }

private:
  ConstCasts &found_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> find_const_casts(ConstCasts &found) {
  return std::make_unique<Consumer>(found);
}

void mark_const_casts(llvm::Module &module, const ConstCasts &found) {
  // The body of a kernel is a function of its own, which other kernels can call.
  for (const std::string &symbol : found.functions)
    for (const std::string &name : {symbol, "__clang_ocl_kern_imp_" + symbol})
      if (llvm::Function *function = module.getFunction(name))
        function->addFnAttr(const_casts_attribute);
  if (found.elsewhere)
    module.addModuleFlag(llvm::Module::Max, const_casts_flag, 1);
}

} // namespace lockstep::compiler
