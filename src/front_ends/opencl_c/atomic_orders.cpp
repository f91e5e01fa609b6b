#include "front_ends/opencl_c/atomic_orders.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace lockstep::compiler {
namespace {

// memory_order of opencl-c-base.h.
enum Order : int64_t { relaxed = 0, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5 };

const char *name_of(int64_t order) {
  switch (order) {
  case relaxed:
    return "memory_order_relaxed";
  case acquire:
    return "memory_order_acquire";
  case release:
    return "memory_order_release";
  case acq_rel:
    return "memory_order_acq_rel";
  case seq_cst:
    return "memory_order_seq_cst";
  default:
    return nullptr;
  }
}

struct Rule {
  std::string_view function;
  unsigned argument; // index of the order
  Order forbidden;   // in addition to memory_order_acq_rel
  std::string_view what, section;
};
constexpr unsigned failure_argument = 4;
constexpr Rule rules[] = {
    {"atomic_store_explicit", 2, acquire, "the order of a store", "6.15.12.7"},
    {"atomic_load_explicit", 1, release, "the order of a load", "6.15.12.7"},
    {"atomic_compare_exchange_strong_explicit", failure_argument, release, "the order of a failure",
     "6.15.12.7"},
    {"atomic_compare_exchange_weak_explicit", failure_argument, release, "the order of a failure",
     "6.15.12.7"},
    {"atomic_flag_clear_explicit", 1, acquire, "the order of a store", "6.15.12.8"},
};

class Finder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Finder(clang::CompilerInstance &compiler) : compiler_(compiler) {}

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    // clang declares the builtins at their first use, without a body; a function of the program
    // with such a name has one.
    if (!callee || !callee->getIdentifier() || callee->hasBody())
      return true;
    for (const Rule &rule : rules)
      if (std::string_view(callee->getName()) == rule.function)
        check(*call, rule);
    return true;
  }

private:
  std::optional<int64_t> order(const clang::CallExpr &call, unsigned argument) const {
    clang::Expr::EvalResult value;
    if (argument >= call.getNumArgs() || call.getArg(argument)->isValueDependent() ||
        !call.getArg(argument)->EvaluateAsInt(value, compiler_.getASTContext()))
      return std::nullopt;
    return value.Val.getInt().getExtValue();
  }

  void check(const clang::CallExpr &call, const Rule &rule) {
    const auto given = order(call, rule.argument);
    if (!given)
      return; // the order is not a constant
    if (!name_of(*given))
      return refuse(call, rule, fmt::format("{} is not a memory_order", *given));
    if (*given == acq_rel || *given == rule.forbidden)
      return refuse(call, rule, fmt::format("{} cannot be {}", name_of(*given), rule.what));
    if (rule.argument != failure_argument)
      return;
    // Acquire and release are not ordered by strength, and programs use them together.
    const auto success = order(call, failure_argument - 1);
    if (success && name_of(*success) &&
        ((*success == relaxed && *given != relaxed) || (*success != seq_cst && *given == seq_cst)))
      refuse(call, rule,
             fmt::format("{}, the order of a failure, is stronger than {}, that of success",
                         name_of(*given), name_of(*success)));
  }

  void refuse(const clang::CallExpr &call, const Rule &rule, const std::string &sentence) {
    clang::DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
    diagnostics.Report(
        call.getArg(rule.argument)->getExprLoc(),
        diagnostics.getDiagnosticIDs()->getCustomDiagID(
            clang::DiagnosticIDs::Error,
            fmt::format("{}: {} (OpenCL C {})", rule.function, sentence, rule.section)));
  }

  clang::CompilerInstance &compiler_;
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

std::unique_ptr<clang::ASTConsumer> refuse_wrong_orders(clang::CompilerInstance &compiler) {
  return std::make_unique<Consumer>(compiler);
}

} // namespace lockstep::compiler
