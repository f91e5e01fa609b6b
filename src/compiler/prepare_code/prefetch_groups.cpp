// Prefetches what a later work-group will load, where the processor does not look that far ahead.
//
//     temp[me] = from[...]; barrier; ... many steps in local memory ...; to[...] = temp[me];
//
// If a group is longer than the processor's out-of-order window, the next group's loads are not in
// sight. Between groups that may wait, the runtime checks whether they do, so the window holds three
// of them instead of five.
//
// Requires: the function of a work-group, or the start function of one that may wait, after all
// optimization.
// Ensures: `llvm.prefetch` follows the group's own loads, once for each line. Lines behind the last
// group are fetched too, maybe outside of all buffers: a prefetch does not fault.
//
// A group with loops must execute much code that loads nothing, such as the steps of a scan in local
// memory. prefetch-strides and the processor handle other loops. No load of the next group begins
// before an atomic update of this one, so groups with updates need not be long. An address may also
// change by what is computed of the id, such as `reversed ? last - id : id`.
//
// Position: last, with prefetch-strides, when the code is final.
#include "compiler/prepare_code/passes.h"

#include "abi/address_spaces.h"
#include "abi/launch_abi.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <set>
#include <vector>

namespace lockstep::compiler {

namespace {

constexpr int64_t line = cache_line_bytes;
constexpr size_t fewest_lines = limits::linear_lines / 2, most_lines = limits::search_steps;
// Groups to prefetch ahead: they cover twice the latency of memory. Each has several lines.
constexpr unsigned short_ahead = limits::prefetches_ahead / 2, long_ahead = short_ahead / 2;
constexpr unsigned many_instructions = limits::instructions_in_flight;

// Loads whose addresses differ by constants.
struct Lines {
  IndexExpression address;
  llvm::Value *pointer;      // the first load's
  IndexExpression growth;    // of the address, from a group to the next one
  std::set<int64_t> numbers; // in lines behind the address without its constant
};

bool updates_memory(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](llvm::Instruction &each) {
    return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(each);
  });
}

class GroupPrefetcher {
public:
  GroupPrefetcher(llvm::Function &function, llvm::FunctionAnalysisManager &analyses, bool loops,
                  bool every_group_loops)
      : function_(function), entry_(function.getEntryBlock()), analyses_(analyses),
        expressions_(analyses.getResult<IndexExpressionsAnalysis>(function)),
        dimension_(first_dimension(function)), may_wait_(function.getName() == start_symbol),
        loops_(loops), every_group_loops_(every_group_loops),
        updates_memory_(updates_memory(function)) {}

  bool run();
  void delete_steps();

private:
  // A load outside of the first block, or a copy to local memory.
  struct LoadElsewhere {
    llvm::Instruction *load;
    llvm::Value *pointer;
    IndexExpression growth;
    int64_t bytes;
  };

  bool is_candidate(const llvm::LoadInst &load) const;
  int64_t bytes_of(const llvm::LoadInst &load) const;
  void find_lines();
  size_t find_lines_elsewhere();
  unsigned most_executions(const llvm::BasicBlock &block) const;
  size_t instructions_behind() const;
  size_t instructions_without_loads() const;
  Lines *lines_of(llvm::Value &pointer);
  bool is_group_id(const llvm::Value &value) const;
  bool depends_on_group(const llvm::Value &value, unsigned depth = 0) const;
  llvm::Value *in_next_group(llvm::Value &value, llvm::IRBuilderBase &builder, unsigned depth = 0);
  std::optional<IndexExpression> step_of(const llvm::Value &value);
  std::optional<IndexExpression> growth(const IndexExpression &sum, unsigned depth = 0);
  llvm::Value *distance(llvm::IRBuilderBase &builder, const IndexExpression &growth, unsigned ahead,
                        int64_t constant);
  void fetch(llvm::IRBuilderBase &builder, const Lines &lines, unsigned ahead);
  void fetch(const LoadElsewhere &load, unsigned ahead);
  void prefetch(llvm::IRBuilderBase &builder, llvm::Value *pointer, llvm::Value *distance) const;

  llvm::Function &function_;
  llvm::BasicBlock &entry_;
  llvm::FunctionAnalysisManager &analyses_;
  IndexExpressions &expressions_;
  const uint32_t dimension_; // in which groups are consecutive
  const bool may_wait_, loops_, every_group_loops_, updates_memory_;
  llvm::MapVector<const llvm::Value *, llvm::WeakTrackingVH> steps_; // of step_of(); null: none
  std::vector<Lines> lines_;
  llvm::LoadInst *last_ = nullptr; // of lines_
  std::vector<LoadElsewhere> elsewhere_;
};

// The number of groups that one call runs in `dimension`; nullopt if a call runs a part of a group.
std::optional<uint32_t> groups_per_call(const llvm::Function &function, uint32_t dimension) {
  for (const uint32_t calls : calls_per_group(function))
    if (calls != 1)
      return std::nullopt;
  for (const CoalescedGroups &coalesced : coalesced_groups(function))
    if (coalesced.dimension == dimension)
      return coalesced.count;
  return 1;
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
  if (!instruction || depth == limits::search_depth)
    return false;
  return is_group_id(value) || llvm::any_of(instruction->operands(), [&](const llvm::Use &use) {
           return depends_on_group(*use, depth + 1);
         });
}

// The value in the next group, emitted behind this one; null if it is not only computed of the id.
llvm::Value *GroupPrefetcher::in_next_group(llvm::Value &value, llvm::IRBuilderBase &builder,
                                            unsigned depth) {
  if (!depends_on_group(value))
    return &value;
  if (is_group_id(value))
    return builder.CreateAdd(&value, llvm::ConstantInt::get(value.getType(), 1));
  auto &instruction = llvm::cast<llvm::Instruction>(value);
  if (depth == limits::search_depth || instruction.getType()->isVectorTy() ||
      !(llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(
            instruction) &&
        !instruction.isIntDivRem()))
    return nullptr;
  llvm::SmallVector<llvm::Value *, 3> operands;
  for (llvm::Value *operand : instruction.operands())
    operands.push_back(in_next_group(*operand, builder, depth + 1));
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  llvm::Instruction *copy = builder.Insert(instruction.clone());
  for (auto [i, operand] : llvm::enumerate(operands))
    copy->setOperand(unsigned(i), operand);
  copy->dropPoisonGeneratingFlags();
  return copy;
}

// How much the value is greater in the next group, as a symbol: the same expression is evaluated
// for that group. The step after next may differ, which only makes the prefetch useless.
std::optional<IndexExpression> GroupPrefetcher::step_of(const llvm::Value &value) {
  auto *instruction = const_cast<llvm::Instruction *>(llvm::dyn_cast<llvm::Instruction>(&value));
  if (!(may_wait_ || updates_memory_ || loops_) || !instruction ||
      llvm::isa<llvm::PHINode>(instruction) || !instruction->getType()->isIntegerTy() ||
      instruction->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  auto [known, is_new] = steps_.try_emplace(instruction);
  if (is_new) {
    llvm::IRBuilder<> builder(instruction->getNextNode());
    if (llvm::Value *next = in_next_group(*instruction, builder))
      known->second =
          builder.CreateSExt(builder.CreateSub(next, instruction), builder.getInt64Ty());
  }
  llvm::Value *step = known->second;
  if (!step)
    return std::nullopt;
  IndexExpression sum;
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step))
    sum.constant = constant->getSExtValue();
  else
    sum.terms.push_back({{step, Extension::none, IndexSymbol::whole,
                          ~0U - unsigned(known - steps_.begin())}, // behind all that are known
                         1});
  return sum;
}

// How much the sum is greater in the next group; nullopt if that is not the same for all groups.
std::optional<IndexExpression> GroupPrefetcher::growth(const IndexExpression &sum, unsigned depth) {
  IndexExpression result;
  for (const IndexExpression::Term &term : sum.terms) {
    const llvm::Value *value = term.symbol.value;
    if (value && is_group_id(*value)) {
      result.constant += term.coefficient;
      continue;
    }
    if (!value || !depends_on_group(*value))
      continue;
    auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!product || product->getOpcode() != llvm::Instruction::Mul ||
        depth == limits::search_depth) {
      const auto step = step_of(*value);
      if (!step)
        return std::nullopt;
      result = add(result, *step, term.coefficient);
      continue;
    }
    const bool second = depends_on_group(*product->getOperand(1));
    const llvm::Value &factor = *product->getOperand(!second);
    const auto grown =
        growth(expressions_.of(*product->getOperand(second), Depth::address), depth + 1);
    if (!grown || !grown->terms.empty() || depends_on_group(factor))
      return std::nullopt;
    result =
        add(result, expressions_.of(factor, Depth::address), grown->constant * term.coefficient);
  }
  return result;
}

Lines *GroupPrefetcher::lines_of(llvm::Value &pointer) {
  const IndexExpression &address = expressions_.of(pointer, Depth::address);
  for (Lines &known : lines_)
    if (known.address.differs_by_constant(address))
      return &known;
  const auto grown = growth(address);
  if (!grown || (grown->terms.empty() && grown->constant == 0))
    return nullptr;
  return &lines_.emplace_back(Lines{address, &pointer, *grown, {}});
}

bool GroupPrefetcher::is_candidate(const llvm::LoadInst &load) const {
  return load.isSimple() && load.getPointerAddressSpace() == global_space &&
         load.getType()->isVectorTy();
}

int64_t GroupPrefetcher::bytes_of(const llvm::LoadInst &load) const {
  return int64_t(function_.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue());
}

void GroupPrefetcher::find_lines() {
  for (llvm::Instruction &instruction : entry_) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !is_candidate(*load))
      continue;
    Lines *lines = lines_of(*load->getPointerOperand());
    if (!lines)
      continue;
    const int64_t first = expressions_.of(*load->getPointerOperand(), Depth::address).constant;
    const int64_t end = first + bytes_of(*load);
    for (int64_t at = first; at < end; at += line)
      lines->numbers.insert(llvm::divideFloorSigned(at, line));
    last_ = load;
  }
}

// How often a call of the function executes the block at most; 0: not known, or not worth it.
unsigned GroupPrefetcher::most_executions(const llvm::BasicBlock &block) const {
  auto &evolution = analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function_);
  const auto &loops = analyses_.getResult<llvm::LoopAnalysis>(function_);
  unsigned times = 1;
  for (const llvm::Loop *loop = loops.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
    const unsigned iterations = evolution.getSmallConstantMaxTripCount(loop);
    if (iterations > limits::memory_latency)
      return 0;
    times = std::min(times * iterations, limits::memory_latency);
  }
  return times;
}

// Returns their number.
size_t GroupPrefetcher::find_lines_elsewhere() {
  size_t lines = 0;
  for (llvm::BasicBlock &block : function_) {
    const unsigned times = most_executions(block);
    if (times == 0 || times > most_lines)
      continue;
    for (llvm::Instruction &instruction : block) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      auto *copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
      llvm::Value *pointer = nullptr;
      int64_t bytes = 0;
      if (load && is_candidate(*load) && &block != &entry_) {
        pointer = load->getPointerOperand();
        bytes = bytes_of(*load);
      } else if (copy && loops_ && copy->getSourceAddressSpace() == global_space &&
                 llvm::isa<llvm::ConstantInt>(copy->getLength())) {
        pointer = copy->getSource();
        bytes =
            int64_t(llvm::cast<llvm::ConstantInt>(copy->getLength())->getLimitedValue(INT32_MAX));
      }
      if (!pointer)
        continue;
      const auto grown = growth(expressions_.of(*pointer, Depth::address));
      if (!grown || (grown->terms.empty() && grown->constant == 0))
        continue;
      elsewhere_.push_back({&instruction, pointer, *grown, bytes});
      lines += times * llvm::divideCeil(uint64_t(bytes), uint64_t(line));
    }
  }
  return lines;
}

// From a load of this group to the same load of a later one, plus a constant.
llvm::Value *GroupPrefetcher::distance(llvm::IRBuilderBase &builder, const IndexExpression &growth,
                                       unsigned ahead, int64_t constant) {
  IndexExpression sum = add({}, growth, int64_t{ahead} * *groups_per_call(function_, dimension_));
  sum.constant += constant;
  return emit_sum(builder, sum, 1, [](const IndexSymbol &symbol) {
    return const_cast<llvm::Value *>(symbol.value);
  });
}

void GroupPrefetcher::prefetch(llvm::IRBuilderBase &builder, llvm::Value *pointer,
                               llvm::Value *distance) const {
  llvm::Value *at = builder.CreatePtrAdd(pointer, distance);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                          {at, builder.getInt32(/*read*/ 0), builder.getInt32(/*nearest cache*/ 3),
                           builder.getInt32(/*data*/ 1)});
}

void GroupPrefetcher::fetch(llvm::IRBuilderBase &builder, const Lines &lines, unsigned ahead) {
  llvm::Value *grown = distance(builder, lines.growth, ahead, -lines.address.constant);
  for (const int64_t number : lines.numbers)
    prefetch(builder, lines.pointer,
             builder.CreateAdd(grown, builder.getInt64(uint64_t(number * line))));
}

void GroupPrefetcher::fetch(const LoadElsewhere &load, unsigned ahead) {
  llvm::IRBuilder<> builder(load.load->getNextNode());
  for (int64_t at = 0; at < load.bytes; at += line)
    prefetch(builder, load.pointer, distance(builder, load.growth, ahead, at));
}

size_t GroupPrefetcher::instructions_behind() const {
  size_t behind = 0;
  for (const llvm::BasicBlock &block : function_)
    for (const llvm::Instruction &instruction : block)
      behind += !instruction.isDebugOrPseudoInst() &&
                (&block != &entry_ || !last_ || last_->comesBefore(&instruction));
  return behind;
}

// Instructions that a call executes outside of loops that load from global memory.
size_t GroupPrefetcher::instructions_without_loads() const {
  const auto &loops = analyses_.getResult<llvm::LoopAnalysis>(function_);
  auto loads = [](const llvm::Instruction &each) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&each);
    return (load && load->getPointerAddressSpace() == global_space) ||
           llvm::isa<llvm::MemCpyInst>(each);
  };
  llvm::SmallPtrSet<const llvm::Loop *, 8> of_loads;
  for (const llvm::BasicBlock &block : function_)
    if (llvm::any_of(block, loads))
      of_loads.insert(loops.getLoopFor(&block));
  size_t instructions = 0;
  for (const llvm::BasicBlock &block : function_)
    if (const llvm::Loop *loop = loops.getLoopFor(&block); !loop || !of_loads.contains(loop))
      instructions += size_t{most_executions(block)} * block.sizeWithoutDebug();
  return instructions;
}

// Leaves the function as it was.
void GroupPrefetcher::delete_steps() {
  for (auto &[value, step] : steps_)
    if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(step))
      llvm::RecursivelyDeleteTriviallyDeadInstructions(instruction);
}

bool GroupPrefetcher::run() {
  find_lines();
  size_t lines = 0;
  for (const Lines &each : lines_)
    lines += each.numbers.size();
  const size_t behind = instructions_behind();
  const bool is_straight =
      !every_group_loops_ && lines >= fewest_lines && behind >= many_instructions;
  const bool in_phases = loops_ && !is_straight && !updates_memory_;
  if (may_wait_ || in_phases)
    lines += find_lines_elsewhere();
  // Between two groups that may wait, the runtime executes about as much code as a short group.
  const bool is_long =
      in_phases ? instructions_without_loads() >=
                      std::max<size_t>(many_instructions, lines * limits::recomputed_code)
                : may_wait_ || (!every_group_loops_ && (is_straight || updates_memory_));
  if (lines < fewest_lines || lines > most_lines || !is_long) {
    delete_steps();
    return false;
  }
  const unsigned ahead = behind < many_instructions && !in_phases ? short_ahead : long_ahead;
  if (last_) {
    llvm::IRBuilder<> builder(last_->getNextNode());
    for (const Lines &each : lines_)
      fetch(builder, each, ahead);
  }
  for (const LoadElsewhere &each : elsewhere_)
    fetch(each, ahead);
  remark(last_ ? *last_ : *elsewhere_.front().load, "memory",
         llvm::Twine("each work-group fetches ") + llvm::Twine(lines) + " lines that the one " +
             llvm::Twine(ahead) + " places behind it will load");
  return true;
}

// Whether a call of the function certainly executes a loop.
bool every_group_loops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty())
    return false;
  const auto &exits = analyses.getResult<llvm::PostDominatorTreeAnalysis>(function);
  return llvm::any_of(loops, [&](const llvm::Loop *loop) {
    return exits.dominates(loop->getHeader(), &function.getEntryBlock());
  });
}

} // namespace

llvm::PreservedAnalyses PrefetchGroupsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  if ((function.getName() != workgroup_symbol && function.getName() != start_symbol) ||
      !groups_per_call(function, first_dimension(function)))
    return llvm::PreservedAnalyses::all();
  const bool is_group = function.getName() == workgroup_symbol;
  const bool loops = is_group && !analyses.getResult<llvm::LoopAnalysis>(function).empty();
  if (!GroupPrefetcher(function, analyses, loops, loops && every_group_loops(function, analyses))
           .run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
