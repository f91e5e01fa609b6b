// Tests every error of the commands that read, write, copy, fill, map and migrate buffers (OpenCL
// 3.0 API sections 5.2.2 to 5.2.4, 5.5.2 and 5.5.4).
#include "error_fixture.h"

#include <array>

using namespace lockstep::test;

namespace {

constexpr size_t size = 4096;
using Triple = std::array<size_t, 3>;

// The arguments of the rect functions; the initial values are valid.
struct Rect {
  const size_t *origin() const { return has_origin ? first.data() : nullptr; }
  const size_t *second_origin() const { return has_second ? second.data() : nullptr; }
  const size_t *shape() const { return has_region ? region.data() : nullptr; }

  Triple first{0, 0, 0}, second{0, 0, 0}, region{8, 4, 2};
  size_t row = 16, slice = 64, second_row = 16, second_slice = 64;
  bool has_origin = true, has_second = true, has_region = true;
};

class EnqueueBufferErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    buffer_ = make_buffer(size);
    second_ = make_buffer(size);
  }

  cl_int read(cl_command_queue queue, cl_mem buffer, size_t offset = 0, size_t bytes = 16,
              bool null = false, cl_uint count = 0, const cl_event *list = nullptr) {
    return clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, bytes, null ? nullptr : host_,
                               count, list, nullptr);
  }
  cl_int write(cl_command_queue queue, cl_mem buffer, size_t offset = 0, size_t bytes = 16,
               bool null = false, cl_uint count = 0, const cl_event *list = nullptr) {
    return clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, null ? nullptr : host_,
                                count, list, nullptr);
  }
  cl_int copy(cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
              cl_uint count = 0, const cl_event *list = nullptr) {
    return clEnqueueCopyBuffer(queue_, from, to, from_offset, to_offset, bytes, count, list,
                               nullptr);
  }
  cl_int fill(cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t bytes,
              cl_uint count = 0, const cl_event *list = nullptr) {
    return clEnqueueFillBuffer(queue_, buffer, pattern, pattern_size, offset, bytes, count, list,
                               nullptr);
  }
  cl_int read_rect(cl_mem buffer, const Rect &r, bool null = false, cl_uint count = 0,
                   const cl_event *list = nullptr) {
    return clEnqueueReadBufferRect(queue_, buffer, CL_FALSE, r.origin(), r.second_origin(),
                                   r.shape(), r.row, r.slice, r.second_row, r.second_slice,
                                   null ? nullptr : host_, count, list, nullptr);
  }
  cl_int write_rect(cl_mem buffer, const Rect &r, bool null = false, cl_uint count = 0,
                    const cl_event *list = nullptr) {
    return clEnqueueWriteBufferRect(queue_, buffer, CL_FALSE, r.origin(), r.second_origin(),
                                    r.shape(), r.row, r.slice, r.second_row, r.second_slice,
                                    null ? nullptr : host_, count, list, nullptr);
  }
  cl_int copy_rect(cl_mem from, cl_mem to, const Rect &r, cl_uint count = 0,
                   const cl_event *list = nullptr) {
    return clEnqueueCopyBufferRect(queue_, from, to, r.origin(), r.second_origin(), r.shape(),
                                   r.row, r.slice, r.second_row, r.second_slice, count, list,
                                   nullptr);
  }
  // Expects that all three rect functions return `code`.
  void expect_rect(cl_int code, const Rect &rect, const std::string &word) {
    expect(code, read_rect(buffer_, rect), word);
    expect(code, write_rect(buffer_, rect), word);
    expect(code, copy_rect(buffer_, second_, rect), word.substr(word.find('_') + 1));
  }
  void expect_map(cl_int code, cl_mem buffer, cl_map_flags flags, size_t offset, size_t bytes,
                  const std::string &word, cl_uint count = 0, const cl_event *list = nullptr) {
    expect_null(
        code,
        [&](cl_int *status) {
          return clEnqueueMapBuffer(queue_, buffer, CL_FALSE, flags, offset, bytes, count, list,
                                    nullptr, status);
        },
        word);
  }

  Memory buffer_, second_;
  char host_[size] = {};
};

TEST_F(EnqueueBufferErrors, ReadAndWrite) {
  for (bool reads : {true, false}) {
    auto call = [&](cl_command_queue queue, cl_mem buffer, size_t offset = 0, size_t bytes = 16,
                    bool null = false, cl_uint count = 0, const cl_event *list = nullptr) {
      return reads ? read(queue, buffer, offset, bytes, null, count, list)
                   : write(queue, buffer, offset, bytes, null, count, list);
    };
    expect(CL_INVALID_COMMAND_QUEUE, call(no_queue(), buffer_));
    expect(CL_INVALID_MEM_OBJECT, call(queue_, no_buffer()), "buffer");
    expect(CL_INVALID_MEM_OBJECT, call(queue_, nullptr), "buffer");
    expect(CL_INVALID_CONTEXT, call(queue_, other_buffer_), "different contexts");
    expect(CL_INVALID_VALUE, call(queue_, buffer_, 0, size + 1), "inside");
    expect(CL_INVALID_VALUE, call(queue_, buffer_, size, 1), "inside");
    expect(CL_INVALID_VALUE, call(queue_, buffer_, ~size_t{0}, 2), "inside");
    expect(CL_INVALID_VALUE, call(queue_, buffer_, 0, 16, true), "ptr");
    expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
      return call(queue_, buffer_, 0, 16, false, count, list);
    });
  }
}

TEST_F(EnqueueBufferErrors, ReleasedBuffer) {
  cl_mem stale = buffer_;
  buffer_.reset();
  expect(CL_INVALID_MEM_OBJECT, read(queue_, stale), "buffer");
}

TEST_F(EnqueueBufferErrors, HostAccessFlags) {
  Memory write_only = make_buffer(size, CL_MEM_HOST_WRITE_ONLY),
         read_only = make_buffer(size, CL_MEM_HOST_READ_ONLY),
         hidden = make_buffer(size, CL_MEM_HOST_NO_ACCESS);
  for (cl_mem buffer : {write_only.get(), hidden.get()}) {
    expect(CL_INVALID_OPERATION, read(queue_, buffer), "CL_MEM_HOST_");
    expect(CL_INVALID_OPERATION, read_rect(buffer, {}), "CL_MEM_HOST_");
    expect_map(CL_INVALID_OPERATION, buffer, CL_MAP_READ, 0, 16, "CL_MEM_HOST_");
  }
  for (cl_mem buffer : {read_only.get(), hidden.get()}) {
    expect(CL_INVALID_OPERATION, write(queue_, buffer), "CL_MEM_HOST_");
    expect(CL_INVALID_OPERATION, write_rect(buffer, {}), "CL_MEM_HOST_");
    expect_map(CL_INVALID_OPERATION, buffer, CL_MAP_WRITE, 0, 16, "CL_MEM_HOST_");
    expect_map(CL_INVALID_OPERATION, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16, "CL_MEM_HOST_");
  }
  expect(CL_SUCCESS, read(queue_, read_only));
  expect(CL_SUCCESS, write(queue_, write_only));
  // CL_MEM_HOST_NO_ACCESS does not restrict copies and fills, which run on the device.
  expect(CL_SUCCESS, copy(hidden, read_only, 0, 0, 16));
  expect(CL_SUCCESS, fill(hidden, "x", 1, 0, 16));
  expect(CL_SUCCESS, clFinish(queue_));
}

TEST_F(EnqueueBufferErrors, Copy) {
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyBuffer(no_queue(), buffer_, second_, 0, 0, 16, 0, nullptr, nullptr));
  expect(CL_INVALID_MEM_OBJECT, copy(no_buffer(), second_, 0, 0, 16), "src_buffer");
  expect(CL_INVALID_MEM_OBJECT, copy(buffer_, no_buffer(), 0, 0, 16), "dst_buffer");
  expect(CL_INVALID_CONTEXT, copy(other_buffer_, second_, 0, 0, 16), "src_buffer");
  expect(CL_INVALID_CONTEXT, copy(buffer_, other_buffer_, 0, 0, 16), "dst_buffer");
  expect(CL_INVALID_VALUE, copy(buffer_, second_, size - 8, 0, 16), "src_buffer");
  expect(CL_INVALID_VALUE, copy(buffer_, second_, 0, size - 8, 16), "dst_buffer");
  expect(CL_INVALID_VALUE, copy(buffer_, second_, 8, 8, ~size_t{0}), "src_buffer");
  expect(CL_MEM_COPY_OVERLAP, copy(buffer_, buffer_, 0, 8, 16), "overlap");
  expect(CL_MEM_COPY_OVERLAP, copy(buffer_, buffer_, 8, 0, 16), "overlap");
  expect(CL_MEM_COPY_OVERLAP, copy(buffer_, buffer_, 8, 8, 16), "overlap");
  expect(CL_SUCCESS, copy(buffer_, buffer_, 0, 16, 16));
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return copy(buffer_, second_, 0, 0, 16, count, list);
  });
}

TEST_F(EnqueueBufferErrors, CopyOverlapOfSubBuffers) {
  size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Memory left = make_sub_buffer(buffer_, 0, 2 * step),
         right = make_sub_buffer(buffer_, step, 2 * step);
  expect(CL_MEM_COPY_OVERLAP, copy(left, right, step, 0, 16), "overlap");
  expect(CL_MEM_COPY_OVERLAP, copy(buffer_, right, step, 0, 16), "overlap");
  expect(CL_SUCCESS, copy(left, right, 0, 0, step));
  Rect rect;
  expect(CL_SUCCESS, copy_rect(left, right, rect));
  rect.first = {step, 0, 0};
  rect.region = {8, 1, 1};
  expect(CL_MEM_COPY_OVERLAP, copy_rect(left, right, rect), "overlap");
}

TEST_F(EnqueueBufferErrors, Fill) {
  const char pattern[256] = {};
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueFillBuffer(no_queue(), buffer_, pattern, 4, 0, 16, 0, nullptr, nullptr));
  expect(CL_INVALID_MEM_OBJECT, fill(no_buffer(), pattern, 4, 0, 16), "buffer");
  expect(CL_INVALID_CONTEXT, fill(other_buffer_, pattern, 4, 0, 16), "different contexts");
  expect(CL_INVALID_VALUE, fill(buffer_, pattern, 4, size, 4), "inside");
  expect(CL_INVALID_VALUE, fill(buffer_, nullptr, 4, 0, 16), "pattern is null");
  for (size_t wrong : {size_t{0}, size_t{3}, size_t{12}, size_t{256}})
    expect(CL_INVALID_VALUE, fill(buffer_, pattern, wrong, 0, 0), "pattern_size");
  expect(CL_INVALID_VALUE, fill(buffer_, pattern, 4, 2, 16), "offset");
  expect(CL_INVALID_VALUE, fill(buffer_, pattern, 4, 0, 15), "size");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return fill(buffer_, pattern, 4, 0, 16, count, list);
  });
}

TEST_F(EnqueueBufferErrors, RectShape) {
  Rect rect;
  rect.has_origin = false;
  expect_rect(CL_INVALID_VALUE, rect, "buffer_origin");
  rect = {};
  rect.has_second = false;
  expect_rect(CL_INVALID_VALUE, rect, "host_origin");
  rect = {};
  rect.has_region = false;
  expect_rect(CL_INVALID_VALUE, rect, "region");
  for (int dim = 0; dim < 3; ++dim) {
    rect = {};
    rect.region[dim] = 0;
    expect_rect(CL_INVALID_VALUE, rect, "region[");
  }
  rect = {};
  rect.region[2] = size; // ends past the end of the buffer
  expect_rect(CL_INVALID_VALUE, rect, "inside");
  rect = {};
  rect.first[1] = size;
  expect_rect(CL_INVALID_VALUE, rect, "inside");
  rect = {};
  rect.first[2] = ~size_t{0} / 8; // exceeds the range of size_t
  expect_rect(CL_INVALID_VALUE, rect, "inside");
  rect = {};
  rect.region[1] = ~size_t{0} / 4;
  expect_rect(CL_INVALID_VALUE, rect, "pitch");
}

TEST_F(EnqueueBufferErrors, RectPitches) {
  Rect rect;
  rect.row = 7;
  expect_rect(CL_INVALID_VALUE, rect, "buffer_row_pitch");
  rect = {};
  rect.slice = 63;
  expect_rect(CL_INVALID_VALUE, rect, "buffer_slice_pitch");
  rect = {};
  rect.slice = 65;
  expect_rect(CL_INVALID_VALUE, rect, "buffer_slice_pitch");
  rect = {};
  rect.second_row = 7;
  expect_rect(CL_INVALID_VALUE, rect, "host_row_pitch");
  rect = {};
  rect.second_slice = 32;
  expect_rect(CL_INVALID_VALUE, rect, "host_slice_pitch");
  rect = {};
  rect.second_slice = 72;
  expect_rect(CL_INVALID_VALUE, rect, "host_slice_pitch");
}

TEST_F(EnqueueBufferErrors, RectObjects) {
  expect(CL_INVALID_MEM_OBJECT, read_rect(no_buffer(), {}), "buffer");
  expect(CL_INVALID_MEM_OBJECT, write_rect(no_buffer(), {}), "buffer");
  expect(CL_INVALID_MEM_OBJECT, copy_rect(no_buffer(), second_, {}), "src_buffer");
  expect(CL_INVALID_MEM_OBJECT, copy_rect(buffer_, no_buffer(), {}), "dst_buffer");
  expect(CL_INVALID_CONTEXT, read_rect(other_buffer_, {}), "buffer");
  expect(CL_INVALID_CONTEXT, write_rect(other_buffer_, {}), "buffer");
  expect(CL_INVALID_CONTEXT, copy_rect(other_buffer_, second_, {}), "src_buffer");
  expect(CL_INVALID_CONTEXT, copy_rect(buffer_, other_buffer_, {}), "dst_buffer");
  expect(CL_INVALID_VALUE, read_rect(buffer_, {}, true), "ptr");
  expect(CL_INVALID_VALUE, write_rect(buffer_, {}, true), "ptr");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return read_rect(buffer_, {}, false, count, list);
  });
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return write_rect(buffer_, {}, false, count, list);
  });
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return copy_rect(buffer_, second_, {}, count, list);
  });
}

TEST_F(EnqueueBufferErrors, CopyRectWithinOneBuffer) {
  Rect rect;
  expect(CL_MEM_COPY_OVERLAP, copy_rect(buffer_, buffer_, rect), "overlap");
  rect.second = {4, 1, 0};
  expect(CL_MEM_COPY_OVERLAP, copy_rect(buffer_, buffer_, rect), "overlap");
  rect.second = {8, 0, 0}; // in the gap between the rows
  expect(CL_SUCCESS, copy_rect(buffer_, buffer_, rect));
  rect.second = {0, 0, 2}; // after the last slice
  expect(CL_SUCCESS, copy_rect(buffer_, buffer_, rect));
  rect.second = {8, 0, 0};
  rect.second_row = 32;
  rect.second_slice = 128;
  expect(CL_INVALID_VALUE, copy_rect(buffer_, buffer_, rect), "pitches differ");
  rect.second_row = 16;
  expect(CL_INVALID_VALUE, copy_rect(buffer_, buffer_, rect), "pitches differ");
}

TEST_F(EnqueueBufferErrors, Map) {
  expect_null(CL_INVALID_COMMAND_QUEUE, [&](cl_int *status) {
    return clEnqueueMapBuffer(no_queue(), buffer_, CL_FALSE, CL_MAP_READ, 0, 16, 0, nullptr,
                              nullptr, status);
  });
  expect_map(CL_INVALID_MEM_OBJECT, no_buffer(), CL_MAP_READ, 0, 16, "buffer");
  expect_map(CL_INVALID_CONTEXT, other_buffer_, CL_MAP_READ, 0, 16, "different contexts");
  expect_map(CL_INVALID_VALUE, buffer_, CL_MAP_READ, 0, size + 1, "inside");
  expect_map(CL_INVALID_VALUE, buffer_, CL_MAP_READ, size, 1, "inside");
  expect_map(CL_INVALID_VALUE, buffer_, CL_MAP_READ, 0, 0, "size is 0");
  expect_map(CL_INVALID_VALUE, buffer_, 1 << 10, 0, 16, "map_flags");
  expect_map(CL_INVALID_VALUE, buffer_, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 16,
             "map_flags");
  expect_map(CL_INVALID_VALUE, buffer_, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 16,
             "map_flags");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    cl_int status = 1;
    EXPECT_EQ(clEnqueueMapBuffer(queue_, buffer_, CL_FALSE, CL_MAP_READ, 0, 16, count, list,
                                 nullptr, &status),
              nullptr);
    return status;
  });
}

TEST_F(EnqueueBufferErrors, Unmap) {
  cl_int status = 1;
  void *mapped = clEnqueueMapBuffer(queue_, buffer_, CL_TRUE, CL_MAP_READ, 0, 16, 0, nullptr,
                                    nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  auto unmap = [&](cl_mem buffer, void *pointer, cl_uint count = 0,
                   const cl_event *list = nullptr) {
    return clEnqueueUnmapMemObject(queue_, buffer, pointer, count, list, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueUnmapMemObject(no_queue(), buffer_, mapped, 0, nullptr, nullptr));
  expect(CL_INVALID_MEM_OBJECT, unmap(no_buffer(), mapped), "memobj");
  expect(CL_INVALID_CONTEXT, unmap(other_buffer_, mapped), "different contexts");
  expect(CL_INVALID_VALUE, unmap(second_, mapped), "mapped_ptr");
  expect(CL_INVALID_VALUE, unmap(buffer_, static_cast<char *>(mapped) + 1), "mapped_ptr");
  expect(CL_INVALID_VALUE, unmap(buffer_, nullptr), "mapped_ptr");
  expect_wait_list_errors(
      [&](cl_uint count, const cl_event *list) { return unmap(buffer_, mapped, count, list); });
  expect(CL_SUCCESS, unmap(buffer_, mapped));
  expect(CL_INVALID_VALUE, unmap(buffer_, mapped), "mapped_ptr");
}

TEST_F(EnqueueBufferErrors, Migrate) {
  cl_mem good[] = {buffer_, second_}, wrong[] = {buffer_, no_buffer()},
         other[] = {buffer_, other_buffer_};
  auto migrate = [&](cl_uint number, const cl_mem *list, cl_mem_migration_flags flags = 0,
                     cl_uint count = 0, const cl_event *events = nullptr) {
    return clEnqueueMigrateMemObjects(queue_, number, list, flags, count, events, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueMigrateMemObjects(no_queue(), 2, good, 0, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, migrate(0, good), "num_mem_objects");
  expect(CL_INVALID_VALUE, migrate(2, nullptr), "mem_objects");
  expect(CL_INVALID_MEM_OBJECT, migrate(2, wrong), "mem_objects");
  expect(CL_INVALID_CONTEXT, migrate(2, other), "mem_objects");
  expect(CL_INVALID_VALUE, migrate(2, good, 1 << 10), "flags");
  expect_wait_list_errors(
      [&](cl_uint count, const cl_event *list) { return migrate(2, good, 0, count, list); });
}

} // namespace
