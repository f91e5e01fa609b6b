// Packetizes stores of one byte for all lanes to addresses that are known only at run time:
// `seen[i] = 1`, and the marks of the check of commands. No processor has a scatter of bytes.
//
// If all bytes are close to that of the first lane, one masked store is enough. Contiguous lanes
// always are close, and so are the lanes of a butterfly in aligned rows. Lanes may store to the same
// byte.
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned bytes_of_line = 32; // its bytes are bits of a word

} // namespace

bool Packetizer::stores_same_byte(const llvm::StoreInst &store) const {
  const llvm::Value *value = store.getValueOperand();
  auto *line = llvm::FixedVectorType::get(value->getType(), bytes_of_line);
  return value->getType()->isIntegerTy(8) && shape(*value).is_uniform() && store.isSimple() &&
         values_.width() <= bytes_of_line / 2 &&
         target_.isLegalMaskedStore(line, llvm::Align(1), store.getPointerAddressSpace());
}

void Packetizer::store_byte_to_line(Builder &builder, llvm::StoreInst &store,
                                    llvm::Value *pointers) {
  const unsigned width = values_.width();
  auto splat = [width](llvm::IRBuilderBase &at, llvm::Value *scalar) {
    return at.CreateVectorSplat(width, scalar);
  };
  llvm::Value *first = builder.CreateExtractElement(pointers, mask() ? first_lane(builder, mask())
                                                                     : builder.getInt64(0));
  llvm::Value *begin = builder.CreateAnd(builder.CreatePtrToInt(first, builder.getInt64Ty()),
                                         builder.getInt64(~uint64_t{bytes_of_line / 2 - 1}));
  llvm::Type *words = llvm::FixedVectorType::get(builder.getInt64Ty(), width);
  llvm::Value *offsets =
      builder.CreateSub(builder.CreatePtrToInt(pointers, words), splat(builder, begin));
  llvm::Value *is_far =
      builder.CreateICmpUGE(offsets, splat(builder, builder.getInt64(bytes_of_line)));
  if (mask())
    is_far = builder.CreateAnd(is_far, mask());
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateIsNull(mask_bits(builder, is_far)),
                                      builder.GetInsertPoint(), &near, &far);
  near->getParent()->setName("in.line");
  far->getParent()->setName("lanes");
  Builder at_far(far);
  store_lane_by_lane(at_far, store, pointers);

  Builder at(near);
  llvm::Value *places =
      at.CreateAnd(at.CreateTrunc(offsets, llvm::FixedVectorType::get(at.getInt32Ty(), width)),
                   splat(at, at.getInt32(bytes_of_line - 1)));
  llvm::Value *bits = at.CreateShl(splat(at, at.getInt32(1)), places);
  if (mask())
    bits = at.CreateSelect(mask(), bits, splat(at, at.getInt32(0)));
  llvm::Value *wanted = at.CreateBitCast(at.CreateOrReduce(bits),
                                         llvm::FixedVectorType::get(at.getInt1Ty(), bytes_of_line));
  llvm::Value *bytes = at.CreateVectorSplat(bytes_of_line, store.getValueOperand());
  copy_memory_facts(*at.CreateMaskedStore(bytes, at.CreateIntToPtr(begin, first->getType()),
                                          llvm::Align(1), wanted),
                    store);
}

} // namespace lockstep::compiler
