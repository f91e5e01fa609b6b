#include "compiler/lanes/packetize/likely_steps.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

using Step = std::optional<int64_t>;

// The same distance between all lanes that follow each other.
Step regular_step(const LaneShape &shape, unsigned width) {
  if (shape.is_uniform() || width == 1)
    return 0;
  const int64_t step = shape.distance(1);
  for (unsigned lane = 2; lane != width; ++lane)
    if (shape.distance(lane) - shape.distance(lane - 1) != step)
      return std::nullopt;
  return step;
}

class Guess {
public:
  explicit Guess(const LaneShapes &shapes) : shapes_(shapes) {}
  Step of(const llvm::Value &value, unsigned depth);

private:
  Step of_binary(const llvm::BinaryOperator &operation, unsigned depth);
  // A value that is one of the two in each lane: the end of a row is the exception.
  Step of_either(const llvm::Value &one, const llvm::Value &other, unsigned depth);

  const LaneShapes &shapes_;
  unsigned steps_ = 0;
};

Step Guess::of_either(const llvm::Value &one, const llvm::Value &other, unsigned depth) {
  const Step first = of(one, depth), second = of(other, depth);
  if (!first || !second || *first == 0)
    return second;
  return first;
}

Step Guess::of_binary(const llvm::BinaryOperator &operation, unsigned depth) {
  const llvm::Value &one = *operation.getOperand(0), &other = *operation.getOperand(1);
  switch (operation.getOpcode()) {
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub: {
    const Step first = of(one, depth), second = of(other, depth);
    if (!first || !second)
      return std::nullopt;
    return operation.getOpcode() == llvm::Instruction::Add ? *first + *second : *first - *second;
  }
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return of(other, depth) == 0 ? of(one, depth) : std::nullopt;
  default:
    return std::nullopt;
  }
}

Step Guess::of(const llvm::Value &value, unsigned depth) {
  const LaneShape &shape = shapes_.of(value);
  if (shape.has_distances())
    return regular_step(shape, shapes_.width());
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || depth == 0 || ++steps_ > limits::search_steps)
    return std::nullopt;
  if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
    return of_binary(*operation, depth - 1);
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(instruction))
    return of_either(*select->getTrueValue(), *select->getFalseValue(), depth - 1);
  if (auto *minimum = llvm::dyn_cast<llvm::MinMaxIntrinsic>(instruction))
    return of_either(*minimum->getLHS(), *minimum->getRHS(), depth - 1);
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(instruction); cast && cast->isIntegerCast())
    return cast->getOperand(0)->getType()->isIntegerTy(1) ? Step(0) // the outcome of a comparison
                                                          : of(*cast->getOperand(0), depth - 1);
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return of(*instruction->getOperand(0), depth - 1);
  return std::nullopt;
}

} // namespace

std::optional<int64_t> likely_step(const llvm::Value &value, const LaneShapes &shapes) {
  return Guess(shapes).of(value, limits::search_depth);
}

} // namespace lockstep::compiler
