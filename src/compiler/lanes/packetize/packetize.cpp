// Rewrites each instruction so that one execution of the function does the work of a whole
// sub-group.
//
// Input:  the kernel as linearize leaves it: no divergent branches, masks by `__lockstep_mask`,
//         memory operations only in blocks that run with an active lane.
// Output: the function of one sub-group, without `__lockstep_lane`, `__lockstep_mask` and
//         `__lockstep_any_lane`.
//
// The shape of a value (analysis/lane_shapes.h) decides. A uniform instruction is unchanged. One
// with constant distances between lanes stays scalar and computes lane 0's value. A varying one
// gets a widened value. Where it needs a vector of another shape, that vector is built from the
// scalar.
//
// Memory accesses take the cheapest form that fits (packetize_memory.cpp): scalar, vector, wide
// with shuffles, gather or scatter. Operations without a vector form run lane by lane under the
// mask (lane_loop.h) and are reported in a remark.
//
// The last pass of the lanes stage.
#include "compiler/lanes/packetize/passes.h"

#include "compiler/lanes/packetize/divide_by_floats.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

void Packetizer::run() {
  // Collect the work first, since lane loops split blocks.
  struct Visit {
    llvm::Instruction *instruction;
    llvm::BasicBlock *block;
    llvm::Value *mask;
  };
  std::vector<Visit> work;
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
  for (llvm::BasicBlock *block : order) {
    llvm::CallInst *call = mask_call(*block);
    for (llvm::Instruction &instruction : *block)
      work.push_back({&instruction, block,
                      call && !llvm::isa<llvm::Constant>(call->getArgOperand(0))
                          ? call->getArgOperand(0)
                          : nullptr});
  }
  for (const Visit &each : work) {
    mask_ = each.mask;
    block_ = each.block;
    visit(*each.instruction);
  }
  finish();
}

void Packetizer::visit(llvm::Instruction &instruction) {
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
    return visit_phi(*phi);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return visit_load(*load);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return visit_store(*store);
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return visit_call(*call);
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return visit_atomic(instruction);
  if (is_of_lane(instruction)) {
    values_.set_vector(&instruction, instruction.getOperand(0));
    return dead_.push_back(&instruction);
  }
  if (is_lanes(instruction)) {
    replaced_.emplace_back(&instruction, values_.vector(instruction.getOperand(1)));
    return;
  }
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
      branch && branch->isConditional() && !shape(*branch->getCondition()).is_uniform())
    function_.getContext().diagnose(
        llvm::DiagnosticInfoGeneric("packetize: a branch differs between lanes", llvm::DS_Error));
  if (instruction.isTerminator() || instruction.getType()->isVoidTy())
    return;
  if (!shape(instruction).is_vector()) {
    // Lane 0's value represents all lanes, also where lane 0 is inactive or its value is not
    // selected. No flag may make it poison.
    if (llvm::any_of(instruction.operands(),
                     [&](llvm::Use &use) { return !shape(*use).is_uniform(); }))
      instruction.dropPoisonGeneratingFlags();
    return;
  }
  if (auto *division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      division && division->isIntDivRem() && division->getType()->isIntegerTy(64) &&
      !llvm::isa<llvm::Constant>(division->getOperand(1)))
    return visit_wide_division(*division);
  Builder builder(&instruction);
  llvm::Value *vector = widened(builder, instruction);
  if (auto *made = llvm::dyn_cast<llvm::Instruction>(vector);
      made && made->getOpcode() == instruction.getOpcode()) {
    made->copyIRFlags(&instruction);
    made->setName(instruction.getName());
  }
  values_.set_vector(&instruction, vector);
  dead_.push_back(&instruction);
}

void Packetizer::visit_phi(llvm::PHINode &phi) {
  if (!shape(phi).is_vector())
    return;
  Builder builder(phi.getParent(), phi.getParent()->begin());
  llvm::PHINode *vector = builder.CreatePHI(values_.vector_type(phi.getType()),
                                            phi.getNumIncomingValues(), phi.getName());
  values_.set_vector(&phi, vector);
  phis_.emplace_back(&phi, vector);
  dead_.push_back(&phi);
}

llvm::Value *Packetizer::widened(Builder &builder, llvm::Instruction &instruction) {
  auto vector = [&](unsigned index) { return values_.vector(instruction.getOperand(index)); };
  // Not folded by the builder, which does not know whether the kernel flushes subnormal numbers.
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      binary && binary->getType()->isFPOrFPVectorTy())
    return builder.Insert(llvm::BinaryOperator::Create(binary->getOpcode(), vector(0), vector(1)));
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return binary->isIntDivRem() ? widened_division(builder, *binary)
                                 : builder.CreateBinOp(binary->getOpcode(), vector(0), vector(1));
  if (auto *unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction))
    return builder.CreateUnOp(unary->getOpcode(), vector(0));
  if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction))
    return widened_comparison(builder, *compare);
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return builder.CreateCast(cast->getOpcode(), vector(0), values_.vector_type(cast->getType()));
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
    return widened_select(builder, operand(select->getCondition()), vector(1), vector(2));
  if (auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return widened_address(builder, *gep);
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return builder.CreateFreeze(vector(0));
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
    return builder.CreateExtractValue(vector(0), extract->getIndices());
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction))
    return builder.CreateInsertValue(vector(0), vector(1), insert->getIndices());
  function_.getContext().diagnose(llvm::DiagnosticInfoGeneric(
      llvm::Twine("packetize: no vector form of '") + instruction.getOpcodeName() + "'",
      llvm::DS_Error));
  return llvm::PoisonValue::get(values_.vector_type(instruction.getType()));
}

// Compares addresses with a uniform base as integers. InstCombine (LLVM 22) would replace the
// scalar base by its splat in all uses, memory accesses included, and leave a broken module.
llvm::Value *Packetizer::widened_comparison(Builder &builder, llvm::CmpInst &comparison) {
  llvm::Value *left = values_.vector(comparison.getOperand(0));
  llvm::Value *right = values_.vector(comparison.getOperand(1));
  if (left->getType()->isFPOrFPVectorTy())
    return builder.Insert(
        llvm::CmpInst::Create(llvm::Instruction::FCmp, comparison.getPredicate(), left, right));
  if (llvm::isa<llvm::GEPOperator>(left) || llvm::isa<llvm::GEPOperator>(right)) {
    left = numbers_of_addresses(builder, left);
    right = numbers_of_addresses(builder, right);
  }
  return builder.CreateCmp(comparison.getPredicate(), left, right);
}

// Converts the parts of the address. InstCombine would undo a cast of the whole vector.
llvm::Value *Packetizer::numbers_of_addresses(Builder &builder, llvm::Value *pointers) {
  llvm::Type *integer = builder.getInt64Ty();
  auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointers);
  if (!gep)
    return builder.CreatePtrToInt(pointers, values_.vector_type(integer));
  llvm::Value *base = gep->getPointerOperand();
  base = base->getType()->isVectorTy()
             ? numbers_of_addresses(builder, base)
             : builder.CreateVectorSplat(values_.width(), builder.CreatePtrToInt(base, integer));
  return builder.CreateAdd(
      base, llvm::emitGEPOffset(&builder, function_.getDataLayout(), gep, /*NoAssumptions=*/true));
}

// Selects structures, such as a sum with its overflow flag, field by field.
llvm::Value *Packetizer::widened_select(Builder &builder, llvm::Value *condition,
                                        llvm::Value *taken, llvm::Value *other) {
  auto *structure = llvm::dyn_cast<llvm::StructType>(taken->getType());
  if (!structure)
    return builder.CreateSelect(condition, taken, other);
  llvm::Value *result = llvm::PoisonValue::get(structure);
  for (unsigned field = 0; field != structure->getNumElements(); ++field)
    result = builder.CreateInsertValue(result,
                                       widened_select(builder, condition,
                                                      builder.CreateExtractValue(taken, field),
                                                      builder.CreateExtractValue(other, field)),
                                       field);
  return result;
}

// The divisor to which guard-integer-division has added `own == 0 || (own == -1 && x == INT_MIN)`.
// Division by floats does not trap, and with `own` the divisor is the same for all lanes.
static llvm::Value *guarded_divisor(const llvm::BinaryOperator &division) {
  using namespace llvm::PatternMatch;
  llvm::Value *own = nullptr, *of_zero = nullptr, *of_least = nullptr;
  if (!match(division.getOperand(1),
             m_Select(m_c_Or(m_Value(of_zero), m_Value(of_least)), m_One(), m_Value(own))))
    return nullptr;
  auto is_guard = [&](llvm::Value *zero, llvm::Value *least) {
    return match(zero, m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Specific(own), m_Zero())) &&
           match(least,
                 m_c_And(m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Specific(own), m_AllOnes()),
                         m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Specific(division.getOperand(0)),
                                        m_SignMask())));
  };
  return is_guard(of_zero, of_least) || is_guard(of_least, of_zero) ? own : nullptr;
}

// Replaces the divisors of inactive lanes: they may be anything, also poison, and an invalid
// division is undefined for the whole vector. The replacement is 2, not 1: LLVM's instruction
// selection takes `x / (m ? d : 1)` for `m ? x / d : x` and then divides by d in all lanes.
llvm::Value *Packetizer::widened_division(Builder &builder, llvm::BinaryOperator &division) {
  llvm::Value *divisor = division.getOperand(1);
  if (llvm::Value *own = guarded_divisor(division); own && shape(*own).is_uniform())
    if (llvm::Value *result =
            divide_by_floats(builder, division.getOpcode(), values_.vector(division.getOperand(0)),
                             values_.vector(own), own))
      return builder.CreateFreeze(result);
  divisor = values_.vector(divisor);
  bool is_uniform = shape(*division.getOperand(1)).is_uniform();
  if (!llvm::isa<llvm::Constant>(division.getOperand(1)))
    if (llvm::Value *result =
            divide_by_floats(builder, division.getOpcode(), values_.vector(division.getOperand(0)),
                             divisor, is_uniform ? division.getOperand(1) : nullptr))
      return result;
  // A constant of the kernel is safe; one computed from lane numbers may have a 0.
  if (mask_ && !llvm::isa<llvm::Constant>(division.getOperand(1)))
    divisor = builder.CreateSelect(mask(), divisor, llvm::ConstantInt::get(divisor->getType(), 2));
  return builder.CreateBinOp(division.getOpcode(), values_.vector(division.getOperand(0)), divisor);
}

// Most numbers of 64 bits are ids and sizes of the type size_t, whose upper halves are 0. A test of
// all lanes costs less than one division of 64 bits.
void Packetizer::visit_wide_division(llvm::BinaryOperator &division) {
  Builder builder(&division);
  llvm::Value *own = guarded_divisor(division);
  if (!own || !shape(*own).is_uniform())
    own = division.getOperand(1);
  const bool is_uniform = shape(*own).is_uniform();
  // Freeze: inactive lanes may hold anything, and a branch depends on the result.
  llvm::Value *dividend = builder.CreateFreeze(values_.vector(division.getOperand(0)));
  llvm::Value *divisor = builder.CreateFreeze(is_uniform ? own : values_.vector(own));
  auto is_wide = [&](llvm::Value *value) {
    return builder.CreateICmpUGT(value, llvm::ConstantInt::get(value->getType(), UINT32_MAX));
  };
  llvm::Value *wide = is_wide(is_uniform ? dividend : builder.CreateOr(dividend, divisor));
  if (mask())
    wide = builder.CreateAnd(wide, mask());
  llvm::Value *is_any_wide = builder.CreateIsNotNull(mask_bits(builder, wide));
  if (is_uniform)
    is_any_wide = builder.CreateOr(is_any_wide, is_wide(divisor), "any.is.wide");
  llvm::Instruction *at_wide = nullptr, *at_narrow = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(is_any_wide, division.getIterator(), &at_wide, &at_narrow);
  at_wide->getParent()->setName("divide.64.bits");
  at_narrow->getParent()->setName("divide.32.bits");

  Builder in_wide(at_wide), in_narrow(at_narrow);
  llvm::Value *of_wide = widened_division(in_wide, division);
  auto narrow = [&](llvm::Value *value) {
    return in_narrow.CreateTrunc(value, value->getType()->getWithNewType(in_narrow.getInt32Ty()));
  };
  llvm::Value *divisor_of_all = is_uniform ? narrow(divisor) : nullptr;
  llvm::Value *of_narrow = divide_by_floats(
      in_narrow,
      division.getOpcode() == llvm::Instruction::SDiv ||
              division.getOpcode() == llvm::Instruction::UDiv
          ? llvm::Instruction::UDiv
          : llvm::Instruction::URem,
      narrow(dividend),
      is_uniform ? in_narrow.CreateVectorSplat(values_.width(), divisor_of_all) : narrow(divisor),
      divisor_of_all);
  of_narrow = in_narrow.CreateZExt(in_narrow.CreateFreeze(of_narrow), of_wide->getType());
  Builder after(division.getParent(), division.getParent()->begin());
  llvm::PHINode *result = after.CreatePHI(of_wide->getType(), 2, division.getName());
  result->addIncoming(of_wide, at_wide->getParent());
  result->addIncoming(of_narrow, at_narrow->getParent());
  values_.set_vector(&division, result);
  dead_.push_back(&division);
}

// Keeps operands scalar where possible: gathers take a scalar base and a vector of indices.
llvm::Value *Packetizer::widened_address(Builder &builder, llvm::GetElementPtrInst &gep) {
  llvm::SmallVector<llvm::Value *, 4> indices;
  bool has_vector = false;
  for (llvm::Value *index : gep.indices()) {
    indices.push_back(operand(index));
    has_vector |= indices.back()->getType()->isVectorTy();
  }
  llvm::Value *pointer = operand(gep.getPointerOperand());
  if (!has_vector && !pointer->getType()->isVectorTy()) // all distances are zero, but assumed
    pointer = values_.vector(gep.getPointerOperand());
  return builder.CreateGEP(gep.getSourceElementType(), pointer, indices, "", gep.getNoWrapFlags());
}

llvm::Instruction *Packetizer::copy_for_lane(llvm::IRBuilderBase &builder,
                                             llvm::Instruction &instruction, llvm::Value *lane) {
  llvm::Instruction *copy = instruction.clone();
  for (llvm::Use &use : copy->operands())
    if (!shape(*use).is_uniform())
      use.set(builder.CreateExtractElement(values_.vector(use), lane));
  return builder.Insert(copy);
}

// Makes a call in a loop over the lanes: of a function made by serialize-loops, an out-of-line
// function, or a copy of memory.
// Varying arguments are stored to memory once. The code generator would implement extracts with a
// variable index by storing all vectors again for every lane.
void Packetizer::call_lane_by_lane(llvm::CallInst &call) {
  llvm::Value *lanes = mask();
  if (!lanes)
    lanes =
        llvm::ConstantInt::getTrue(values_.vector_type(llvm::Type::getInt1Ty(call.getContext())));
  Builder before(&call);
  llvm::DenseMap<llvm::Value *, llvm::Value *> memory;
  for (llvm::Value *argument : call.args()) {
    // i1 vectors are not stored: their elements share bytes.
    if (shape(*argument).is_uniform() || memory.contains(argument) ||
        !is_packable(argument->getType()))
      continue;
    llvm::Value *vector = values_.vector(argument);
    llvm::AllocaInst *variable = variable_of_lanes(vector->getType(), argument->getName());
    before.CreateStore(vector, variable);
    memory[argument] = variable;
  }
  auto copy_of = [&](llvm::IRBuilderBase &builder, llvm::Value *lane) {
    llvm::Instruction *copy = call.clone();
    for (llvm::Use &use : copy->operands())
      if (llvm::Value *variable = memory.lookup(use))
        use.set(builder.CreateLoad(use->getType(),
                                   builder.CreateInBoundsGEP(use->getType(), variable, lane)));
      else if (!shape(*use).is_uniform())
        use.set(builder.CreateExtractElement(values_.vector(use), lane));
    return builder.Insert(copy);
  };
  llvm::Type *type = call.getType();
  if (type->isVoidTy() || !is_packable(type))
    return lane_by_lane(call, lanes, copy_of);
  // The result goes through memory as well. Inserting a number into a vector takes three full-width
  // instructions, which leave the CPU one unit less for the loop's scalar arithmetic. Rows of a
  // sparse matrix took 1.12 times as long.
  llvm::AllocaInst *results = variable_of_lanes(values_.vector_type(type), call.getName());
  emit_lane_loop(
      call, lanes, values_.width(), {}, [&](llvm::IRBuilderBase &builder, llvm::Value *lane) {
        builder.CreateStore(copy_of(builder, lane), builder.CreateInBoundsGEP(type, results, lane));
        return llvm::SmallVector<llvm::Value *, 2>();
      });
  values_.set_vector(&call, Builder(&call).CreateLoad(values_.vector_type(type), results));
  dead_.push_back(&call);
}

// Memory for one value per lane.
llvm::AllocaInst *Packetizer::variable_of_lanes(llvm::Type *vector, llvm::StringRef name) {
  auto *variable =
      new llvm::AllocaInst(vector, 0, name + ".of.lanes", function_.getEntryBlock().begin());
  variable->setMetadata(sub_group_variable, llvm::MDNode::get(function_.getContext(), {}));
  return variable;
}

void Packetizer::lane_by_lane(llvm::Instruction &instruction) {
  lane_by_lane(instruction, mask(), [&](llvm::IRBuilderBase &builder, llvm::Value *lane) {
    return copy_for_lane(builder, instruction, lane);
  });
}

void Packetizer::lane_by_lane(
    llvm::Instruction &instruction, llvm::Value *lanes,
    llvm::function_ref<llvm::Instruction *(llvm::IRBuilderBase &, llvm::Value *)> copy_of) {
  auto *structure = llvm::dyn_cast<llvm::StructType>(instruction.getType());
  llvm::SmallVector<llvm::Type *, 2> types;
  if (structure)
    types.append(structure->element_begin(), structure->element_end());
  else if (!instruction.getType()->isVoidTy())
    types.push_back(instruction.getType());
  auto *emit = llvm::isa<llvm::AtomicRMWInst>(instruction) ? emit_short_lane_loop : emit_lane_loop;
  auto results = emit(instruction, lanes, values_.width(), types,
                      [&](llvm::IRBuilderBase &builder, llvm::Value *lane) {
                        llvm::Instruction *copy = copy_of(builder, lane);
                        if (!structure)
                          return llvm::SmallVector<llvm::Value *, 2>{copy};
                        llvm::SmallVector<llvm::Value *, 2> fields;
                        for (unsigned field = 0; field != types.size(); ++field)
                          fields.push_back(builder.CreateExtractValue(copy, field));
                        return fields;
                      });
  dead_.push_back(&instruction);
  if (types.empty())
    return;
  llvm::Value *vector = results[0];
  if (structure) {
    Builder builder(&instruction);
    vector = llvm::PoisonValue::get(values_.vector_type(structure));
    for (unsigned field = 0; field != types.size(); ++field)
      vector = builder.CreateInsertValue(vector, results[field], field);
  }
  values_.set_vector(&instruction, vector);
}

void Packetizer::finish() {
  for (auto [phi, vector] : phis_)
    for (unsigned edge = 0; edge != phi->getNumIncomingValues(); ++edge)
      vector->addIncoming(values_.vector(phi->getIncomingValue(edge)), phi->getIncomingBlock(edge));
  values_.finish();
  for (auto &[instruction, value] : replaced_) {
    instruction->replaceAllUsesWith(value);
    instruction->eraseFromParent();
  }
  llvm::SmallPtrSet<llvm::Instruction *, 32> dead(dead_.begin(), dead_.end());
  for (llvm::Instruction *instruction : dead_)
    for (llvm::User *user : instruction->users())
      if (auto *use = llvm::cast<llvm::Instruction>(user);
          !dead.contains(use) && (use->mayHaveSideEffects() || use->isTerminator()))
        function_.getContext().diagnose(llvm::DiagnosticInfoGeneric(
            "packetize: a scalar use of a value that varies was left: " + user->getName(),
            llvm::DS_Error));
  for (llvm::Instruction *instruction : dead_) {
    instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function_))) {
    if (called_primitive(instruction) != Primitive::lane)
      continue;
    instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), 0));
    instruction.eraseFromParent();
  }
}

llvm::PreservedAnalyses PacketizePass::run(llvm::Function &function,
                                           llvm::FunctionAnalysisManager &analyses) {
  unsigned width = sub_group_size(function);
  if (width == 1)
    return llvm::PreservedAnalyses::all();
  Packetizer(function, analyses.getResult<llvm::TargetIRAnalysis>(function), *target_model(target_),
             analyses.getResult<IndexExpressionsAnalysis>(function), width)
      .run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
