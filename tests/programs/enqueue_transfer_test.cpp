// Compares reads, writes, copies and fills, and their rect forms, with plain loops; shapes are
// random.
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace lockstep::test;

namespace {

using Bytes = std::vector<unsigned char>;
using Triple = std::array<size_t, 3>;

// One side of a rect command: the origin of the box, and the pitches as passed (0: packed).
struct Side {
  Triple origin{};
  size_t row = 0, slice = 0;

  size_t row_pitch(const Triple &region) const { return row ? row : region[0]; }
  size_t slice_pitch(const Triple &region) const {
    return slice ? slice : region[1] * row_pitch(region);
  }
  size_t at(const Triple &region, size_t x, size_t y, size_t z) const {
    return (origin[2] + z) * slice_pitch(region) + (origin[1] + y) * row_pitch(region) + origin[0] +
           x;
  }
  size_t end(const Triple &region) const {
    return at(region, region[0] - 1, region[1] - 1, region[2] - 1) + 1;
  }
};

void naive_copy(const Bytes &from, const Side &source, Bytes &to, const Side &target,
                const Triple &region) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      for (size_t x = 0; x < region[0]; ++x)
        to.at(target.at(region, x, y, z)) = from.at(source.at(region, x, y, z));
}

class EnqueueTransfer : public DeviceTest {
protected:
  size_t pick(size_t from, size_t to) {
    return std::uniform_int_distribution<size_t>(from, to)(random_);
  }

  Side pick_side(const Triple &region) {
    Side side;
    if (pick(0, 2)) { // otherwise packed
      side.row = region[0] + pick(0, 9);
      if (pick(0, 1))
        side.slice = side.row * (region[1] + pick(0, 3));
    }
    // The origin may exceed a row or a slice; only the resulting byte offset counts.
    for (size_t &coordinate : side.origin)
      coordinate = pick(0, 1) ? pick(0, 6) : 0;
    return side;
  }
  Triple pick_region() {
    return {pick(1, 33), pick(0, 3) ? pick(1, 9) : 1, pick(0, 2) ? pick(1, 5) : 1};
  }
  Bytes noise(size_t size) {
    Bytes bytes(size);
    for (unsigned char &byte : bytes)
      byte = static_cast<unsigned char>(random_());
    return bytes;
  }

  std::mt19937 random_{2026};
};

TEST_F(EnqueueTransfer, ReadAndWriteParts) {
  constexpr size_t size = 10000;
  Bytes model = noise(size);
  Memory buffer = make_buffer(size, CL_MEM_COPY_HOST_PTR, model.data());
  for (int round = 0; round < 100; ++round) {
    size_t offset = pick(0, size - 1), count = pick(1, size - offset);
    Bytes part = noise(count);
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, round & 1, offset, count, part.data(), 0,
                                   nullptr, nullptr),
              CL_SUCCESS);
    std::copy(part.begin(), part.end(), model.begin() + offset);
    offset = pick(0, size - 1), count = pick(1, size - offset);
    ASSERT_EQ(read<unsigned char>(buffer, count, offset),
              Bytes(model.begin() + offset, model.begin() + offset + count));
  }
}

TEST_F(EnqueueTransfer, WholeBufferAtItsEnd) {
  Memory buffer = make_buffer(7);
  write<char>(buffer, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(read<char>(buffer, 1, 6), std::vector<char>{7});
  EXPECT_EQ(read<char>(buffer, 7), (std::vector<char>{1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(EnqueueTransfer, FillWithEveryPatternSize) {
  constexpr size_t size = 128 * 40;
  Bytes model = noise(size);
  Memory buffer = make_buffer(size, CL_MEM_COPY_HOST_PTR, model.data());
  for (size_t pattern_size = 1; pattern_size <= 128; pattern_size *= 2)
    for (int round = 0; round < 10; ++round) {
      Bytes pattern = noise(pattern_size);
      size_t first = pick(0, size / pattern_size - 1), count = pick(1, size / pattern_size - first);
      ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, pattern.data(), pattern_size,
                                    first * pattern_size, count * pattern_size, 0, nullptr,
                                    nullptr),
                CL_SUCCESS);
      for (size_t i = 0; i < count * pattern_size; ++i)
        model[first * pattern_size + i] = pattern[i % pattern_size];
      std::fill(pattern.begin(), pattern.end(), 0); // the call has copied the pattern
    }
  EXPECT_EQ(read<unsigned char>(buffer, size), model);
}

TEST_F(EnqueueTransfer, CopyWithinAndBetweenBuffers) {
  constexpr size_t size = 4096;
  Bytes first_model = noise(size), second_model = noise(size);
  Memory first = make_buffer(size, CL_MEM_COPY_HOST_PTR, first_model.data());
  Memory second = make_buffer(size, CL_MEM_COPY_HOST_PTR, second_model.data());
  for (int round = 0; round < 50; ++round) {
    size_t count = pick(1, size), from = pick(0, size - count), to = pick(0, size - count);
    ASSERT_EQ(clEnqueueCopyBuffer(queue_, first, second, from, to, count, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::copy_n(first_model.begin() + from, count, second_model.begin() + to);
    count = pick(1, size / 2), from = pick(0, size / 2 - count), to = pick(size / 2, size - count);
    ASSERT_EQ(clEnqueueCopyBuffer(queue_, second, second, from, to, count, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::copy_n(second_model.begin() + from, count, second_model.begin() + to);
    std::swap(first, second);
    std::swap(first_model, second_model);
  }
  EXPECT_EQ(read<unsigned char>(first, size), first_model);
  EXPECT_EQ(read<unsigned char>(second, size), second_model);
}

TEST_F(EnqueueTransfer, ReadRect) {
  for (int round = 0; round < 150; ++round) {
    Triple region = pick_region();
    Side source = pick_side(region), target = pick_side(region);
    Bytes model = noise(source.end(region) + pick(0, 5)), host = noise(target.end(region)),
          expected = host;
    Memory buffer = make_buffer(model.size(), CL_MEM_COPY_HOST_PTR, model.data());
    naive_copy(model, source, expected, target, region);
    ASSERT_EQ(clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, source.origin.data(),
                                      target.origin.data(), region.data(), source.row, source.slice,
                                      target.row, target.slice, host.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(host, expected) << round;
  }
}

TEST_F(EnqueueTransfer, WriteRect) {
  for (int round = 0; round < 150; ++round) {
    Triple region = pick_region();
    Side source = pick_side(region), target = pick_side(region);
    Bytes model = noise(target.end(region) + pick(0, 5)), host = noise(source.end(region));
    Memory buffer = make_buffer(model.size(), CL_MEM_COPY_HOST_PTR, model.data());
    naive_copy(host, source, model, target, region);
    ASSERT_EQ(clEnqueueWriteBufferRect(queue_, buffer, round & 1, target.origin.data(),
                                       source.origin.data(), region.data(), target.row,
                                       target.slice, source.row, source.slice, host.data(), 0,
                                       nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(read<unsigned char>(buffer, model.size()), model) << round;
  }
}

TEST_F(EnqueueTransfer, CopyRect) {
  for (int round = 0; round < 150; ++round) {
    Triple region = pick_region();
    Side source = pick_side(region), target = pick_side(region);
    Bytes from = noise(source.end(region) + pick(0, 5)),
          to = noise(target.end(region) + pick(0, 5));
    Memory first = make_buffer(from.size(), CL_MEM_COPY_HOST_PTR, from.data());
    Memory second = make_buffer(to.size(), CL_MEM_COPY_HOST_PTR, to.data());
    naive_copy(from, source, to, target, region);
    ASSERT_EQ(clEnqueueCopyBufferRect(queue_, first, second, source.origin.data(),
                                      target.origin.data(), region.data(), source.row, source.slice,
                                      target.row, target.slice, 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(read<unsigned char>(second, to.size()), to) << round;
  }
}

// The boxes may interleave within one buffer if they share no byte.
TEST_F(EnqueueTransfer, CopyRectWithinOneBufferWhenDisjointInX) {
  Bytes model = noise(64 * 16);
  Memory buffer = make_buffer(model.size(), CL_MEM_COPY_HOST_PTR, model.data());
  Triple region{16, 8, 1};
  Side source{{0, 1, 0}, 64, 0}, target{{32, 3, 0}, 64, 0};
  naive_copy(Bytes(model), source, model, target, region);
  ASSERT_EQ(clEnqueueCopyBufferRect(queue_, buffer, buffer, source.origin.data(),
                                    target.origin.data(), region.data(), 64, 0, 64, 0, 0, nullptr,
                                    nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<unsigned char>(buffer, model.size()), model);
}

TEST_F(EnqueueTransfer, RectThroughASubBuffer) {
  size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Bytes model(4 * step, 1), host{9, 8, 7, 6};
  Memory buffer = make_buffer(model.size(), CL_MEM_COPY_HOST_PTR, model.data());
  Memory sub = make_sub_buffer(buffer, step, step);
  Triple region{2, 2, 1};
  Side source{{0, 0, 0}, 2, 0}, target{{1, 1, 0}, 8, 0};
  ASSERT_EQ(clEnqueueWriteBufferRect(queue_, sub, CL_TRUE, target.origin.data(),
                                     source.origin.data(), region.data(), 8, 0, 2, 0, host.data(),
                                     0, nullptr, nullptr),
            CL_SUCCESS);
  model[step + 9] = 9, model[step + 10] = 8, model[step + 17] = 7, model[step + 18] = 6;
  EXPECT_EQ(read<unsigned char>(buffer, model.size()), model);
}

TEST_F(EnqueueTransfer, NonBlockingReadWaitsForItsTurn) {
  std::vector<int> host(1024, -1);
  Memory buffer = make_buffer(4096);
  const int eight = 8;
  Event done;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &eight, 4, 0, 4096, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, 4096, host.data(), 0, nullptr, done.out()),
      CL_SUCCESS);
  cl_event list[] = {done};
  ASSERT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  EXPECT_EQ(host, std::vector<int>(1024, 8));
}

// The call copies the arguments of a native kernel and replaces the handles in them by pointers.
struct NativeArguments {
  int *buffer;
  int value;
  int *second;
};

void CL_CALLBACK native_add(void *raw) {
  auto *arguments = static_cast<NativeArguments *>(raw);
  for (int i = 0; i < 256; ++i)
    arguments->second[i] = arguments->buffer[i] + arguments->value;
}

TEST_F(EnqueueTransfer, NativeKernel) {
  ASSERT_TRUE(device_info<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) &
              CL_EXEC_NATIVE_KERNEL);
  std::vector<int> data(256);
  std::iota(data.begin(), data.end(), 0);
  Memory first = make_buffer(1024, CL_MEM_COPY_HOST_PTR, data.data());
  Memory second = make_buffer(1024);
  NativeArguments arguments{nullptr, 100, nullptr};
  cl_mem list[] = {first, second};
  const void *places[] = {&arguments.buffer, &arguments.second};
  Event event;
  ASSERT_EQ(clEnqueueNativeKernel(queue_, native_add, &arguments, sizeof arguments, 2, list, places,
                                  0, nullptr, event.out()),
            CL_SUCCESS);
  arguments.value = 0; // the call has copied the arguments
  EXPECT_EQ(event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_NATIVE_KERNEL});
  std::transform(data.begin(), data.end(), data.begin(), [](int value) { return value + 100; });
  EXPECT_EQ(read<int>(second, 256), data);
}

void CL_CALLBACK native_count(void *raw) {
  ++**static_cast<int **>(raw);
}

TEST_F(EnqueueTransfer, NativeKernelWithoutBuffers) {
  int count = 0;
  int *place = &count;
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(clEnqueueNativeKernel(queue_, native_count, &place, sizeof place, 0, nullptr, nullptr,
                                    0, nullptr, nullptr),
              CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(count, 10);
}

} // namespace
