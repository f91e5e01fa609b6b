#include "front_ends/opencl_c/const_casts.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"

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
  explicit Consumer(bool &found) : found_(found) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      if (!found_ && has_body(*declaration)) {
        Finder finder;
        finder.TraverseDecl(declaration);
        found_ = finder.found;
      }
    return true;
  }

private:
  // Thousands of builtin functions have none.
  static bool has_body(const clang::Decl &declaration) {
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    return !function || function->isThisDeclarationADefinition();
  }

  bool &found_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> find_const_casts(bool &found) {
  return std::make_unique<Consumer>(found);
}

} // namespace lockstep::compiler
