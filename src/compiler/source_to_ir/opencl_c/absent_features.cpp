#include "compiler/source_to_ir/opencl_c/absent_features.h"

#include "compiler/device_features.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lockstep::compiler {
namespace {

enum Feature : unsigned { pipes, device_enqueue, feature_count };

struct FeatureText {
  std::string_view macro; // of OpenCL C 3.0 section 6.2.1; a row of device_features.def if present
  std::string_view what;
  std::string_view section;
  std::string_view query;
};

constexpr FeatureText feature_texts[feature_count] = {
    {"__opencl_c_pipes", "pipes", "6.15, Pipe Functions", "CL_DEVICE_PIPE_SUPPORT is CL_FALSE"},
    {"__opencl_c_device_enqueue", "device-side enqueue", "6.15, Enqueuing Kernels",
     "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is 0"},
};

bool is_present(const FeatureText &text) {
  return std::ranges::find(opencl_c_features, text.macro, &NameVersion::name) !=
         opencl_c_features.end();
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(clang::CompilerInstance &compiler) : compiler_(compiler) {
    for (unsigned i = 0; i < feature_count; ++i)
      done_[i] = is_present(feature_texts[i]);
  }

  bool VisitVarDecl(clang::VarDecl *variable) { // parameters included
    check(variable->getType(), variable->getLocation());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    check(call->getType(), call->getBeginLoc());
    // What clang's builtins do not show by a type: enqueue_kernel and the questions about blocks.
    const clang::FunctionDecl *callee = call->getDirectCallee();
    constexpr std::string_view enqueue_builtins[] = {
        "enqueue_kernel", "get_kernel_work_group_size",
        "get_kernel_preferred_work_group_size_multiple", "get_kernel_sub_group_count_for_ndrange",
        "get_kernel_max_sub_group_size_for_ndrange"};
    if (callee && callee->getBuiltinID() && callee->getIdentifier() &&
        std::ranges::find(enqueue_builtins, std::string_view(callee->getName())) !=
            std::end(enqueue_builtins))
      refuse(device_enqueue, call->getBeginLoc());
    return true;
  }

private:
  void check(clang::QualType type, clang::SourceLocation place) {
    while (type->isPointerType() || type->isArrayType())
      type = type->isPointerType() ? type->getPointeeType()
                                   : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
    if (type->isPipeType() || type->isReserveIDT())
      refuse(pipes, place);
    else if (type->isQueueT() || type->isClkEventT())
      refuse(device_enqueue, place);
  }

  void refuse(Feature feature, clang::SourceLocation place) {
    if (std::exchange(done_[feature], true))
      return;
    clang::DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
    const FeatureText &text = feature_texts[feature];
    diagnostics.Report(place, diagnostics.getDiagnosticIDs()->getCustomDiagID(
                                  clang::DiagnosticIDs::Error,
                                  fmt::format("this device does not have {} (OpenCL C {}): {}",
                                              text.what, text.section, text.query)));
  }

  clang::CompilerInstance &compiler_;
  bool done_[feature_count] = {}; // present, or reported
};

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(clang::CompilerInstance &compiler) : finder_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      finder_.TraverseDecl(declaration);
    return true;
  }

private:
  Finder finder_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> refuse_absent_features(clang::CompilerInstance &compiler) {
  return std::make_unique<Consumer>(compiler);
}

} // namespace lockstep::compiler
