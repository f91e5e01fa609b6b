#include "compiler/analysis/copy_distances.h"

#include "kernel_ir/primitives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

struct Extended {
  const llvm::Value *narrow;
  unsigned shift; // to the left, after the extension
};

// Matches a pair of shifts that re-extends a narrow integer. If the shift amounts differ, the
// result is also multiplied by a power of two.
std::optional<Extended> extended_by_shifts(const llvm::BinaryOperator &shift) {
  using namespace llvm::PatternMatch;
  const llvm::Value *narrow = nullptr;
  const llvm::APInt *left = nullptr, *right = nullptr;
  if (!match(&shift, m_Shr(m_Shl(m_Value(narrow), m_APInt(left)), m_APInt(right))) ||
      left->ult(*right))
    return std::nullopt;
  return Extended{narrow, static_cast<unsigned>((*left - *right).getZExtValue())};
}

// True for a mask of at least 32 bits that only re-extends a narrow integer, possibly multiplied by
// a power of two.
bool is_mask_of_number(const llvm::APInt &mask, uint64_t distance) {
  return mask.isShiftedMask() && mask.popcount() >= 32 &&
         distance % (uint64_t{1} << mask.countr_zero()) == 0;
}

} // namespace

std::optional<int64_t> CopyDistances::of(const llvm::Value &value) {
  if (!repeated_.contains(&value))
    return 0;
  if (const auto id = called_primitive(value);
      id == Primitive::local_id || id == Primitive::group_id)
    return step_;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !instruction->getType()->isIntegerTy())
    return std::nullopt;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction))
    return of_phi(*phi);
  if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(instruction)) {
    auto *number = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    return number ? of_element(*extract->getVectorOperand(), number->getZExtValue()) : std::nullopt;
  }
  return of_instruction(*instruction);
}

std::optional<int64_t> CopyDistances::of_element(const llvm::Value &vector, uint64_t number) {
  if (!repeated_.contains(&vector))
    return 0;
  if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&vector)) {
    auto *place = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (!place)
      return std::nullopt;
    return place->getZExtValue() == number ? of(*insert->getOperand(1))
                                           : of_element(*insert->getOperand(0), number);
  }
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&vector);
  if (!sum || sum->getOpcode() != llvm::Instruction::Add)
    return std::nullopt;
  auto left = of_element(*sum->getOperand(0), number),
       right = of_element(*sum->getOperand(1), number);
  if (!left || !right)
    return std::nullopt;
  return static_cast<uint64_t>(*left) + static_cast<uint64_t>(*right);
}

std::optional<int64_t> CopyDistances::of_instruction(const llvm::Instruction &instruction) {
  if (llvm::isa<llvm::TruncInst>(instruction))
    return of(*instruction.getOperand(0));
  if (wraps_ == Wraps::are_ignored && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction))
    return of(*instruction.getOperand(0));
  auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!binary)
    return std::nullopt;
  if (auto extended = extended_by_shifts(*binary); extended && wraps_ == Wraps::are_ignored) {
    auto distance = of(*extended->narrow);
    return distance ? std::optional(static_cast<uint64_t>(*distance) << extended->shift)
                    : std::nullopt;
  }
  auto left = of(*binary->getOperand(0)), right = of(*binary->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (*left == 0 && *right == 0)
    return 0;
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(binary->getOperand(1));
  bool is_small = constant && constant->getValue().getSignificantBits() <= 32;
  // Unsigned arithmetic, because the distances may wrap.
  auto one = static_cast<uint64_t>(*left), other = static_cast<uint64_t>(*right);
  switch (binary->getOpcode()) {
  case llvm::Instruction::Add:
    return one + other;
  case llvm::Instruction::Sub:
    return one - other;
  case llvm::Instruction::And:
    return wraps_ == Wraps::are_ignored && constant && is_mask_of_number(constant->getValue(), one)
               ? left
               : std::nullopt;
  case llvm::Instruction::Or:
    return llvm::cast<llvm::PossiblyDisjointInst>(binary)->isDisjoint() ? std::optional(one + other)
                                                                        : std::nullopt;
  case llvm::Instruction::Mul:
    return is_small ? std::optional(one * static_cast<uint64_t>(constant->getSExtValue()))
                    : std::nullopt;
  case llvm::Instruction::Shl:
    return is_small && constant->getZExtValue() < 32
               ? std::optional(one << constant->getZExtValue())
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> CopyDistances::of_address(const llvm::Value &address,
                                                 const llvm::DataLayout &layout) {
  int64_t bytes = 0;
  const llvm::Value *at = &address;
  for (;;) {
    if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(at)) {
      at = cast->getPointerOperand();
      continue;
    }
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(at);
    if (!gep)
      return of(*at) == 0 ? std::optional(bytes) : std::nullopt;
    const auto index = of(*gep->getOperand(gep->getNumOperands() - 1));
    for (unsigned outer = 1; outer + 1 < gep->getNumOperands(); ++outer)
      if (of(*gep->getOperand(outer)) != 0)
        return std::nullopt;
    if (!index)
      return std::nullopt;
    if (*index != 0)
      bytes +=
          *index * int64_t(layout.getTypeAllocSize(gep->getResultElementType()).getFixedValue());
    at = gep->getPointerOperand();
  }
}

// Assumes the distance of the first known incoming value, then checks that all others agree.
std::optional<int64_t> CopyDistances::of_phi(const llvm::PHINode &phi) {
  if (auto known = phis_.find(&phi); known != phis_.end())
    return known->second;
  phis_[&phi] = std::nullopt; // while it is visited
  std::optional<int64_t> assumed;
  for (const llvm::Use &incoming : phi.incoming_values())
    if (!assumed)
      assumed = of(*incoming);
  auto before = phis_;
  phis_[&phi] = assumed;
  for (const llvm::Use &incoming : phi.incoming_values())
    if (assumed && of(*incoming) != assumed)
      assumed = std::nullopt;
  if (!assumed)
    phis_ = before; // other phis may have used the assumption
  return assumed;
}

llvm::SmallPtrSet<const llvm::Value *, 32> values_of_group(llvm::Function &function,
                                                           unsigned dimension) {
  llvm::SmallPtrSet<const llvm::Value *, 32> values;
  llvm::SmallVector<const llvm::Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::group_id &&
        constant_dimension(llvm::cast<llvm::CallInst>(instruction)) == dimension &&
        values.insert(&instruction).second)
      open.push_back(&instruction);
  while (!open.empty())
    for (const llvm::User *user : open.pop_back_val()->users())
      if (values.insert(user).second)
        open.push_back(user);
  return values;
}

} // namespace lockstep::compiler
