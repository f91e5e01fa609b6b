#include "front_ends/spirv/instructions/control_flow.h"

#include "front_ends/spirv/instructions/translators.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lockstep::compiler::spirv {
namespace {

class BlockOrder {
public:
  BlockOrder(const Reader &reader, const FunctionBody &body) : reader_(reader), body_(body) {
    for (const Block &block : body.blocks)
      blocks_[block.label] = &block;
    for (const Instruction *parameter : body.parameters)
      types_[parameter->result] = parameter->result_type;
    for (const Instruction &instruction : body.instructions)
      if (instruction.result_type != 0)
        types_[instruction.result] = instruction.result_type;
  }

  Result<std::vector<const Block *>> order() {
    LOCKSTEP_TRY(enter(body_.blocks.front()));
    while (!path_.empty()) {
      Visit &visit = path_.back();
      if (visit.next == visit.successors.size()) {
        order_.push_back(visit.block);
        path_.pop_back();
        continue;
      }
      const Block &successor = *visit.successors[visit.next++];
      if (!seen_.contains(successor.label))
        LOCKSTEP_TRY(enter(successor));
    }
    std::ranges::reverse(order_);
    return std::move(order_);
  }

private:
  struct Visit {
    const Block *block;
    std::vector<const Block *> successors;
    size_t next = 0;
  };

  Result<void> enter(const Block &block) {
    seen_.insert(block.label);
    auto successors = successors_of(block.body.back());
    LOCKSTEP_TRY(successors);
    path_.push_back({&block, std::move(*successors)});
    return {};
  }

  // The operands of a terminator that are labels, the last first: the order then begins with the
  // first.
  Result<std::vector<size_t>> label_operands(const Instruction &terminator) const {
    switch (terminator.opcode) {
    case Op::OpBranch:
      return std::vector<size_t>{0};
    case Op::OpBranchConditional:
      return std::vector<size_t>{2, 1};
    case Op::OpSwitch:
      return switch_labels(terminator);
    default:
      return std::vector<size_t>{};
    }
  }

  Result<std::vector<size_t>> switch_labels(const Instruction &terminator) const {
    const Type *type = type_of(terminator.operands[0]);
    if (!type || !type->is(TypeKind::int_type))
      return error_at(terminator, 1, "is not an integer");
    const size_t words = literal_words(type->width);
    std::vector<size_t> labels;
    for (size_t i = 2 + words; i < terminator.operands.size(); i += words + 1)
      labels.push_back(i);
    labels.push_back(1);
    if ((terminator.operands.size() - 2) % (words + 1) != 0)
      return error_at(terminator, "its last branch is not complete");
    return labels;
  }

  Result<std::vector<const Block *>> successors_of(const Instruction &terminator) const {
    auto operands = label_operands(terminator);
    LOCKSTEP_TRY(operands);
    std::vector<const Block *> successors;
    for (size_t operand : *operands) {
      const Block *block = blocks_.lookup(terminator.operands[operand]);
      if (!block)
        return error_at(terminator, operand + 1, "is not a label of this function");
      successors.push_back(block);
    }
    return successors;
  }

  const Type *type_of(Id id) const {
    if (const Id type = types_.lookup(id))
      return reader_.find_type(type);
    const TypedValue *global = reader_.find_global(id);
    return global ? global->type : nullptr;
  }

  const Reader &reader_;
  const FunctionBody &body_;
  IdMap<const Block *> blocks_;
  IdMap<Id> types_; // of results
  llvm::DenseSet<uint64_t> seen_;
  std::vector<Visit> path_;
  std::vector<const Block *> order_;
};

Result<llvm::Value *> translate_conditional(FunctionReader &reader, const Instruction &i) {
  llvm::MDNode *weights = nullptr;
  if (reader.has(i, 4) && (reader.word(i, 3) != 0 || reader.word(i, 4) != 0))
    weights =
        llvm::MDBuilder(reader.context()).createBranchWeights(reader.word(i, 3), reader.word(i, 4));
  return reader.builder().CreateCondBr(reader.value(i, 0), reader.find_block(reader.word(i, 1)),
                                       reader.find_block(reader.word(i, 2)), weights);
}

Result<llvm::Value *> translate_switch(FunctionReader &reader, const Instruction &i) {
  const Type &type = reader.type(i, 0);
  const size_t words = literal_words(type.width);
  auto *branch =
      reader.builder().CreateSwitch(reader.value(i, 0), reader.find_block(reader.word(i, 1)),
                                    static_cast<unsigned>(i.operands.size() / 2));
  std::set<uint64_t> seen;
  for (size_t at = 2; at + words < i.operands.size(); at += words + 1) {
    uint64_t literal = reader.word(i, at);
    if (words == 2)
      literal |= static_cast<uint64_t>(reader.word(i, at + 1)) << 32;
    const llvm::APInt number(type.width, literal, false, true);
    if (!seen.insert(number.getZExtValue()).second)
      return reader.fail(i, at, "is the literal of an earlier branch");
    branch->addCase(llvm::ConstantInt::get(reader.context(), number),
                    reader.find_block(reader.word(i, at + words)));
  }
  return branch;
}

Result<llvm::Value *> translate_return(FunctionReader &reader, const Instruction &i) {
  llvm::Type *wanted = reader.function().getReturnType();
  if (i.opcode == Op::OpReturn) {
    if (!wanted->isVoidTy())
      return reader.fail(i, "the function must return a value");
    return reader.builder().CreateRetVoid();
  }
  if (reader.value(i, 0)->getType() != wanted)
    return reader.fail(i, 0, "does not have the type that the function returns");
  return reader.builder().CreateRet(reader.value(i, 0));
}

// ---- hints about loops ----

constexpr uint32_t unroll_bit = 1, dont_unroll_bit = 2, partial_count_bit = 0x100;

llvm::Metadata *hint(llvm::LLVMContext &context, const char *name) {
  return llvm::MDNode::get(context, llvm::MDString::get(context, name));
}

llvm::Metadata *counted_hint(llvm::LLVMContext &context, const char *name, uint32_t count) {
  auto *number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), count);
  return llvm::MDNode::get(
      context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(number)});
}

// The hints of OpLoopMerge in LLVM's form, or null if it has none that LLVM knows.
llvm::MDNode *loop_metadata(llvm::LLVMContext &context, const Instruction &merge) {
  const uint32_t mask = merge.operands[2];
  std::vector<llvm::Metadata *> hints{nullptr}; // the node itself
  if (mask & dont_unroll_bit)
    hints.push_back(hint(context, "llvm.loop.unroll.disable"));
  else if (mask & unroll_bit)
    hints.push_back(hint(context, "llvm.loop.unroll.enable"));
  // The parameters are in the order of their bits. Other bits before it have a parameter each.
  const auto before = static_cast<size_t>(llvm::popcount(mask & (partial_count_bit - 1) & ~0x7U));
  if ((mask & partial_count_bit) && merge.operands.size() > 3 + before)
    hints.push_back(counted_hint(context, "llvm.loop.unroll.count", merge.operands[3 + before]));
  if (hints.size() == 1)
    return nullptr;
  llvm::MDNode *node = llvm::MDNode::getDistinct(context, hints);
  node->replaceOperandWith(0, node);
  return node;
}

void add_loop_hint(FunctionReader &reader, const llvm::DominatorTree &tree,
                   llvm::BasicBlock *header, const Instruction &merge) {
  llvm::MDNode *metadata = loop_metadata(reader.context(), merge);
  if (!metadata)
    return;
  for (llvm::BasicBlock *latch : llvm::predecessors(header))
    if (tree.dominates(header, latch))
      latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, metadata);
}

} // namespace

void add_loop_hints(FunctionReader &reader, const FunctionBody &body) {
  std::optional<llvm::DominatorTree> tree;
  for (const Block &block : body.blocks) {
    llvm::BasicBlock *header = reader.find_block(block.label);
    if (!header || block.body.size() < 2)
      continue;
    const Instruction &merge = block.body[block.body.size() - 2];
    if (merge.opcode != Op::OpLoopMerge)
      continue;
    if (!tree)
      tree.emplace(reader.function());
    add_loop_hint(reader, *tree, header, merge);
  }
}

Result<std::vector<const Block *>> reverse_post_order(const Reader &reader,
                                                      const FunctionBody &body) {
  return BlockOrder(reader, body).order();
}

Result<llvm::Value *> translate_branch(FunctionReader &reader, const Instruction &i) {
  switch (i.opcode) {
  case Op::OpBranch:
    return reader.builder().CreateBr(reader.find_block(reader.word(i, 0)));
  case Op::OpBranchConditional:
    return translate_conditional(reader, i);
  case Op::OpSwitch:
    return translate_switch(reader, i);
  case Op::OpUnreachable:
    return reader.builder().CreateUnreachable();
  default:
    return translate_return(reader, i);
  }
}

Result<llvm::Value *> translate_call(FunctionReader &reader, const Instruction &i) {
  const Id id = reader.word(i, 0);
  llvm::Function *callee = reader.reader().find_function(id);
  const Type &type = *reader.reader().find_function_type(id);
  if (reader.reader().is_kernel(id))
    return reader.fail(i, 0, "is a kernel, which cannot be called");
  if (type.element->id != i.result_type)
    return reader.fail(i, "its result type differs from that of the function");
  if (type.members.size() + 1 != i.operands.size())
    return reader.fail(i, fmt::format("it has {} arguments; the function has {} parameters",
                                      i.operands.size() - 1, type.members.size()));
  std::vector<llvm::Value *> arguments;
  for (size_t k = 1; k < i.operands.size(); ++k) {
    const TypedValue *value = reader.find_value(i.operands[k]);
    if (!value || value->value->getType() != type.members[k - 1]->llvm)
      return reader.fail(i, k, "is not a value of the parameter's type");
    arguments.push_back(value->value);
  }
  llvm::CallInst *call = reader.builder().CreateCall(callee, arguments);
  call->setCallingConv(callee->getCallingConv());
  call->setAttributes(callee->getAttributes().removeFnAttributes(reader.context()));
  call->addFnAttr(llvm::Attribute::Convergent);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

Result<llvm::Value *> translate_phi(FunctionReader &reader, const Instruction &i) {
  const llvm::BasicBlock *block = reader.builder().GetInsertBlock();
  if (!block->empty() && !llvm::isa<llvm::PHINode>(block->back()))
    return reader.fail(i, "it must be at the beginning of its block");
  if (reader.count(i) % 2 != 0)
    return reader.fail(i, "its last pair is not complete");
  return reader.add_phi(i);
}

Result<llvm::Value *> translate_hint(FunctionReader &reader, const Instruction &i) {
  if (i.opcode == Op::OpAssumeTrueKHR)
    return reader.builder().CreateAssumption(reader.value(i, 0));
  llvm::Value *value = reader.value(i, 0);
  if (!value->getType()->isIntegerTy())
    return value;
  return reader.builder().CreateBinaryIntrinsic(llvm::Intrinsic::expect, value, reader.value(i, 1));
}

Result<llvm::Value *> translate_ignored(FunctionReader &, const Instruction &) {
  return nullptr;
}

Result<llvm::Value *> translate_constant(FunctionReader &reader, const Instruction &i) {
  return llvm::UndefValue::get(reader.result_type(i).llvm);
}

} // namespace lockstep::compiler::spirv
