// Places values of a work-item in the frame of a suspended group.
#pragma once

#include "llvm/IR/DataLayout.h"
#include "llvm/Support/Alignment.h"

#include <cstdint>

namespace lockstep::compiler {

class FrameLayout {
public:
  // `end`: behind values that are in each frame.
  FrameLayout(const llvm::DataLayout &layout, uint64_t end) : layout_(&layout), end_(end) {}

  uint64_t place(llvm::Type *type) {
    return place(layout_->getTypeAllocSize(type), layout_->getABITypeAlign(type));
  }
  uint64_t place(uint64_t bytes, llvm::Align alignment) {
    const uint64_t offset = llvm::alignTo(end_, alignment);
    end_ = offset + bytes;
    return offset;
  }
  uint64_t end() const { return end_; }

private:
  const llvm::DataLayout *layout_;
  uint64_t end_;
};

} // namespace lockstep::compiler
