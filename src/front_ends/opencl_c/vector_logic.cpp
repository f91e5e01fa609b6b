#include "front_ends/opencl_c/vector_logic.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/Frontend/CompilerInstance.h"

namespace lockstep::compiler {
namespace {

class Fixer : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Fixer(clang::CompilerInstance &compiler) : compiler_(compiler) {}

  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    if (!operation->isLogicalOp() || !operation->getType()->isVectorType())
      return true;
    operation->setOpcode(operation->getOpcode() == clang::BO_LAnd ? clang::BO_And : clang::BO_Or);
    operation->setLHS(is_not_zero(*operation->getLHS(), *operation));
    operation->setRHS(is_not_zero(*operation->getRHS(), *operation));
    ++fixed_;
    return true;
  }

  bool TraverseVarDecl(clang::VarDecl *variable) override {
    unsigned before = fixed_;
    if (!clang::DynamicRecursiveASTVisitor::TraverseVarDecl(variable))
      return false;
    if (fixed_ == before)
      return true;
    // Discards a value that clang computed before the rewrite.
    if (clang::EvaluatedStmt *evaluated = variable->getEvaluatedStmt()) {
      evaluated->WasEvaluated = false;
      evaluated->Evaluated = clang::APValue();
    }
    return true;
  }

private:
  clang::Expr *is_not_zero(clang::Expr &operand, const clang::BinaryOperator &whole) {
    clang::ASTContext &context = compiler_.getASTContext();
    auto *zero = new (context) clang::ImplicitValueInitExpr(operand.getType());
    return clang::BinaryOperator::Create(context, &operand, zero, clang::BO_NE, whole.getType(),
                                         clang::VK_PRValue, clang::OK_Ordinary,
                                         whole.getOperatorLoc(), clang::FPOptionsOverride());
  }

  clang::CompilerInstance &compiler_;
  unsigned fixed_ = 0;
};

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(clang::CompilerInstance &compiler) : fixer_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      fixer_.TraverseDecl(declaration);
    return true;
  }

private:
  Fixer fixer_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> fix_vector_logic(clang::CompilerInstance &compiler) {
  return std::make_unique<Consumer>(compiler);
}

} // namespace lockstep::compiler
