#include "back_ends/nvidia/variables/variable_block.h"

#include "compiler/work_item/link/share_program_variables.h"

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <map>

namespace lockstep::compiler {

namespace {

constexpr uint64_t block_alignment = 256; // of cuMemAlloc

class Image {
public:
  explicit Image(const llvm::Module &module) : layout_(module.getDataLayout()) {
    const auto offsets = place_variables(module);
    result_.bytes.resize(offsets.back());
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      offsets_[module.getGlobalVariable(shared_variable_symbol(i))] = offsets[i];
  }

  Result<PtxVariables> fill() {
    for (const auto &[variable, offset] : offsets_)
      if (!write(*variable->getInitializer(), offset))
        return Error{ErrorKind::build_failure,
                     "the initial value of a program-scope variable is an address that NVIDIA "
                     "devices do not support yet"};
    return std::move(result_);
  }

private:
  uint64_t size_of(llvm::Type *type) const { return layout_.getTypeAllocSize(type); }

  void write_bits(const llvm::APInt &bits, uint64_t at) {
    for (unsigned i = 0; i != (bits.getBitWidth() + 7) / 8; ++i)
      result_.bytes[at + i] = static_cast<char>(
          bits.extractBitsAsZExtValue(std::min(8u, bits.getBitWidth() - 8 * i), 8 * i));
  }

  bool write(const llvm::Constant &value, uint64_t at);
  bool write_address(const llvm::Constant &value, uint64_t at);

  const llvm::DataLayout &layout_;
  std::map<const llvm::GlobalVariable *, uint64_t> offsets_;
  PtxVariables result_;
};

bool Image::write_address(const llvm::Constant &value, uint64_t at) {
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(value.getType()), 0);
  const llvm::Value *base =
      value.stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
  if (llvm::isa<llvm::ConstantPointerNull>(base)) { // clang casts it to other address spaces
    write_bits(offset, at);
    return true;
  }
  const auto found = offsets_.find(llvm::dyn_cast<llvm::GlobalVariable>(base));
  if (found == offsets_.end())
    return false;
  write_bits(llvm::APInt(64, found->second) + offset, at);
  result_.addresses.push_back(at);
  return true;
}

bool Image::write(const llvm::Constant &value, uint64_t at) {
  if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value))
    return true; // zeros
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&value))
    write_bits(integer->getValue(), at);
  else if (auto *real = llvm::dyn_cast<llvm::ConstantFP>(&value))
    write_bits(real->getValueAPF().bitcastToAPInt(), at);
  else if (value.getType()->isPointerTy())
    return write_address(value, at);
  else if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(&value))
    return expression->getOpcode() == llvm::Instruction::PtrToInt &&
           expression->getType()->isIntegerTy(64) && write_address(*expression->getOperand(0), at);
  else if (auto *structure = llvm::dyn_cast<llvm::StructType>(value.getType())) {
    for (unsigned i = 0; i != structure->getNumElements(); ++i)
      if (!write(*value.getAggregateElement(i),
                 at + layout_.getStructLayout(structure)->getElementOffset(i)))
        return false;
  } else {
    for (unsigned i = 0; const llvm::Constant *element = value.getAggregateElement(i); ++i) {
      if (!write(*element, at))
        return false;
      at += size_of(element->getType());
    }
  }
  return true;
}

} // namespace

std::vector<uint64_t> place_variables(const llvm::Module &variables) {
  std::vector<uint64_t> offsets;
  const llvm::DataLayout &layout = variables.getDataLayout();
  uint64_t end = 0;
  while (auto *variable = variables.getGlobalVariable(shared_variable_symbol(offsets.size()))) {
    const llvm::Align alignment = variable->getAlign().value_or(layout.getPreferredAlign(variable));
    offsets.push_back(llvm::alignTo(end, std::min(alignment, llvm::Align(block_alignment))));
    end = offsets.back() + layout.getTypeAllocSize(variable->getValueType());
  }
  offsets.push_back(end);
  return offsets;
}

Result<PtxVariables> initial_variables(const llvm::Module &variables) {
  return Image(variables).fill();
}

} // namespace lockstep::compiler
