// Copies and fills of boxes (card_transfers.h).
#include "runtime/launch/nvidia/card_transfers.h"
#include "runtime/memory/rect_fill.h"
#include "runtime/memory/residency.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::runtime {
namespace {

using Run = StreamWork::Run;
using cuda::Address;

Accesses accesses_of(const Operation &operation) {
  return {operation.accesses().begin(), operation.accesses().end()};
}

// Copies `box` on the card, or its rows one after the other if a pitch is beyond the driver's limit.
Result<void> copy_on_card(const CudaContext &context, const cuda::Copy3D &box,
                          cuda::Stream *stream) {
  if (box.source_pitch <= cuda::Copy3D::most_pitch && box.target_pitch <= cuda::Copy3D::most_pitch)
    return context.checked(context.cuda().copy_box(&box, stream), "cuMemcpy3D");
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      LOCKSTEP_TRY(context.checked(
          context.cuda().copy_on_device(box.target + (z * box.target_height + y) * box.target_pitch,
                                        box.source + (z * box.source_height + y) * box.source_pitch,
                                        box.width, stream),
          "cuMemcpyDtoD"));
  return {};
}

class CardRectCopy final : public CardTransfer {
public:
  CardRectCopy(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
               Accesses accesses, const cuda::Copy3D &box)
      : CardTransfer("a copy of a box", std::move(space), std::move(context), std::move(accesses)),
        box_(box) {}
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    LOCKSTEP_TRY(copy_on_card(*context_, box_, stream));
    return std::unique_ptr<Run>();
  }

private:
  const cuda::Copy3D box_;
};

// ---- fills

// A box in the card's memory. Rows without a gap are one row.
struct CardBox {
  CardBox(Address begin, const RectSide &side, const RectShape &shape)
      : address(begin + first_byte(side)), row_bytes(shape.region[0]), rows(shape.region[1]),
        slices(shape.region[2]), row_pitch(side.row_pitch), slice_pitch(side.slice_pitch) {
    if (rows == 1 || row_pitch == row_bytes)
      row_bytes *= std::exchange(rows, 1);
    if (rows == 1 && (slices == 1 || slice_pitch == row_bytes))
      row_bytes *= std::exchange(slices, 1);
    if (rows == 1) // each slice is a row
      rows = std::exchange(slices, 1), row_pitch = slice_pitch;
  }
  Address address;
  std::size_t row_bytes, rows, slices, row_pitch, slice_pitch;
};

// Writes one element, and copies what is written: to the rest of the row, then of the slice, then to
// the other slices. Each copy doubles it.
class CardRectFill final : public CardTransfer {
public:
  CardRectFill(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
               Accesses accesses, const CardBox &box, std::span<const std::byte> element)
      : CardTransfer("a fill of a box", std::move(space), std::move(context), std::move(accesses)),
        box_(box), element_(element.begin(), element.end()) {}

  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    auto element = std::make_unique<StagedElement>();
    auto filled = fill(*element, stream);
    if (!filled) {
      context_->cuda().synchronize_stream(stream); // it may read the staging
      return filled.take_error();
    }
    return std::unique_ptr<Run>(std::move(element));
  }

private:
  struct StagedElement final : Run {
    Result<void> finish(Command &) override { return {}; }
    std::vector<std::unique_ptr<NvidiaMemory::Staging>> parts;
  };

  Result<void> fill(StagedElement &element, cuda::Stream *stream) {
    const CudaDriver &cuda = context_->cuda();
    const Address to = box_.address;
    for (std::size_t at = 0; at < element_.size(); at += NvidiaMemory::Staging::bytes) {
      const std::size_t bytes = std::min(NvidiaMemory::Staging::bytes, element_.size() - at);
      auto staging = space_->take_staging();
      LOCKSTEP_TRY(staging);
      std::memcpy((*staging)->data(), element_.data() + at, bytes);
      element.parts.push_back(std::move(*staging));
      LOCKSTEP_TRY(context_->checked(
          cuda.copy_to_device(to + at, element.parts.back()->data(), bytes, stream),
          "cuMemcpyHtoD"));
    }
    for (std::size_t done = element_.size(); done < box_.row_bytes; done *= 2)
      LOCKSTEP_TRY(context_->checked(
          cuda.copy_on_device(to + done, to, std::min(done, box_.row_bytes - done), stream),
          "cuMemcpyDtoD"));
    for (std::size_t done = 1; done < box_.rows; done *= 2)
      LOCKSTEP_TRY(repeat(done * box_.row_pitch, std::min(done, box_.rows - done), 1, stream));
    for (std::size_t done = 1; done < box_.slices; done *= 2)
      LOCKSTEP_TRY(
          repeat(done * box_.slice_pitch, box_.rows, std::min(done, box_.slices - done), stream));
    return {};
  }

  // Copies the beginning of the box to `distance` bytes behind it.
  Result<void> repeat(std::size_t distance, std::size_t rows, std::size_t slices,
                      cuda::Stream *stream) {
    cuda::Copy3D copy;
    copy.source = box_.address;
    copy.target = box_.address + distance;
    copy.source_pitch = copy.target_pitch = box_.row_pitch;
    copy.source_height = copy.target_height = std::max(rows, box_.slice_pitch / box_.row_pitch);
    copy.width = box_.row_bytes;
    copy.height = rows;
    copy.depth = slices;
    return copy_on_card(*context_, copy, stream);
  }

  const CardBox box_;
  const std::vector<std::byte> element_;
};

// ---- between the card and the program's memory

// Rows of a box in memory of the program, and of one in memory that only the card has.
class CardRectTransfer final : public CardTransfer, public HostWork {
public:
  // The access of index 0 is to the destination.
  CardRectTransfer(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
                   Accesses accesses, bool is_read)
      : CardTransfer(is_read ? "a read of a box" : "a write of a box", std::move(space),
                     std::move(context), std::move(accesses)),
        is_read_(is_read), rows_(accesses_[0].rows), all_rows_(rows_ * accesses_[0].slices),
        row_bytes_(accesses_[0].row_bytes),
        rows_per_part_(std::max<std::size_t>(1, MemorySpace::part_bytes / row_bytes_)) {}

  bool runs_on_stream() const override { return false; }
  bool may_follow() const override { return false; }
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *) override { // host threads run it
    return Error{ErrorKind::unsupported, "a box is not transferred on a stream"};
  }

  HostWork *host() override { return this; }
  uint64_t parts() const override { return (all_rows_ + rows_per_part_ - 1) / rows_per_part_; }
  uint64_t expected_nanoseconds_per_part() const override {
    return MemorySpace::nanoseconds_per_part;
  }
  Result<void> run(uint64_t first, uint64_t last) override {
    const std::size_t end = std::min<std::size_t>(last * rows_per_part_, all_rows_);
    for (std::size_t row = first * rows_per_part_; row < end;) {
      const std::size_t in_slice = row % rows_, count = std::min(rows_ - in_slice, end - row);
      std::byte *const to = row_at(accesses_[0], row / rows_, in_slice);
      const std::byte *const from = row_at(accesses_[1], row / rows_, in_slice);
      LOCKSTEP_TRY(is_read_ ? space_->read_rows(to, accesses_[0].row_pitch, from,
                                                accesses_[1].row_pitch, row_bytes_, count)
                            : space_->write_rows(to, accesses_[0].row_pitch, from,
                                                 accesses_[1].row_pitch, row_bytes_, count));
      row += count;
    }
    return {};
  }

private:
  static std::byte *row_at(const Access &box, std::size_t slice, std::size_t row) {
    return box.memory.data() + slice * box.slice_pitch + row * box.row_pitch;
  }

  const bool is_read_;
  const std::size_t rows_, all_rows_, row_bytes_, rows_per_part_;
};

bool is_only_on_card(const MemoryView &view, const MemorySpace *space) {
  return view.buffer() && view.buffer()->only_place() == space;
}

} // namespace

std::unique_ptr<Operation> CardTransfers::rect_copy(const MemoryView &to, const RectSide &to_side,
                                                    const MemoryView &from,
                                                    const RectSide &from_side,
                                                    const RectShape &shape) const {
  if (!has_copy_of(to) && !has_copy_of(from))
    return nullptr;
  Accesses accesses = accesses_of(RectCopy(to, to_side, from, from_side, shape));
  if ((is_on_host(to) && is_only_on_card(from, space_.get())) ||
      (is_on_host(from) && is_only_on_card(to, space_.get())))
    return std::make_unique<CardRectTransfer>(space_, context_, std::move(accesses),
                                              is_on_host(to));
  const Address there = address_of(to), here = address_of(from);
  const RectSide target = with_default_pitches(to_side, shape);
  const RectSide source = with_default_pitches(from_side, shape);
  if (!there || !here || target.slice_pitch % target.row_pitch != 0 ||
      source.slice_pitch % source.row_pitch != 0)
    return nullptr;
  cuda::Copy3D box;
  box.source = here + first_byte(source);
  box.source_pitch = source.row_pitch;
  box.source_height = source.slice_pitch / source.row_pitch;
  box.target = there + first_byte(target);
  box.target_pitch = target.row_pitch;
  box.target_height = target.slice_pitch / target.row_pitch;
  box.width = shape.region[0];
  box.height = shape.region[1];
  box.depth = shape.region[2];
  return std::make_unique<CardRectCopy>(space_, context_, std::move(accesses), box);
}

std::unique_ptr<Operation> CardTransfers::rect_fill(const MemoryView &to, const RectSide &side,
                                                    const RectShape &shape,
                                                    std::span<const std::byte> element) const {
  if (!has_copy_of(to))
    return nullptr;
  const Address there = address_of(to);
  const RectSide target = with_default_pitches(side, shape);
  if (!there || target.slice_pitch % target.row_pitch != 0)
    return nullptr;
  const CardBox box(there, target, shape);
  Accesses accesses = accesses_of(RectFill(to, side, shape, element));
  if (box.rows == 1 && box.slices == 1)
    accesses[0].mode = AccessMode::overwrite;
  return std::make_unique<CardRectFill>(space_, context_, std::move(accesses), box, element);
}

} // namespace lockstep::runtime
