#include "compiler/regions/work_item_loop_nest.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/regions/idle_sub_groups.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler {

WorkItemLoopNest::WorkItemLoopNest(llvm::IRBuilderBase &builder, std::array<uint32_t, 3> local_size,
                                   uint32_t sub_group_size, Interleaving interleaving,
                                   bool has_padded_rows)
    : known_size_(local_size), step_{sub_group_size, 1, 1}, sub_group_size_(sub_group_size),
      by_dimension_(sub_group_size == 1 || has_padded_rows ||
                    (local_size[0] && local_size[0] % sub_group_size == 0)) {
  step_[interleaving.dimension] *= interleaving.count;
  llvm::Module *module = builder.GetInsertBlock()->getModule();
  for (unsigned dimension = 0; dimension != 3; ++dimension) {
    if (local_size[0]) {
      size_[dimension] = builder.getInt64(local_size[dimension]);
      continue;
    }
    auto callee = declare_primitive(*module, Primitive::local_size, builder.getInt64Ty(),
                                    {builder.getInt32Ty()});
    size_[dimension] = builder.CreateCall(callee, builder.getInt32(dimension), "local.size");
  }
  if (has_padded_rows) {
    llvm::Value *last = builder.CreateNUWAdd(size_[0], builder.getInt64(sub_group_size - 1));
    size_[0] = builder.CreateSub(last, builder.CreateURem(last, builder.getInt64(sub_group_size)),
                                 "padded.row");
  }
  items_ = builder.CreateNUWMul(builder.CreateNUWMul(size_[0], size_[1]), size_[2]);
  full_sub_groups_ = builder.CreateUDiv(items_, builder.getInt64(sub_group_size));
  number_of_sub_groups_ =
      builder.CreateUDiv(builder.CreateNUWAdd(items_, builder.getInt64(sub_group_size - 1)),
                         builder.getInt64(sub_group_size * interleaving.count), "sub.groups");
  for (unsigned index = 0; index != (by_dimension_ ? 3 : 1); ++index) {
    counters_.push_back(builder.CreateAlloca(builder.getInt64Ty(), nullptr, "local.id"));
    builder.CreateStore(builder.getInt64(0), counters_.back());
  }
}

void WorkItemLoopNest::close(llvm::BasicBlock *latch, llvm::BasicBlock *body, llvm::BasicBlock *end,
                             unsigned counter, llvm::Value *limit) {
  llvm::IRBuilder<> builder(latch);
  llvm::LLVMContext &context = latch->getContext();
  uint64_t step = by_dimension_ ? step_[counter] : 1;
  llvm::Value *next =
      builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), counters_[counter]),
                        builder.getInt64(step), "next.id", /*HasNUW=*/true, /*HasNSW=*/true);
  builder.CreateStore(next, counters_[counter]);
  llvm::BranchInst *branch = builder.CreateCondBr(builder.CreateICmpULT(next, limit), body, end);
  // LLVM's loop vectorizer, which runs later, could not vectorize a small body that is unrolled
  // completely.
  llvm::SmallVector<llvm::Metadata *, 3> facts = {
      nullptr,
      llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"))};
  auto *loop = llvm::MDNode::getDistinct(context, facts);
  loop->replaceOperandWith(0, loop);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

namespace {

// The trip count of a loop that `close` emitted; 0: unknown.
uint64_t trip_count_of(const llvm::BranchInst &branch) {
  using namespace llvm::PatternMatch;
  const llvm::APInt *limit = nullptr, *step = nullptr;
  if (!branch.isConditional() ||
      !match(branch.getCondition(),
             m_SpecificICmp(llvm::CmpInst::ICMP_ULT, m_Add(m_Value(), m_APInt(step)),
                            m_APInt(limit))) ||
      step->isZero())
    return 0;
  return llvm::divideCeil(limit->getZExtValue(), step->getZExtValue());
}

} // namespace

void allow_small_unrolling(const llvm::LoopInfo &loops) {
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch())
      continue;
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(loop->getLoopLatch()->getTerminator());
    if (!branch || !llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.disable"))
      continue;
    uint64_t instructions = 0;
    for (const llvm::BasicBlock *block : loop->blocks())
      instructions += block->sizeWithoutDebug();
    const uint64_t trip_count = trip_count_of(*branch);
    if (trip_count != 0 && trip_count * instructions <= limits::repeated_code)
      branch->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
  }
}

WorkItemLoopNest::Loop WorkItemLoopNest::emit(llvm::BasicBlock *preheader, const llvm::Twine &name,
                                              const WorkBound *bound) {
  return by_dimension_ ? emit_by_dimension(preheader, name, bound) : emit_linear(preheader, name);
}

namespace {

std::optional<uint64_t> known(const llvm::Value *value) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

} // namespace

// Emits the loops of a row with a bound: over the sub-groups below `full`, then over the others.
llvm::SmallVector<WorkItemLoopNest::Body, 2>
WorkItemLoopNest::emit_bounded_row(const WorkBound &bound, llvm::BasicBlock *first,
                                   llvm::BasicBlock *done, const llvm::Twine &name) {
  llvm::SmallVector<Body, 2> bodies;
  auto block = [&](const char *suffix) {
    return llvm::BasicBlock::Create(first->getContext(), name + suffix, first->getParent());
  };
  auto loop = [&](const char *body, const char *latch, llvm::Value *from, llvm::Value *to,
                  llvm::BasicBlock *next, bool is_below_full) {
    llvm::IRBuilder<> before(first);
    before.CreateStore(from, counters_[0]);
    bodies.push_back({block(body), block(latch), before.getInt64(sub_group_size_), is_below_full});
    before.CreateCondBr(before.CreateICmpULT(from, to), bodies.back().block, next);
    close(bodies.back().latch, bodies.back().block, next, 0, to);
    first = next;
  };
  llvm::Value *zero = llvm::ConstantInt::get(bound.end->getType(), 0);
  bool has_full = bound.full && known(bound.full) != 0;
  bool has_rest = !has_full || !known(bound.full) || known(bound.full) != known(bound.end);
  if (has_full)
    loop(".body", ".latch", zero, bound.full, has_rest ? block(".boundary") : done, true);
  if (has_rest)
    loop(".rest", ".rest.latch", has_full ? bound.full : zero, bound.end, done, false);
  return bodies;
}

WorkItemLoopNest::Loop WorkItemLoopNest::emit_by_dimension(llvm::BasicBlock *preheader,
                                                           const llvm::Twine &name,
                                                           const WorkBound *bound) {
  llvm::Function *function = preheader->getParent();
  llvm::LLVMContext &context = function->getContext();
  auto block = [&](const char *suffix) {
    return llvm::BasicBlock::Create(context, name + suffix, function);
  };

  llvm::IRBuilder<> builder(preheader);
  llvm::SmallVector<Body, 2> bodies;
  llvm::BasicBlock *body, *latch;
  unsigned counter = 0;
  bool innermost = true;
  if (bound && bound->dimension == 0) {
    body = block(".first");
    latch = block(".done");
    bodies = emit_bounded_row(*bound, body, latch, name);
    innermost = false;
    counter = 1;
  } else {
    bodies.push_back({block(".body"), block(".latch"), builder.getInt64(sub_group_size_)});
    body = bodies.front().block;
    latch = bodies.front().latch;
  }
  for (; counter != counters_.size(); ++counter) {
    if (known_size_[counter] == step_[counter]) // one iteration
      continue;
    llvm::BasicBlock *before = block(".first"), *after = block(".done");
    llvm::IRBuilder<> first(before);
    first.CreateStore(first.getInt64(0), counters_[counter]);
    first.CreateBr(body);
    close(latch, body, after, counter,
          bound && bound->dimension == counter ? bound->end : size_[counter]);
    innermost = false;
    body = before;
    latch = after;
  }
  llvm::BasicBlock *end = latch;
  if (innermost) { // no loop at all: the body falls through
    end = block(".end");
    llvm::BranchInst::Create(end, bodies.front().latch);
  }
  for (llvm::AllocaInst *counter : counters_)
    builder.CreateStore(builder.getInt64(0), counter);
  builder.CreateBr(body);
  return {bodies, end};
}

WorkItemLoopNest::Loop WorkItemLoopNest::emit_linear(llvm::BasicBlock *preheader,
                                                     const llvm::Twine &name) {
  llvm::LLVMContext &context = preheader->getContext();
  auto block = [&](const char *suffix) {
    return llvm::BasicBlock::Create(context, name + suffix, preheader->getParent());
  };
  Loop loop{{}, block(".end")};
  llvm::BasicBlock *tail = block(".last");
  llvm::IRBuilder<> before(preheader), at_tail(tail);
  before.CreateStore(before.getInt64(0), counters_[0]);
  auto is_zero = [](llvm::Value *value) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    return constant && constant->isZero();
  };
  if (is_zero(full_sub_groups_)) {
    before.CreateBr(tail);
  } else {
    Body full{block(".body"), block(".latch"), before.getInt64(sub_group_size_)};
    before.CreateCondBr(before.CreateICmpNE(full_sub_groups_, before.getInt64(0)), full.block,
                        tail);
    close(full.latch, full.block, tail, 0, full_sub_groups_);
    loop.bodies.push_back(full);
  }
  llvm::Value *rest = at_tail.CreateURem(items_, at_tail.getInt64(sub_group_size_), "rest");
  if (is_zero(rest)) {
    at_tail.CreateBr(loop.end);
    return loop;
  }
  Body partial{block(".rest"), block(".rest.end"), rest};
  at_tail.CreateStore(full_sub_groups_, counters_[0]);
  at_tail.CreateCondBr(at_tail.CreateICmpNE(rest, at_tail.getInt64(0)), partial.block, loop.end);
  llvm::BranchInst::Create(loop.end, partial.latch);
  loop.bodies.push_back(partial);
  return loop;
}

llvm::Value *WorkItemLoopNest::sub_group_index(llvm::IRBuilderBase &builder) const {
  auto load = [&](unsigned counter) {
    return builder.CreateLoad(builder.getInt64Ty(), counters_[counter]);
  };
  if (!by_dimension_)
    return load(0);
  auto steps = [&](llvm::Value *items, unsigned counter) {
    return step_[counter] == 1
               ? items
               : builder.CreateUDiv(items, builder.getInt64(step_[counter]), "", /*isExact=*/true);
  };
  llvm::Value *index = steps(load(2), 2);
  for (unsigned counter : {1u, 0u})
    index =
        builder.CreateAdd(builder.CreateMul(index, steps(size_[counter], counter), "", true, true),
                          steps(load(counter), counter), "", true, true);
  return index;
}

llvm::Value *WorkItemLoopNest::local_id(llvm::IRBuilderBase &builder, unsigned dimension) const {
  if (by_dimension_) {
    if (known_size_[dimension] == 1)
      return builder.getInt64(0);
    return builder.CreateLoad(builder.getInt64Ty(), counters_[dimension]);
  }
  llvm::Value *item =
      builder.CreateNUWMul(sub_group_index(builder), builder.getInt64(sub_group_size_));
  if (known_size_[0] != 0 && known_size_[1] == 1 && known_size_[2] == 1) // a single row
    return dimension == 0 ? item : builder.getInt64(0);
  if (dimension == 0)
    return builder.CreateURem(item, size_[0]);
  llvm::Value *row = builder.CreateUDiv(item, size_[0]);
  return dimension == 1 ? builder.CreateURem(row, size_[1]) : builder.CreateUDiv(row, size_[1]);
}

} // namespace lockstep::compiler
