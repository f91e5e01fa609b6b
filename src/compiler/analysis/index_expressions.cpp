#include "compiler/analysis/index_expressions.h"

#include "compiler/analysis/index_expression_builder.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

IndexExpression difference(const IndexExpression &one, const IndexExpression &other) {
  return add(one, other, -1);
}

bool is_of_column(const IndexExpression &address, uint64_t element_size) {
  return llvm::any_of(address.terms, [&](const IndexExpression::Term &term) {
    const llvm::Value *value = term.symbol.value;
    return value && called_primitive(*value) == Primitive::local_id &&
           constant_dimension(*llvm::cast<llvm::CallInst>(value)).value_or(0) != 0 &&
           uint64_t(term.coefficient) == element_size;
  });
}

IndexExpressions::IndexExpressions(const llvm::Function &function, const llvm::LoopInfo &loops)
    : layout_(&function.getDataLayout()), loops_(&loops) {}

const IndexExpression &IndexExpressions::of(const llvm::Value &value, Depth depth) {
  return ExpressionBuilder(*this, depth).of(value, IndexSymbol::whole);
}

std::optional<Induction> IndexExpressions::induction(const llvm::PHINode &phi, Depth depth) {
  const llvm::Loop *loop = loops_->getLoopFor(phi.getParent());
  if (!loop || loop->getHeader() != phi.getParent() || !has_expression(phi))
    return std::nullopt;
  const llvm::Value *start = nullptr;
  std::optional<IndexExpression> step;
  const IndexExpression itself = of(phi, depth);
  for (unsigned index = 0; index != phi.getNumIncomingValues(); ++index) {
    const llvm::Value *incoming = phi.getIncomingValue(index);
    if (!loop->contains(phi.getIncomingBlock(index))) {
      if (start && start != incoming)
        return std::nullopt;
      start = incoming;
      continue;
    }
    const IndexExpression change = difference(of(*incoming, depth), itself);
    if (step && (!step->differs_by_constant(change) || step->constant != change.constant))
      return std::nullopt;
    step = change;
  }
  const bool is_invariant =
      start && step && llvm::all_of(step->terms, [&](const IndexExpression::Term &term) {
        return !term.symbol.value || loop->isLoopInvariant(term.symbol.value);
      });
  return is_invariant ? std::optional<Induction>({loop, start, *step}) : std::nullopt;
}

bool IndexExpressions::invalidate(llvm::Function &function,
                                  const llvm::PreservedAnalyses &preserved,
                                  llvm::FunctionAnalysisManager::Invalidator &invalidator) {
  auto checker = preserved.getChecker<IndexExpressionsAnalysis>();
  return !(checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>()) ||
         invalidator.invalidate<llvm::LoopAnalysis>(function, preserved);
}

IndexExpressions IndexExpressionsAnalysis::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  return {function, analyses.getResult<llvm::LoopAnalysis>(function)};
}

// ---- emission

namespace {

llvm::Value *emit_symbol(llvm::IRBuilderBase &builder, const IndexSymbol &symbol, unsigned bits,
                         unsigned lanes, llvm::Value *value) {
  llvm::Type *type = builder.getIntNTy(bits);
  if (!symbol.value) {
    llvm::SmallVector<llvm::Constant *> numbers;
    for (unsigned lane = 0; lane != lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(type, lane));
    return llvm::ConstantVector::get(numbers);
  }
  if (symbol.element != IndexSymbol::whole && value->getType()->isVectorTy())
    value = builder.CreateExtractElement(value, uint64_t{symbol.element});
  llvm::Type *wanted = value->getType()->getWithNewType(type);
  if (value->getType()->isPtrOrPtrVectorTy())
    return builder.CreatePtrToInt(value, wanted);
  return symbol.extension == Extension::sign ? builder.CreateSExtOrTrunc(value, wanted)
                                             : builder.CreateZExtOrTrunc(value, wanted);
}

} // namespace

llvm::Value *emit_sum(llvm::IRBuilderBase &builder, const IndexExpression &expression,
                      unsigned lanes,
                      llvm::function_ref<llvm::Value *(const IndexSymbol &)> value_of) {
  llvm::Value *sums[] = {nullptr, nullptr}; // of scalars, of vectors
  auto emit_terms = [&](bool are_negative) {
    for (const IndexExpression::Term &term : expression.terms) {
      if ((term.coefficient < 0) != are_negative)
        continue;
      llvm::Value *value = term.symbol.value ? value_of(term.symbol) : nullptr;
      if (term.symbol.value && !value)
        return false;
      if (auto *known = llvm::dyn_cast_or_null<llvm::Constant>(value);
          known && known->isNullValue())
        continue;
      value = emit_symbol(builder, term.symbol, expression.bits, lanes, value);
      llvm::Value *&sum = sums[value->getType()->isVectorTy()];
      const bool subtracts = are_negative && sum;
      const uint64_t factor = subtracts ? -uint64_t(term.coefficient) : uint64_t(term.coefficient);
      if (factor != 1)
        value = builder.CreateMul(
            value, llvm::ConstantInt::get(value->getType(),
                                          llvm::APInt(expression.bits, factor, /*isSigned=*/false,
                                                      /*implicitTrunc=*/true)));
      sum = !sum        ? value
            : subtracts ? builder.CreateSub(sum, value)
                        : builder.CreateAdd(sum, value);
    }
    return true;
  };
  if (!emit_terms(false) || !emit_terms(true))
    return nullptr;
  auto &[scalar, vector] = sums;
  llvm::Constant *constant =
      llvm::ConstantInt::getSigned(builder.getIntNTy(expression.bits), expression.constant);
  if (!scalar && (!vector || expression.constant != 0))
    scalar = constant;
  else if (expression.constant != 0)
    scalar = builder.CreateAdd(scalar, constant);
  if (!vector || !scalar)
    return vector ? vector : scalar;
  auto *type = llvm::cast<llvm::VectorType>(vector->getType());
  return builder.CreateAdd(vector, builder.CreateVectorSplat(type->getElementCount(), scalar));
}

// ---- the printer

void IndexExpression::print(llvm::raw_ostream &stream) const {
  const char *before = "";
  for (const Term &term : terms) {
    stream << before;
    before = " + ";
    if (term.coefficient != 1)
      stream << term.coefficient << " * ";
    if (term.symbol.extension != Extension::none)
      stream << (term.symbol.extension == Extension::sign ? "sext " : "zext ");
    if (term.symbol.value)
      term.symbol.value->printAsOperand(stream, /*PrintType=*/false);
    else
      stream << "lane";
    if (term.symbol.element != IndexSymbol::whole)
      stream << '[' << term.symbol.element << ']';
  }
  if (constant != 0 || terms.empty())
    stream << before << constant;
  if (no_unsigned_wrap && bits < 64)
    stream << ", nuw";
  if (no_signed_wrap && bits < 64)
    stream << ", nsw";
}

llvm::PreservedAnalyses IndexExpressionsPrinterPass::run(llvm::Function &function,
                                                         llvm::FunctionAnalysisManager &analyses) {
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  llvm::outs() << "index expressions of " << function.getName() << '\n';
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!has_expression(instruction))
      continue;
    expressions.of(instruction).print(llvm::outs());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
      if (const auto induction = expressions.induction(*phi)) {
        llvm::outs() << ", step ";
        induction->step.print(llvm::outs());
      }
    llvm::outs() << " :" << instruction << '\n';
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
