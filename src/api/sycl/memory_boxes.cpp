#include "api/sycl/memory_boxes.h"

#include "api/sycl/buffer.h"
#include "api/sycl/error.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/transfers.h"

#include <cstring>

namespace lockstep::sycl_api {
namespace {

using sycl::detail::memory_box;

std::size_t product(const std::size_t (&sizes)[3]) {
  return sizes[0] * sizes[1] * sizes[2];
}

runtime::MemoryView view_of(const memory_box &box) {
  const std::size_t bytes = product(box.memory) * box.element;
  if (!box.buffer) {
    if (auto range = runtime::check_range(box.data, bytes); !range)
      raise(sycl::errc::invalid, range.error().message + " (SYCL 2020 section 4.9.4.3)");
    return runtime::view_at(box.data, bytes);
  }
  auto &buffer = static_cast<Buffer &>(*box.buffer);
  return {buffer.state().memory(), buffer.offset_in_root(), bytes};
}

// The runtime's first dimension is the contiguous one, in bytes.
runtime::RectSide side_of(const memory_box &box) {
  runtime::RectSide side;
  side.origin = {box.offset[2] * box.element, box.offset[1], box.offset[0]};
  side.row_pitch = box.memory[2] * box.element;
  side.slice_pitch = box.memory[1] * side.row_pitch;
  return side;
}

runtime::RectShape shape_of(const memory_box &box) {
  return {{box.range[2] * box.element, box.range[1], box.range[0]}};
}

// Whether the box is one row, which a device can copy and fill in its own memory.
bool is_row_of_device(const runtime::Device &device, const memory_box &box) {
  return device.memory_space() && box.range[0] == 1 && box.range[1] == 1;
}

// The first `bytes` of the box, which has one row.
runtime::MemoryView row_of(const memory_box &box, std::size_t bytes) {
  const runtime::MemoryView all = view_of(box);
  const std::size_t begin = runtime::first_byte(side_of(box));
  if (!all.buffer())
    return {all.data() + begin, bytes};
  return {all.buffer(), all.offset() + begin, bytes};
}

// Copies element by element, for boxes with rows of different lengths.
class CopyInOrder final : public runtime::HostOperation {
public:
  CopyInOrder(const memory_box &to, const memory_box &from)
      : to_(to), from_(from), accesses_{runtime::Access{view_of(to), runtime::AccessMode::write},
                                        runtime::Access{view_of(from), runtime::AccessMode::read}},
        to_data_(view_of(to).data()), from_data_(view_of(from).data()) {}

  std::span<const runtime::Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return product(from_.range); }
  Result<void> run(uint64_t first, uint64_t last) override {
    for (uint64_t at = first; at != last; ++at)
      std::memcpy(to_data_ + byte_of(to_, at), from_data_ + byte_of(from_, at), from_.element);
    return {};
  }

private:
  static std::size_t byte_of(const memory_box &box, uint64_t at) {
    const std::size_t row = at / box.range[2], slice = box.offset[0] + row / box.range[1],
                      line = box.offset[1] + row % box.range[1];
    return ((slice * box.memory[1] + line) * box.memory[2] + box.offset[2] + at % box.range[2]) *
           box.element;
  }

  const memory_box to_, from_;
  const std::array<runtime::Access, 2> accesses_;
  std::byte *const to_data_;
  const std::byte *const from_data_;
};

} // namespace

std::unique_ptr<runtime::Operation> copy_of_boxes(const runtime::Device &device,
                                                  const memory_box &to, const memory_box &from) {
  if (product(from.range) == 0)
    return std::make_unique<runtime::NoWork>();
  if (product(from.range) > product(to.range) || from.element != to.element)
    raise(sycl::errc::invalid, "the source of a copy does not fit into its destination (SYCL 2020 "
                               "section 4.9.4.3)");
  for (int d = 0; d < 3; ++d)
    if (from.range[d] > to.range[d])
      return std::make_unique<CopyInOrder>(to, from);
  if (is_row_of_device(device, from))
    return device.make_copy(row_of(to, from.range[2] * from.element),
                            row_of(from, from.range[2] * from.element));
  return device.make_rect_copy(view_of(to), side_of(to), view_of(from), side_of(from),
                               shape_of(from));
}

std::unique_ptr<runtime::Operation> fill_of_box(const runtime::Device &device, const memory_box &to,
                                                const void *pattern) {
  if (product(to.range) == 0)
    return std::make_unique<runtime::NoWork>();
  if (is_row_of_device(device, to) && to.element <= runtime::Fill::max_pattern)
    return device.make_fill(row_of(to, to.range[2] * to.element), pattern, to.element);
  return device.make_rect_fill(view_of(to), side_of(to), shape_of(to),
                               {static_cast<const std::byte *>(pattern), to.element});
}

} // namespace lockstep::sycl_api
