// Splits structures and arrays that are SSA values, so that each field becomes a vector over the
// lanes.
//
// Input:  the kernel of one work-item. The front end moves structures through memory; LLVM, and
//         front ends of other languages, may turn them into values.
// Output: no load, store, phi, select, freeze or insertvalue of an aggregate. Where an instruction
//         takes an aggregate, it is assembled just before. An instruction that returns one (a sum
//         with overflow flag, a compare-exchange, inline assembly) remains, and its fields are
//         extracted just behind it.
//
// Runs before split-vectors, as a field may be a vector.
#include "compiler/lanes/split/passes.h"

#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

using Indices = llvm::SmallVector<unsigned, 4>;

// A field that is not an aggregate, and its index path.
struct Leaf {
  llvm::Type *type;
  Indices indices;
  uint64_t offset; // in bytes, from the start of the aggregate in memory
};
using Leaves = llvm::SmallVector<Leaf>;
using Fields = llvm::SmallVector<llvm::Value *>; // one for each leaf

class Splitter {
public:
  explicit Splitter(llvm::Function &function)
      : function_(function), layout_(function.getDataLayout()) {}

  bool run() {
    llvm::SmallVector<llvm::Instruction *> work; // definitions before their uses, except for phis
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &instruction : *block)
        if (instruction.getType()->isAggregateType() ||
            llvm::any_of(instruction.operands(),
                         [](llvm::Use &use) { return use->getType()->isAggregateType(); }))
          work.push_back(&instruction);
    for (llvm::Instruction *instruction : work)
      visit(*instruction);
    for (auto &[phi, fields] : phis_)
      complete(*phi, fields);
    // The remaining uses are those of dead phis by each other.
    for (llvm::Instruction *instruction : dead_)
      if (!instruction->use_empty())
        instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
    for (llvm::Instruction *instruction : dead_)
      instruction->eraseFromParent();
    return !work.empty();
  }

private:
  const Leaves &leaves_of(llvm::Type *type) {
    auto [known, is_new] = leaves_.try_emplace(type);
    if (is_new) {
      Leaves leaves;
      Indices indices;
      collect(type, indices, 0, leaves);
      leaves_[type] = std::move(leaves);
    }
    return leaves_[type];
  }

  void collect(llvm::Type *type, Indices &indices, uint64_t offset, Leaves &leaves) {
    auto *structure = llvm::dyn_cast<llvm::StructType>(type);
    auto *array = llvm::dyn_cast<llvm::ArrayType>(type);
    if (!structure && !array) {
      leaves.push_back({type, indices, offset});
      return;
    }
    unsigned count =
        structure ? structure->getNumElements() : static_cast<unsigned>(array->getNumElements());
    for (unsigned index = 0; index != count; ++index) {
      llvm::Type *field = structure ? structure->getElementType(index) : array->getElementType();
      uint64_t distance =
          structure ? layout_.getStructLayout(structure)->getElementOffset(index).getFixedValue()
                    : index * layout_.getTypeAllocSize(field).getFixedValue();
      indices.push_back(index);
      collect(field, indices, offset + distance, leaves);
      indices.pop_back();
    }
  }

  // Returns the leaves under `indices` of an aggregate, which are contiguous: the first and their
  // number.
  std::pair<unsigned, unsigned> range(llvm::Type *type, llvm::ArrayRef<unsigned> indices) {
    const Leaves &leaves = leaves_of(type);
    unsigned first = 0, count = 0;
    for (unsigned index = 0; index != leaves.size(); ++index)
      if (llvm::ArrayRef<unsigned>(leaves[index].indices).take_front(indices.size()) == indices) {
        first = count++ == 0 ? index : first;
      }
    return {first, count};
  }

  Fields fields_of(llvm::Value *aggregate) {
    if (auto known = fields_.find(aggregate); known != fields_.end())
      return known->second;
    Fields fields;
    if (auto *constant = llvm::dyn_cast<llvm::Constant>(aggregate)) {
      for (const Leaf &leaf : leaves_of(aggregate->getType())) {
        llvm::Constant *field = constant;
        for (unsigned index : leaf.indices)
          field = field->getAggregateElement(index);
        fields.push_back(field);
      }
      return fields;
    }
    // Extract the fields of an argument, a call or the like behind its definition.
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(aggregate);
    llvm::IRBuilder<> builder(instruction
                                  ? instruction->getNextNode()
                                  : &*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    for (const Leaf &leaf : leaves_of(aggregate->getType()))
      fields.push_back(builder.CreateExtractValue(aggregate, leaf.indices));
    return fields_[aggregate] = fields;
  }

  void visit(llvm::Instruction &instruction) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return split_load(*load);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return split_store(*store);
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
      return split_phi(*phi);
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return split_select(*select);
    if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction))
      return split_insert(*insert);
    if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
      return split_extract(*extract);
    if (llvm::isa<llvm::FreezeInst>(instruction)) {
      llvm::IRBuilder<> builder(&instruction);
      Fields fields;
      for (llvm::Value *field : fields_of(instruction.getOperand(0)))
        fields.push_back(builder.CreateFreeze(field));
      return replace(instruction, std::move(fields));
    }
    for (llvm::Use &use : instruction.operands())
      if (use->getType()->isAggregateType() && !llvm::isa<llvm::Constant>(use))
        use.set(put_together(instruction, *use));
  }

  void replace(llvm::Instruction &instruction, Fields fields) {
    fields_[&instruction] = std::move(fields);
    dead_.push_back(&instruction);
  }

  llvm::Value *put_together(llvm::Instruction &place, llvm::Value &aggregate) {
    llvm::IRBuilder<> builder(&place);
    llvm::Value *whole = llvm::PoisonValue::get(aggregate.getType());
    for (auto [leaf, field] : llvm::zip(leaves_of(aggregate.getType()), fields_of(&aggregate)))
      whole = builder.CreateInsertValue(whole, field, leaf.indices);
    return whole;
  }

  static llvm::Value *address(llvm::IRBuilderBase &builder, llvm::Value *pointer, uint64_t offset) {
    return offset == 0 ? pointer : builder.CreateInBoundsPtrAdd(pointer, builder.getInt64(offset));
  }

  void split_load(llvm::LoadInst &load) {
    llvm::IRBuilder<> builder(&load);
    llvm::AAMDNodes facts = memory_facts(load);
    Fields fields;
    for (const Leaf &leaf : leaves_of(load.getType())) {
      llvm::LoadInst *field = builder.CreateAlignedLoad(
          leaf.type, address(builder, load.getPointerOperand(), leaf.offset),
          llvm::commonAlignment(load.getAlign(), leaf.offset), load.isVolatile());
      field->setAAMetadata(facts);
      fields.push_back(field);
    }
    replace(load, std::move(fields));
  }

  void split_store(llvm::StoreInst &store) {
    llvm::IRBuilder<> builder(&store);
    llvm::Value *value = store.getValueOperand();
    llvm::AAMDNodes facts = memory_facts(store);
    for (auto [leaf, field] : llvm::zip(leaves_of(value->getType()), fields_of(value)))
      builder
          .CreateAlignedStore(field, address(builder, store.getPointerOperand(), leaf.offset),
                              llvm::commonAlignment(store.getAlign(), leaf.offset),
                              store.isVolatile())
          ->setAAMetadata(facts);
    dead_.push_back(&store);
  }

  static llvm::AAMDNodes memory_facts(const llvm::Instruction &access) {
    llvm::AAMDNodes facts = access.getAAMetadata();
    facts.TBAA = facts.TBAAStruct = nullptr; // describe the whole
    return facts;
  }

  void split_phi(llvm::PHINode &phi) {
    llvm::IRBuilder<> builder(&phi);
    Fields fields;
    for (const Leaf &leaf : leaves_of(phi.getType()))
      fields.push_back(builder.CreatePHI(leaf.type, phi.getNumIncomingValues()));
    phis_.emplace_back(&phi, fields);
    replace(phi, std::move(fields));
  }

  void complete(llvm::PHINode &phi, const Fields &fields) {
    for (unsigned edge = 0; edge != phi.getNumIncomingValues(); ++edge)
      for (auto [field, value] : llvm::zip(fields, fields_of(phi.getIncomingValue(edge))))
        llvm::cast<llvm::PHINode>(field)->addIncoming(value, phi.getIncomingBlock(edge));
  }

  void split_select(llvm::SelectInst &select) {
    llvm::IRBuilder<> builder(&select);
    Fields fields;
    for (auto [taken, other] :
         llvm::zip(fields_of(select.getTrueValue()), fields_of(select.getFalseValue())))
      fields.push_back(builder.CreateSelect(select.getCondition(), taken, other));
    replace(select, std::move(fields));
  }

  void split_insert(llvm::InsertValueInst &insert) {
    Fields fields = fields_of(insert.getAggregateOperand());
    llvm::Value *value = insert.getInsertedValueOperand();
    auto [first, count] = range(insert.getType(), insert.getIndices());
    Fields inserted = value->getType()->isAggregateType() ? fields_of(value) : Fields{value};
    std::copy(inserted.begin(), inserted.end(), fields.begin() + first);
    replace(insert, std::move(fields));
  }

  void split_extract(llvm::ExtractValueInst &extract) {
    llvm::Value *aggregate = extract.getAggregateOperand();
    auto [first, count] = range(aggregate->getType(), extract.getIndices());
    if (extract.getType()->isAggregateType()) {
      Fields fields = fields_of(aggregate);
      return replace(extract, Fields(fields.begin() + first, fields.begin() + first + count));
    }
    // An extract from an unsplit aggregate remains.
    auto known = fields_.find(aggregate);
    if (known == fields_.end() && !llvm::isa<llvm::Constant>(aggregate))
      return;
    extract.replaceAllUsesWith(fields_of(aggregate)[first]);
    dead_.push_back(&extract);
  }

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<llvm::Type *, Leaves> leaves_;
  llvm::DenseMap<llvm::Value *, Fields> fields_;
  llvm::SmallVector<std::pair<llvm::PHINode *, Fields>> phis_;
  llvm::SmallVector<llvm::Instruction *> dead_;
};

} // namespace

llvm::PreservedAnalyses SplitAggregatesPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &) {
  if (sub_group_size(function) == 1 || !Splitter(function).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
