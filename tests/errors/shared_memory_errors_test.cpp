// Tests every error of SVM (OpenCL 3.0 API sections 5.6 and 5.9.2), of
// cl_intel_unified_shared_memory and of cl_ext_buffer_device_address.
#include "../programs/extension_functions.h"
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

class SharedMemoryErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    memory_ = static_cast<char *>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 256, 0));
    ASSERT_NE(memory_, nullptr);
    program_ = build("kernel void k(global int *out, local int *scratch, int value,"
                     "              constant int *table) { *out = value + *table; }");
    kernel_ = make_kernel(program_, "k");
    too_large_ = device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE) + 1;
    notifications_.sentences.clear();
  }
  void TearDown() override { clSVMFree(context_, memory_); }

  void expect_no_svm(const char *word, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
    EXPECT_EQ(clSVMAlloc(context_, flags, size, alignment), nullptr);
    expect(0, 0, word);
  }
  cl_kernel no_kernel() { return reinterpret_cast<cl_kernel>(context_.get()); }
  cl_device_id no_device() { return reinterpret_cast<cl_device_id>(context_.get()); }

  char *memory_ = nullptr;
  Program program_;
  Kernel kernel_;
  size_t too_large_ = 0;
  UnifiedMemory usm;
};

TEST_F(SharedMemoryErrors, Allocation) {
  EXPECT_EQ(clSVMAlloc(no_context(), CL_MEM_READ_WRITE, 64, 0), nullptr);
  expect_no_svm("flags", CL_MEM_USE_HOST_PTR, 64, 0);
  expect_no_svm("flags", cl_svm_mem_flags{1} << 40, 64, 0);
  expect_no_svm("CL_MEM_WRITE_ONLY", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0);
  expect_no_svm("CL_MEM_SVM_ATOMICS", CL_MEM_SVM_ATOMICS, 64, 0);
  expect_no_svm("size", CL_MEM_READ_WRITE, 0, 0);
  expect_no_svm("size", CL_MEM_READ_WRITE, too_large_, 0);
  expect_no_svm("alignment", CL_MEM_READ_WRITE, 64, 24);
  expect_no_svm("alignment", CL_MEM_READ_WRITE, 64, 256);
}

TEST_F(SharedMemoryErrors, Freeing) {
  clSVMFree(context_, nullptr);
  expect(0, 0);
  clSVMFree(no_context(), memory_);
  expect(0, 0);
  clSVMFree(context_, memory_ + 1);
  expect(0, 0, "svm_pointer");
  clSVMFree(other_context_, memory_);
  EXPECT_EQ(clEnqueueSVMUnmap(queue_, memory_, 0, nullptr, nullptr), CL_SUCCESS);
  notifications_.sentences.clear();
  void *pointers[] = {memory_};
  auto call = [&](cl_uint count, void **list, cl_uint events = 0, const cl_event *wait = nullptr) {
    return clEnqueueSVMFree(queue_, count, list, nullptr, nullptr, events, wait, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMFree(no_queue(), 1, pointers, nullptr, nullptr, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, call(0, pointers), "num_svm_pointers");
  expect(CL_INVALID_VALUE, call(1, nullptr), "svm_pointers");
  expect_wait_list_errors(
      [&](cl_uint count, const cl_event *list) { return call(1, pointers, count, list); });
  void *own[] = {memory_, &pointers};
  expect(CL_INVALID_VALUE, call(2, own), "svm_pointers[1]");
  EXPECT_EQ(call(0, nullptr), CL_SUCCESS);
}

TEST_F(SharedMemoryErrors, CopyAndFill) {
  char host[64] = {};
  auto copy = [&](void *to, const void *from, size_t size, cl_uint events = 0,
                  const cl_event *list = nullptr) {
    return clEnqueueSVMMemcpy(queue_, CL_FALSE, to, from, size, events, list, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMemcpy(no_queue(), CL_TRUE, memory_, host, 64, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, copy(nullptr, host, 64), "dst_ptr");
  expect(CL_INVALID_VALUE, copy(memory_, nullptr, 64), "src_ptr");
  expect(CL_MEM_COPY_OVERLAP, copy(memory_, memory_ + 63, 64), "63 bytes apart");
  expect(CL_MEM_COPY_OVERLAP, copy(memory_ + 63, memory_, 64), "63 bytes apart");
  expect_wait_list_errors(
      [&](cl_uint count, const cl_event *list) { return copy(memory_, host, 64, count, list); });
  EXPECT_EQ(copy(memory_, memory_ + 64, 64), CL_SUCCESS);
  Event failed = make_user_event();
  cl_event list[] = {failed};
  EXPECT_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, memory_, host, 64, 1, list, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  notifications_.sentences.clear();

  auto fill = [&](void *to, const void *pattern, size_t pattern_size, size_t size,
                  cl_uint events = 0, const cl_event *wait = nullptr) {
    return clEnqueueSVMMemFill(queue_, to, pattern, pattern_size, size, events, wait, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMemFill(no_queue(), memory_, host, 4, 64, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, fill(nullptr, host, 4, 64), "null");
  expect(CL_INVALID_VALUE, fill(memory_, nullptr, 4, 64), "pattern");
  expect(CL_INVALID_VALUE, fill(memory_ + 2, host, 4, 64), "aligned");
  expect(CL_INVALID_VALUE, fill(memory_, host, 0, 64), "pattern_size");
  expect(CL_INVALID_VALUE, fill(memory_, host, 3, 63), "pattern_size");
  expect(CL_INVALID_VALUE, fill(memory_, host, 256, 256), "pattern_size");
  expect(CL_INVALID_VALUE, fill(memory_, host, 4, 63), "size");
  expect_wait_list_errors(
      [&](cl_uint count, const cl_event *wait) { return fill(memory_, host, 4, 64, count, wait); });
}

TEST_F(SharedMemoryErrors, MapAndMigrate) {
  auto map = [&](cl_map_flags flags, void *pointer, size_t size, cl_uint events = 0,
                 const cl_event *list = nullptr) {
    return clEnqueueSVMMap(queue_, CL_FALSE, flags, pointer, size, events, list, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMap(no_queue(), CL_TRUE, CL_MAP_READ, memory_, 64, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, map(CL_MAP_READ, nullptr, 64), "svm_ptr");
  expect(CL_INVALID_VALUE, map(CL_MAP_READ, memory_, 0), "size");
  expect(CL_INVALID_VALUE, map(1 << 10, memory_, 64), "map_flags");
  expect(CL_INVALID_VALUE, map(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, memory_, 64),
         "map_flags");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return map(CL_MAP_READ, memory_, 64, count, list);
  });
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(no_queue(), memory_, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue_, nullptr, 0, nullptr, nullptr), "svm_ptr");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueSVMUnmap(queue_, memory_, count, list, nullptr);
  });

  const void *pointers[] = {memory_}, *own[] = {&pointers}, *null[] = {nullptr};
  const size_t size = 257, one = 1;
  auto migrate = [&](cl_uint number, const void **list, const size_t *sizes,
                     cl_mem_migration_flags flags, cl_uint events = 0,
                     const cl_event *wait = nullptr) {
    return clEnqueueSVMMigrateMem(queue_, number, list, sizes, flags, events, wait, nullptr);
  };
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMigrateMem(no_queue(), 1, pointers, nullptr, 0, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, migrate(0, pointers, nullptr, 0), "num_svm_pointers");
  expect(CL_INVALID_VALUE, migrate(1, nullptr, nullptr, 0), "svm_pointers");
  expect(CL_INVALID_VALUE, migrate(1, pointers, nullptr, 8), "flags");
  expect(CL_INVALID_VALUE, migrate(1, pointers, &size, 0), "svm_pointers[0]");
  expect(CL_INVALID_VALUE, migrate(1, null, &one, 0), "svm_pointers[0]");
  expect(CL_SUCCESS, migrate(1, own, &one, 0)); // the host's memory is shared as well
  expect_wait_list_errors([&](cl_uint count, const cl_event *wait) {
    return migrate(1, pointers, nullptr, 0, count, wait);
  });
}

TEST_F(SharedMemoryErrors, Arguments) {
  expect(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(no_kernel(), 0, memory_));
  expect(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel_, 4, memory_), "arg_index");
  expect(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel_, 1, memory_), "argument 1");
  expect(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel_, 2, memory_), "argument 2");
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel_, 3, memory_), CL_SUCCESS);
  expect(CL_INVALID_KERNEL, usm.set_argument(no_kernel(), 0, memory_));
  expect(CL_INVALID_ARG_INDEX, usm.set_argument(kernel_, 4, memory_), "arg_index");
  expect(CL_INVALID_ARG_VALUE, usm.set_argument(kernel_, 2, memory_), "argument 2");
  const auto set_address = function<SetKernelArgDevicePointer>("clSetKernelArgDevicePointerEXT");
  expect(CL_INVALID_KERNEL, set_address(no_kernel(), 0, 0));
  expect(CL_INVALID_ARG_INDEX, set_address(kernel_, 4, 0), "arg_index");
  for (cl_uint index : {1, 2, 3})
    expect(CL_INVALID_ARG_INDEX, set_address(kernel_, index, 0), "not a pointer to global memory");
}

TEST_F(SharedMemoryErrors, ExecInfo) {
  void *pointers[] = {memory_};
  const cl_bool no = CL_FALSE;
  expect(CL_INVALID_KERNEL,
         clSetKernelExecInfo(no_kernel(), CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
  expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel_, CL_DEVICE_NAME, sizeof no, &no),
         "param_name");
  for (cl_kernel_exec_info name :
       {cl_kernel_exec_info{CL_KERNEL_EXEC_INFO_SVM_PTRS},
        cl_kernel_exec_info{CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL}, device_pointers}) {
    expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel_, name, 8, nullptr), "param_value");
    expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel_, name, 7, pointers), "param_value_size");
    EXPECT_EQ(clSetKernelExecInfo(kernel_, name, 8, pointers), CL_SUCCESS);
    EXPECT_EQ(clSetKernelExecInfo(kernel_, name, 0, nullptr), CL_SUCCESS);
  }
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel_, name, 1, &no), "param_value_size");
    expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel_, name, sizeof no, nullptr), "param_value");
    EXPECT_EQ(clSetKernelExecInfo(kernel_, name, sizeof no, &no), CL_SUCCESS);
  }
}

TEST_F(SharedMemoryErrors, UnifiedAllocations) {
  using Properties = const cl_mem_properties_intel *;
  auto allocate = [&](int type, cl_context context, Properties properties, size_t size,
                      cl_uint alignment, cl_int *status) {
    return type == 0   ? usm.host(context, properties, size, alignment, status)
           : type == 1 ? usm.device(context, device_, properties, size, alignment, status)
                       : usm.shared(context, device_, properties, size, alignment, status);
  };
  const cl_mem_properties_intel unknown[] = {1, 1, 0};
  const cl_mem_properties_intel bits[] = {CL_MEM_ALLOC_FLAGS_INTEL, 8, 0};
  const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1, CL_MEM_ALLOC_FLAGS_INTEL, 1,
                                           0};
  const cl_mem_properties_intel both[] = {CL_MEM_ALLOC_FLAGS_INTEL, 6, 0};
  const cl_mem_properties_intel place[] = {CL_MEM_ALLOC_FLAGS_INTEL, 2, 0};
  for (int type : {0, 1, 2}) {
    auto expect_no = [&](cl_int code, const char *word, Properties properties, size_t size,
                         cl_uint alignment) {
      expect_null(
          code,
          [&](cl_int *status) {
            return allocate(type, context_, properties, size, alignment, status);
          },
          word);
    };
    expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
      return allocate(type, no_context(), nullptr, 64, 0, status);
    });
    expect_no(CL_INVALID_VALUE, "alignment", nullptr, 64, 24);
    expect_no(CL_INVALID_VALUE, "alignment", nullptr, 64, 8192);
    expect_no(CL_INVALID_BUFFER_SIZE, "size", nullptr, 0, 0);
    expect_no(CL_INVALID_BUFFER_SIZE, "size", nullptr, too_large_, 0);
    expect_no(CL_INVALID_PROPERTY, "properties", unknown, 64, 0);
    expect_no(CL_INVALID_PROPERTY, "FLAGS", bits, 64, 0);
    expect_no(CL_INVALID_PROPERTY, "twice", twice, 64, 0);
    expect_no(CL_INVALID_PROPERTY, "CL_MEM_ALLOC_FLAGS_INTEL", both, 64, 0);
    if (type != 2)
      expect_no(CL_INVALID_PROPERTY, "shared", place, 64, 0);
  }
  for (cl_device_id device : {no_device(), cl_device_id{}})
    expect_null(
        CL_INVALID_DEVICE,
        [&](cl_int *status) { return usm.device(context_, device, nullptr, 64, 0, status); },
        "device");
  expect_null(
      CL_INVALID_DEVICE,
      [&](cl_int *status) { return usm.shared(context_, no_device(), nullptr, 64, 0, status); },
      "device");
}

TEST_F(SharedMemoryErrors, UnifiedMemory) {
  cl_int status = 1;
  auto *memory = static_cast<char *>(usm.shared(context_, nullptr, nullptr, 64, 0, &status));
  for (auto free : {usm.free, usm.blocking_free}) {
    expect(CL_INVALID_CONTEXT, free(no_context(), memory));
    expect(CL_INVALID_VALUE, free(context_, memory + 1), "ptr");
    expect(CL_INVALID_VALUE, free(context_, memory_), "ptr"); // from clSVMAlloc
  }
  EXPECT_EQ(usm.free(other_context_, memory), CL_INVALID_VALUE);
  cl_unified_shared_memory_type_intel type;
  expect(CL_INVALID_CONTEXT,
         usm.info(no_context(), memory, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, nullptr));
  expect(CL_INVALID_VALUE, usm.info(context_, memory, 1, sizeof type, &type, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, usm.info(context_, memory, CL_MEM_ALLOC_TYPE_INTEL, 1, &type, nullptr),
         "param_value_size");
  char host[64] = {};
  cl_command_queue queue = queue_;
  expect(CL_INVALID_COMMAND_QUEUE,
         usm.copy(no_queue(), CL_TRUE, memory, host, 64, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, usm.copy(queue, CL_TRUE, nullptr, host, 64, 0, nullptr, nullptr),
         "dst_ptr");
  expect(CL_MEM_COPY_OVERLAP, usm.copy(queue, CL_TRUE, memory, memory + 8, 64, 0, nullptr, nullptr),
         "apart");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return usm.copy(queue, CL_TRUE, memory, host, 64, count, list, nullptr);
  });
  expect(CL_INVALID_COMMAND_QUEUE, usm.fill(no_queue(), memory, host, 4, 64, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, usm.fill(queue, memory, host, 3, 63, 0, nullptr, nullptr),
         "pattern_size");
  expect(CL_INVALID_VALUE, usm.fill(queue, memory + 1, host, 4, 4, 0, nullptr, nullptr), "aligned");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return usm.fill(queue, memory, host, 4, 64, count, list, nullptr);
  });
  expect(CL_INVALID_COMMAND_QUEUE, usm.migrate(no_queue(), memory, 64, 0, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, usm.migrate(queue, memory, 64, 8, 0, nullptr, nullptr), "flags");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return usm.migrate(queue, memory, 64, 0, count, list, nullptr);
  });
  expect(CL_INVALID_COMMAND_QUEUE, usm.advise(no_queue(), memory, 64, 0, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, usm.advise(queue, memory, 64, 8, 0, nullptr, nullptr), "advice");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return usm.advise(queue, memory, 64, 0, count, list, nullptr);
  });
  EXPECT_EQ(usm.free(context_, memory), CL_SUCCESS);
}

TEST_F(SharedMemoryErrors, Buffers) {
  expect_null(
      CL_INVALID_BUFFER_SIZE,
      [&](cl_int *status) {
        return clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 257, memory_, status);
      },
      "allocation of 256 bytes");
  expect_null(
      CL_INVALID_BUFFER_SIZE,
      [&](cl_int *status) {
        return clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, 256, memory_ + 1, status);
      },
      "at byte 1");
  const cl_mem_properties twice[] = {private_address, CL_TRUE, private_address, CL_TRUE, 0};
  const cl_mem_properties wrong[] = {private_address, 2, 0}, no[] = {private_address, CL_FALSE, 0};
  for (const cl_mem_properties *properties : {twice, wrong})
    expect_null(
        CL_INVALID_PROPERTY,
        [&](cl_int *status) {
          return clCreateBufferWithProperties(context_, properties, 0, 64, nullptr, status);
        },
        "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
  Memory plain = make_buffer(64);
  cl_int status = 1;
  Memory without(clCreateBufferWithProperties(context_, no, 0, 64, nullptr, &status));
  cl_ulong address = 0;
  for (cl_mem buffer : {plain.get(), without.get()})
    expect(CL_INVALID_OPERATION,
           clGetMemObjectInfo(buffer, device_address, sizeof address, &address, nullptr),
           "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
}

} // namespace
