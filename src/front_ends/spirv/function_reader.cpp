#include "front_ends/spirv/function_reader.h"

#include "front_ends/spirv/built_in_variables.h"
#include "front_ends/spirv/check_operands.h"
#include "front_ends/spirv/instructions/control_flow.h"
#include "front_ends/spirv/places.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// Values of all phis of a function, one for each branch: OpSwitch may have many to one block.
constexpr size_t most_incoming = 4'000'000;

} // namespace

FunctionReader::FunctionReader(Reader &reader, llvm::Function &function)
    : reader_(reader), function_(function),
      builder_(reader.context(), llvm::TargetFolder(reader.target().getDataLayout())) {}

// ---- values ----

const TypedValue *FunctionReader::find_value(Id id) {
  if (auto found = values_.find(id); found != values_.end())
    return &found->second;
  const TypedValue *global = reader_.find_global(id);
  if (!global)
    return nullptr;
  const bool is_sampler_number =
      global->type->is(TypeKind::sampler) && global->value->getType() != global->type->llvm;
  if (global->value && !is_sampler_number)
    return global;
  if (!entry_)
    return nullptr;
  // Made once in the entry block.
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(entry_);
  TypedValue value = *global;
  value.value = is_sampler_number ? make_sampler(*global) : copy_built_in(id, *global->type);
  return &(values_[id] = value);
}

llvm::Value *FunctionReader::make_sampler(const TypedValue &number) {
  auto *type = llvm::FunctionType::get(number.type->llvm, {number.value->getType()}, false);
  return call_function("__translate_sampler_initializer", type, {number.value});
}

// A private copy of a built-in variable, whose address the function uses.
llvm::Value *FunctionReader::copy_built_in(Id id, const Type &pointer) {
  llvm::Value *value = built_in_value(*this, *reader_.built_in(id), *pointer.element);
  llvm::AllocaInst *copy = builder_.CreateAlloca(pointer.element->llvm);
  builder_.CreateStore(value, copy);
  return copy;
}

llvm::Value *FunctionReader::value(const Instruction &i, size_t operand) {
  return find_value(i.operands[operand])->value;
}

const Type &FunctionReader::type(const Instruction &i, size_t operand) {
  return *find_value(i.operands[operand])->type;
}

const Type &FunctionReader::result_type(const Instruction &i) const {
  return *reader_.find_type(i.result_type);
}

std::optional<uint64_t> FunctionReader::constant(const Instruction &i, size_t operand) {
  const TypedValue *found = find_value(i.operands[operand]);
  auto *number = found ? llvm::dyn_cast<llvm::ConstantInt>(found->value) : nullptr;
  if (!number)
    return {};
  return number->getZExtValue();
}

llvm::BasicBlock *FunctionReader::find_block(Id label) const {
  return blocks_.lookup(label);
}

Result<void> FunctionReader::set_result(const Instruction &i, llvm::Value *value) {
  if (i.result == 0)
    return {};
  const Type &type = result_type(i);
  if (!value && type.is(TypeKind::void_type))
    return {};
  if (!value || value->getType() != type.llvm)
    return fail(i, fmt::format("the result cannot be {}", description(type)));
  if (auto *made = llvm::dyn_cast<llvm::Instruction>(value);
      made && !made->hasName() && !made->getType()->isVoidTy())
    made->setName(source().name_of(i.result));
  values_[i.result] = {value, &type, &i};
  return {};
}

// ---- building ----

llvm::CallInst *FunctionReader::call_builtin(std::string_view name, llvm::Type *result,
                                             llvm::ArrayRef<BuiltinArgument> arguments,
                                             bool is_convergent) {
  std::vector<llvm::Value *> values;
  std::vector<llvm::Type *> types;
  std::vector<ParameterType> parameters;
  for (const BuiltinArgument &argument : arguments) {
    values.push_back(argument.value);
    types.push_back(argument.value->getType());
    parameters.push_back(argument.type);
  }
  return call_function(mangled_name(name, parameters),
                       llvm::FunctionType::get(result, types, false), values, is_convergent);
}

llvm::CallInst *FunctionReader::call_function(llvm::StringRef name, llvm::FunctionType *type,
                                              llvm::ArrayRef<llvm::Value *> arguments,
                                              bool is_convergent) {
  llvm::FunctionCallee callee = target().getOrInsertFunction(name, type);
  auto *function = llvm::cast<llvm::GlobalValue>(callee.getCallee());
  if (auto *declared = llvm::dyn_cast<llvm::Function>(function);
      declared && declared->isDeclaration()) {
    declared->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    declared->addFnAttr(llvm::Attribute::NoUnwind);
    if (is_convergent)
      declared->addFnAttr(llvm::Attribute::Convergent);
  }
  llvm::CallInst *call = builder_.CreateCall(callee, arguments);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  if (is_convergent)
    call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

llvm::AllocaInst *FunctionReader::private_variable(llvm::Type *type) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(entry_);
  return builder_.CreateAlloca(type);
}

const Decoration *FunctionReader::decoration(const Instruction &i, spv::Decoration kind) const {
  return source().find_decoration(i.result, kind);
}

llvm::FastMathFlags FunctionReader::fast_math(const Instruction &i) const {
  using Mask = spv::FPFastMathModeMask;
  llvm::FastMathFlags flags;
  flags.setAllowContract(reader_.contracts());
  const Decoration *mode = decoration(i, spv::Decoration::FPFastMathMode);
  if (!mode || mode->operands.empty())
    return flags;
  const auto mask = static_cast<Mask>(mode->operands[0]);
  auto has = [&](Mask bit) { return (mask & bit) != Mask::MaskNone; };
  flags.setNoNaNs(has(Mask::NotNaN));
  flags.setNoInfs(has(Mask::NotInf));
  flags.setNoSignedZeros(has(Mask::NSZ));
  flags.setAllowReciprocal(has(Mask::AllowRecip));
  if (has(Mask::Fast))
    flags.setFast();
  if (has(Mask::AllowContractFastINTEL))
    flags.setAllowContract();
  if (has(Mask::AllowReassocINTEL))
    flags.setAllowReassoc();
  return flags;
}

// ---- instructions ----

Result<void> FunctionReader::read_instruction(const Instruction &i) {
  reader_.places().note(i);
  if (!i.row)
    return fail(i, "the instruction is not supported");
  if (!i.row->translate)
    return fail(i, "the instruction cannot be inside of a function");
  builder_.SetCurrentDebugLocation(reader_.places().location(i));
  builder_.setFastMathFlags(fast_math(i));
  LOCKSTEP_TRY(check_operands(*this, i));
  auto value = i.row->translate(*this, i);
  LOCKSTEP_TRY(value);
  return set_result(i, *value);
}

Result<TypedValue> FunctionReader::read_alone(const Instruction &instruction,
                                              llvm::BasicBlock &block) {
  builder_.SetInsertPoint(&block);
  LOCKSTEP_TRY(check_operands(*this, instruction));
  auto value = instruction.row->translate(*this, instruction);
  LOCKSTEP_TRY(value);
  LOCKSTEP_TRY(set_result(instruction, *value));
  return values_[instruction.result];
}

Result<void> FunctionReader::read_block(const Block &block) {
  builder_.SetInsertPoint(find_block(block.label));
  reader_.places().begin_block();
  for (const Instruction &instruction : block.body)
    LOCKSTEP_TRY(read_instruction(instruction));
  return {};
}

Result<void> FunctionReader::read(const FunctionBody &body) {
  entry_ = llvm::BasicBlock::Create(context(), "entry", &function_);
  builder_.SetInsertPoint(entry_);
  builder_.SetCurrentDebugLocation(reader_.places().location(*body.head));
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const Instruction &parameter = *body.parameters[i];
    values_[parameter.result] = {function_.getArg(static_cast<unsigned>(i)),
                                 find_type(parameter.result_type), &parameter};
  }
  auto order = reverse_post_order(reader_, body);
  LOCKSTEP_TRY(order);
  for (const Block *block : *order)
    blocks_[block->label] =
        llvm::BasicBlock::Create(context(), source().name_of(block->label), &function_);
  for (const Block *block : *order)
    LOCKSTEP_TRY(read_block(*block));
  builder_.SetInsertPoint(entry_);
  builder_.SetCurrentDebugLocation(reader_.places().location(*body.head));
  builder_.CreateBr(find_block(order->front()->label));
  LOCKSTEP_TRY(finish_phis());
  add_loop_hints(*this, body);
  return check_dominance();
}

// Reverse post-order only ensures that some path has the definition before the use.
Result<void> FunctionReader::check_dominance() const {
  const llvm::DominatorTree tree(function_);
  for (const auto &[id, value] : values_) {
    auto *made = llvm::dyn_cast<llvm::Instruction>(value.value);
    if (!made || !value.definition)
      continue;
    for (const llvm::Use &use : made->uses())
      if (!tree.dominates(made, use))
        return fail(*value.definition,
                    "the result is used in a block that can be reached without it");
  }
  return {};
}

// ---- phis ----

llvm::PHINode *FunctionReader::add_phi(const Instruction &i) {
  llvm::PHINode *node = builder_.CreatePHI(result_type(i).llvm, 2);
  phis_.push_back({node, &i});
  return node;
}

Result<void> FunctionReader::finish_phis() {
  size_t incoming = 0;
  for (const Phi &phi : phis_) {
    LOCKSTEP_TRY(finish_phi(phi));
    incoming += phi.node->getNumIncomingValues();
    if (incoming > most_incoming)
      return fail(*phi.instruction, "the function's phis have more than 4 million values");
  }
  return {};
}

Result<void> FunctionReader::finish_phi(const Phi &phi) {
  const Instruction &i = *phi.instruction;
  llvm::DenseMap<llvm::BasicBlock *, llvm::Value *> values;
  for (size_t operand = 0; operand + 1 < i.operands.size(); operand += 2) {
    llvm::BasicBlock *parent = find_block(i.operands[operand + 1]);
    if (!parent)
      continue; // it is not reachable
    const TypedValue *value = find_value(i.operands[operand]);
    if (!value || value->value->getType() != phi.node->getType())
      return fail(i, operand, "is not a value of the result's type");
    if (!values.try_emplace(parent, value->value).second)
      return fail(i, operand + 1, "is the label of a block that was named before");
  }
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> predecessors;
  for (llvm::BasicBlock *predecessor : llvm::predecessors(phi.node->getParent())) {
    predecessors.insert(predecessor);
    llvm::Value *value = values.lookup(predecessor);
    if (!value)
      return fail(i, "a predecessor of the block is missing");
    phi.node->addIncoming(value, predecessor);
  }
  if (predecessors.size() != values.size())
    return fail(i, "a block that is not a predecessor is named");
  return {};
}

} // namespace lockstep::compiler::spirv
