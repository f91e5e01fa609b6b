#include "compiler/ir_to_workgroup/barriers/work_item_loop_nest.h"

#include "compiler/kernel_ir/primitives.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

WorkItemLoopNest::WorkItemLoopNest(llvm::IRBuilderBase &builder, std::array<uint32_t, 3> local_size,
                                   uint32_t sub_group_size)
    : known_size_(local_size), sub_group_size_(sub_group_size),
      by_dimension_(sub_group_size == 1 || (local_size[0] && local_size[0] % sub_group_size == 0)) {
  llvm::Module *module = builder.GetInsertBlock()->getModule();
  for (unsigned dimension = 0; dimension != 3; ++dimension) {
    if (local_size[0]) {
      size_[dimension] = builder.getInt64(local_size[dimension]);
      continue;
    }
    auto callee = module->getOrInsertFunction(primitive_name(Primitive::local_size),
                                              builder.getInt64Ty(), builder.getInt32Ty());
    size_[dimension] = builder.CreateCall(callee, builder.getInt32(dimension), "local.size");
  }
  llvm::Value *items = builder.CreateNUWMul(builder.CreateNUWMul(size_[0], size_[1]), size_[2]);
  number_of_sub_groups_ =
      builder.CreateUDiv(builder.CreateNUWAdd(items, builder.getInt64(sub_group_size - 1)),
                         builder.getInt64(sub_group_size), "sub.groups");
  for (unsigned index = 0; index != (by_dimension_ ? 3 : 1); ++index) {
    counters_.push_back(builder.CreateAlloca(builder.getInt64Ty(), nullptr, "local.id"));
    builder.CreateStore(builder.getInt64(0), counters_.back());
  }
}

void WorkItemLoopNest::close(llvm::BasicBlock *latch, llvm::BasicBlock *body, llvm::BasicBlock *end,
                             unsigned counter, llvm::MDNode *access_group) {
  llvm::IRBuilder<> builder(latch);
  llvm::LLVMContext &context = latch->getContext();
  uint64_t step = by_dimension_ && counter == 0 ? sub_group_size_ : 1;
  llvm::Value *limit = by_dimension_ ? size_[counter] : number_of_sub_groups_;
  llvm::Value *next =
      builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), counters_[counter]),
                        builder.getInt64(step), "next.id", /*HasNUW=*/true, /*HasNSW=*/true);
  builder.CreateStore(next, counters_[counter]);
  llvm::BranchInst *branch = builder.CreateCondBr(builder.CreateICmpULT(next, limit), body, end);
  // Unrolled completely, a small body would be out of reach for LLVM's loop vectoriser, which runs
  // later.
  llvm::SmallVector<llvm::Metadata *, 3> facts = {
      nullptr,
      llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"))};
  if (access_group)
    facts.push_back(llvm::MDNode::get(
        context, {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), access_group}));
  auto *loop = llvm::MDNode::getDistinct(context, facts);
  loop->replaceOperandWith(0, loop);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

WorkItemLoopNest::Loop WorkItemLoopNest::emit(llvm::BasicBlock *preheader,
                                              const llvm::Twine &name) {
  llvm::Function *function = preheader->getParent();
  llvm::LLVMContext &context = function->getContext();
  auto block = [&](const char *suffix) {
    return llvm::BasicBlock::Create(context, name + suffix, function);
  };

  Loop loop{block(".body"), block(".latch"), nullptr, llvm::MDNode::getDistinct(context, {})};
  llvm::BasicBlock *body = loop.body, *latch = loop.latch;
  bool innermost = true;
  for (unsigned counter = 0; counter != counters_.size(); ++counter) {
    uint64_t step = by_dimension_ && counter == 0 ? sub_group_size_ : 1;
    if (by_dimension_ && known_size_[counter] == step) // one iteration
      continue;
    llvm::BasicBlock *before = block(".first"), *after = block(".done");
    llvm::IRBuilder<> builder(before);
    builder.CreateStore(builder.getInt64(0), counters_[counter]);
    builder.CreateBr(body);
    close(latch, body, after, counter, innermost ? loop.access_group : nullptr);
    innermost = false;
    body = before;
    latch = after;
  }
  loop.end = latch;
  if (innermost) { // no loop at all: the body falls through
    loop.end = block(".end");
    llvm::BranchInst::Create(loop.end, loop.latch);
  }
  llvm::IRBuilder<> builder(preheader);
  for (llvm::AllocaInst *counter : counters_)
    builder.CreateStore(builder.getInt64(0), counter);
  builder.CreateBr(body);
  return loop;
}

llvm::Value *WorkItemLoopNest::sub_group_index(llvm::IRBuilderBase &builder) const {
  auto load = [&](unsigned counter) {
    return builder.CreateLoad(builder.getInt64Ty(), counters_[counter]);
  };
  if (!by_dimension_)
    return load(0);
  llvm::Value *row = builder.CreateAdd(builder.CreateMul(load(2), size_[1], "", true, true),
                                       load(1), "", true, true);
  llvm::Value *item =
      builder.CreateAdd(builder.CreateMul(row, size_[0], "", true, true), load(0), "", true, true);
  return sub_group_size_ == 1
             ? item
             : builder.CreateUDiv(item, builder.getInt64(sub_group_size_), "", /*isExact=*/true);
}

llvm::Value *WorkItemLoopNest::local_id(llvm::IRBuilderBase &builder, unsigned dimension) const {
  if (by_dimension_) {
    if (known_size_[dimension] == 1)
      return builder.getInt64(0);
    return builder.CreateLoad(builder.getInt64Ty(), counters_[dimension]);
  }
  llvm::Value *item =
      builder.CreateNUWMul(sub_group_index(builder), builder.getInt64(sub_group_size_));
  if (dimension == 0)
    return builder.CreateURem(item, size_[0]);
  llvm::Value *row = builder.CreateUDiv(item, size_[0]);
  return dimension == 1 ? builder.CreateURem(row, size_[1]) : builder.CreateUDiv(row, size_[1]);
}

} // namespace lockstep::compiler
