// Copies and fills on a card, and transfers between its memory and the memory of the program.
//
// They go to a stream, so that they take part in early submission, but for large reads and writes of
// memory that is not pinned, and for those of boxes: host threads run these, through the pinned
// blocks of nvidia_memory.h. A read of bytes that are valid on the host is a copy there.
//
// card_transfers.cpp has contiguous transfers, card_boxes.cpp those of boxes.
#pragma once

#include "runtime/graph/operation.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "runtime/memory/access.h"
#include "runtime/memory/transfers.h"

#include <cstddef>
#include <memory>
#include <span>

namespace lockstep::runtime {

class CardTransfer : public Operation, public StreamWork {
public:
  CardTransfer *card_transfer() final { return this; }
  std::span<const Access> accesses() const final { return accesses_; }
  const MemorySpace *memory_space() const override { return space_.get(); }
  std::string name() const final { return name_; }

  // False: it is HostWork now. For a command whose dependencies are settled.
  virtual bool runs_on_stream() const { return true; }
  // Whether it may be submitted early, when its dependencies are on the card.
  virtual bool may_follow() const { return true; }

protected:
  CardTransfer(const char *name, std::shared_ptr<NvidiaMemory> space,
               std::shared_ptr<CudaContext> context, Accesses accesses)
      : name_(name), space_(std::move(space)), context_(std::move(context)),
        accesses_(std::move(accesses)) {}

  const char *const name_; // for messages
  const std::shared_ptr<NvidiaMemory> space_;
  const std::shared_ptr<CudaContext> context_;
  const Accesses accesses_;
};

// Makes the operations of Device::make_copy() and its siblings. Null: host threads do it as well or
// better, or the card has no memory left.
class CardTransfers {
public:
  CardTransfers(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context)
      : space_(std::move(space)), context_(std::move(context)) {}

  std::unique_ptr<Operation> copy(const MemoryView &to, const MemoryView &from) const;
  std::unique_ptr<Operation> rect_copy(const MemoryView &to, const RectSide &to_side,
                                       const MemoryView &from, const RectSide &from_side,
                                       const RectShape &shape) const;
  std::unique_ptr<Operation> fill(const MemoryView &to, const void *pattern,
                                  std::size_t pattern_size) const;
  std::unique_ptr<Operation> rect_fill(const MemoryView &to, const RectSide &side,
                                       const RectShape &shape,
                                       std::span<const std::byte> element) const;

private:
  bool has_copy_of(const MemoryView &view) const;
  // Memory of the program, which may be pinned: it never has a copy on the card.
  bool is_on_host(const MemoryView &view) const;
  // The address on the card; 0: the view cannot be there.
  cuda::Address address_of(const MemoryView &view) const;

  const std::shared_ptr<NvidiaMemory> space_;
  const std::shared_ptr<CudaContext> context_;
};

} // namespace lockstep::runtime
