// Prefetches what a later work-group will load, where the processor does not look that far ahead.
//
//     temp[me] = from[...]; barrier; ... many steps in local memory ...; to[...] = temp[me];
//
// Groups run one after the other. If a group is longer than the processor's out-of-order window,
// the next group's loads are not in sight. Between groups that may wait, the runtime checks whether
// they do, so the window holds three of them instead of five. Straight code does not help the
// processor's prefetchers either: a separate instruction loads each line, and whether the
// prefetchers follow depends on the addresses of the machine code. A scan of 512 numbers per group
// took 210 or 345 ns, from one build of the same program to the next. With prefetches it takes 220
// ns.
//
// Requires: the function of a work-group, or the start function of one that may wait, after all
// optimization.
// Ensures: `llvm.prefetch` follows the group's own loads, once for each line. Only straight code
// changes: prefetch-strides and the processor handle loops. Lines behind the last group are fetched
// too, maybe outside of all buffers: a prefetch does not fault.
//
// Position: last, with prefetch-strides, when the code is final.
#include "compiler/prepare_code/passes.h"

#include "abi/address_spaces.h"

#include "abi/launch_abi.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <set>

namespace lockstep::compiler {

namespace {

constexpr int64_t line = 64; // bytes of a cache line
constexpr size_t fewest_lines = 8, most_lines = 64;
// Groups to prefetch ahead: they cover twice the latency of memory.
constexpr unsigned long_ahead = 2, short_ahead = 4;
// Instructions of IR: more than the processor has in flight.
constexpr unsigned many_instructions = 256;
constexpr unsigned deepest = 8; // instructions between the group's id and an address

class GroupPrefetcher {
public:
  explicit GroupPrefetcher(llvm::Function &function)
      : function_(function), entry_(function.getEntryBlock()),
        dimension_(first_dimension(function)) {}

  bool run();

private:
  void find_lines();
  bool is_group_id(const llvm::Value &value) const;
  bool depends_on_group(const llvm::Value &value, unsigned depth = 0) const;
  bool can_repeat(const llvm::Value &value, unsigned depth = 0) const;
  llvm::Value *for_later_group(llvm::IRBuilderBase &builder, llvm::Value &value);

  llvm::Function &function_;
  llvm::BasicBlock &entry_;
  const uint32_t dimension_;                                // in which groups are consecutive
  llvm::MapVector<llvm::Value *, std::set<int64_t>> lines_; // by their base address
  llvm::DenseMap<llvm::Value *, llvm::Value *> later_;
  llvm::LoadInst *last_ = nullptr;
  unsigned ahead_ = 0; // in groups
};

// The number of groups that one call runs in `dimension`; nullopt if a call runs a part of a group.
std::optional<uint32_t> groups_per_call(const llvm::Function &function, uint32_t dimension) {
  for (const uint32_t calls : calls_per_group(function))
    if (calls != 1)
      return std::nullopt;
  const CoalescedGroups coalesced = coalesced_groups(function);
  return coalesced.dimension == dimension ? coalesced.count : 1;
}

bool GroupPrefetcher::is_group_id(const llvm::Value &value) const {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->getType()->isIntegerTy(64))
    return false;
  const llvm::DataLayout &layout = function_.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const llvm::Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  return from == function_.getArg(1) &&
         offset == offsetof(GroupInfo, group_id) + sizeof(uint64_t) * dimension_;
}

bool GroupPrefetcher::depends_on_group(const llvm::Value &value, unsigned depth) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || depth == deepest)
    return false;
  return is_group_id(value) || llvm::any_of(instruction->operands(), [&](const llvm::Use &use) {
           return depends_on_group(*use, depth + 1);
         });
}

// Whether the value can be computed for another group without side effects.
bool GroupPrefetcher::can_repeat(const llvm::Value &value, unsigned depth) const {
  if (!depends_on_group(value, depth) || is_group_id(value))
    return true;
  auto *instruction = llvm::cast<llvm::Instruction>(&value);
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction);
  return ((operation && !operation->isIntDivRem()) ||
          llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(instruction)) &&
         llvm::all_of(instruction->operands(),
                      [&](const llvm::Use &use) { return can_repeat(*use, depth + 1); });
}

llvm::Value *GroupPrefetcher::for_later_group(llvm::IRBuilderBase &builder, llvm::Value &value) {
  if (!depends_on_group(value))
    return &value;
  if (llvm::Value *known = later_.lookup(&value))
    return known;
  llvm::Value *later = nullptr;
  if (is_group_id(value)) {
    later = builder.CreateAdd(
        &value, builder.getInt64(uint64_t{ahead_} * *groups_per_call(function_, dimension_)),
        "group.ahead");
  } else {
    llvm::Instruction *copy = llvm::cast<llvm::Instruction>(value).clone();
    for (llvm::Use &use : copy->operands())
      use.set(for_later_group(builder, *use));
    copy->dropPoisonGeneratingFlags(); // such a group need not exist
    later = builder.Insert(copy);
  }
  return later_[&value] = later;
}

void GroupPrefetcher::find_lines() {
  const llvm::DataLayout &layout = function_.getDataLayout();
  for (llvm::Instruction &instruction : entry_) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->isSimple() || load->getPointerAddressSpace() != global_space ||
        !load->getType()->isVectorTy() || !depends_on_group(*load->getPointerOperand()) ||
        !can_repeat(*load->getPointerOperand()))
      continue;
    llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    llvm::Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    const int64_t first = offset.getSExtValue(),
                  end = first + int64_t(layout.getTypeStoreSize(load->getType()).getFixedValue());
    for (int64_t at = first; at < end; at += line)
      lines_[from].insert(llvm::divideFloorSigned(at, line));
    last_ = load;
  }
}

bool GroupPrefetcher::run() {
  find_lines();
  size_t lines = 0, behind = 0;
  for (const auto &[from, numbers] : lines_)
    lines += numbers.size();
  if (lines < fewest_lines || lines > most_lines)
    return false;
  for (const llvm::BasicBlock &block : function_)
    for (const llvm::Instruction &instruction : block)
      behind += !instruction.isDebugOrPseudoInst() &&
                (&block != &entry_ || last_->comesBefore(&instruction));
  // Between two groups that may wait, the runtime executes about as much code as a short group.
  if (behind < many_instructions && function_.getName() != start_symbol)
    return false;
  ahead_ = behind < many_instructions ? short_ahead : long_ahead;
  llvm::IRBuilder<> builder(last_->getNextNode());
  for (const auto &[from, numbers] : lines_) {
    llvm::Value *address = for_later_group(builder, *from);
    for (const int64_t number : numbers) {
      llvm::Value *at = builder.CreatePtrAdd(address, builder.getInt64(uint64_t(number * line)));
      builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                              {at, builder.getInt32(/*read*/ 0),
                               builder.getInt32(/*nearest cache*/ 3),
                               builder.getInt32(/*data*/ 1)});
    }
  }
  remark(*last_, "memory",
         llvm::Twine("each work-group fetches ") + llvm::Twine(lines) + " lines that the one " +
             llvm::Twine(ahead_) + " places behind it will load");
  return true;
}

} // namespace

llvm::PreservedAnalyses PrefetchGroupsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  if ((function.getName() != workgroup_symbol && function.getName() != start_symbol) ||
      !groups_per_call(function, first_dimension(function)) ||
      (function.getName() == workgroup_symbol &&
       !analyses.getResult<llvm::LoopAnalysis>(function).empty()) ||
      !GroupPrefetcher(function).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
