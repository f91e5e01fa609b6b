#include "front_ends/opencl_c/captured_samplers.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

namespace lockstep::compiler {
namespace {

class Fixer : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitBlockDecl(clang::BlockDecl *block) override {
    for (const clang::BlockDecl::Capture &capture : block->captures()) {
      clang::VarDecl *variable = capture.getVariable();
      if (variable->getType()->isSamplerT())
        variable->setType(variable->getType().getUnqualifiedType());
    }
    return true;
  }
};

class Consumer : public clang::ASTConsumer {
public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      Fixer().TraverseDecl(declaration);
    return true;
  }
};

} // namespace

std::unique_ptr<clang::ASTConsumer> fix_captured_samplers() {
  return std::make_unique<Consumer>();
}

} // namespace lockstep::compiler
