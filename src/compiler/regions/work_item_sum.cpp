#include "compiler/regions/work_item_sum.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/regions/region_path.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// Element 0 of a constant whose elements grow by 1 from lane to lane.
llvm::Constant *first_of_lane_numbers(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!constant || !type)
    return nullptr;
  auto *first = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(0u));
  for (unsigned lane = 1; first && lane != type->getNumElements(); ++lane) {
    auto *element = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!element || element->getValue() != first->getValue() + lane)
      return nullptr;
  }
  return first;
}

class Matcher {
public:
  explicit Matcher(RegionPath &path) : path_(path) {}
  bool match(llvm::Value *value, unsigned depth = 0);
  WorkItemSum sum;

private:
  bool match_addition(llvm::Value *one, llvm::Value *other, unsigned depth);
  bool then(WorkItemSum::Part part) {
    sum.parts.push_back(part);
    return true;
  }
  RegionPath &path_;
};

bool Matcher::match_addition(llvm::Value *one, llvm::Value *other, unsigned depth) {
  for (auto [id, term] : {std::pair{one, other}, std::pair{other, one}}) {
    WorkItemSum before = sum;
    if (match(id, depth + 1)) {
      llvm::Constant *first = sum.has_lanes ? nullptr : first_of_lane_numbers(term);
      sum.has_lanes |= first != nullptr;
      return then({WorkItemSum::Step::add, first ? first : term});
    }
    sum = before;
  }
  return false;
}

bool Matcher::match(llvm::Value *value, unsigned depth) {
  using namespace llvm::PatternMatch;
  value = path_.resolve(value);
  if (depth == limits::search_depth || llvm::isa<llvm::Constant>(value) ||
      value->getType()->getScalarSizeInBits() > 64)
    return false;
  if (called_primitive(*value) == Primitive::local_id) {
    auto dimension = constant_dimension(*llvm::cast<llvm::CallInst>(value));
    sum.dimension = dimension.value_or(3);
    return sum.dimension < 3;
  }
  if (const llvm::Value *element =
          value->getType()->isVectorTy() ? llvm::getSplatValue(value) : nullptr)
    return match(const_cast<llvm::Value *>(element), depth + 1);
  unsigned bits = value->getType()->getScalarSizeInBits();
  llvm::Value *one, *other;
  if (llvm::PatternMatch::match(value, m_AddLike(m_Value(one), m_Value(other))))
    return match_addition(one, other, depth);
  if (llvm::PatternMatch::match(value, m_Sub(m_Value(one), m_Value(other))))
    return match(one, depth + 1) && then({WorkItemSum::Step::subtract, other});
  if (llvm::PatternMatch::match(value, m_Trunc(m_Value(one))))
    return match(one, depth + 1) && then({WorkItemSum::Step::truncate, nullptr, bits});
  if (llvm::PatternMatch::match(value, m_ZExt(m_Value(one))))
    return match(one, depth + 1) && then({WorkItemSum::Step::zero_extend, nullptr, bits});
  if (llvm::PatternMatch::match(value, m_SExt(m_Value(one))))
    return match(one, depth + 1) && then({WorkItemSum::Step::sign_extend, nullptr, bits});
  return false;
}

} // namespace

std::optional<WorkItemSum> find_work_item_sum(RegionPath &path, llvm::Value *value,
                                              unsigned lanes) {
  Matcher matcher(path);
  if (!matcher.match(value))
    return std::nullopt;
  bool wants_lanes = lanes > 1 && matcher.sum.dimension == 0;
  if (matcher.sum.has_lanes != wants_lanes)
    return std::nullopt;
  return matcher.sum;
}

std::optional<FirstOfSum> emit_first(const WorkItemSum &sum, RegionPath &path,
                                     llvm::IRBuilderBase &builder, uint32_t size, bool is_signed) {
  FirstOfSum first{builder.getInt64(0), builder.getTrue()};
  // False if not even the number of the last work-item fits.
  auto demand_no_wrap = [&](bool of_signed) {
    unsigned bits = first.value->getType()->getScalarSizeInBits();
    llvm::APInt most =
        of_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    if (most.ult(size - 1))
      return false;
    llvm::Value *limit = llvm::ConstantInt::get(first.value->getType(), most - (size - 1));
    llvm::Value *fits = of_signed ? builder.CreateICmpSLE(first.value, limit)
                                  : builder.CreateICmpULE(first.value, limit);
    first.wraps_not = builder.CreateAnd(first.wraps_not, fits);
    return true;
  };
  for (const WorkItemSum::Part &part : sum.parts) {
    llvm::Value *term = part.term ? path.evaluate(part.term, builder) : nullptr;
    if (part.term && !term)
      return std::nullopt;
    llvm::Type *type = part.bits ? builder.getIntNTy(part.bits) : nullptr;
    bool extends =
        part.step == WorkItemSum::Step::zero_extend || part.step == WorkItemSum::Step::sign_extend;
    if (extends && !demand_no_wrap(part.step == WorkItemSum::Step::sign_extend))
      return std::nullopt;
    switch (part.step) {
    case WorkItemSum::Step::add:
      first.value = builder.CreateAdd(first.value, term);
      break;
    case WorkItemSum::Step::subtract:
      first.value = builder.CreateSub(first.value, term);
      break;
    case WorkItemSum::Step::truncate:
      first.value = builder.CreateTrunc(first.value, type);
      break;
    case WorkItemSum::Step::zero_extend:
      first.value = builder.CreateZExt(first.value, type);
      break;
    case WorkItemSum::Step::sign_extend:
      first.value = builder.CreateSExt(first.value, type);
      break;
    }
  }
  if (!demand_no_wrap(is_signed))
    return std::nullopt;
  return first;
}

} // namespace lockstep::compiler
