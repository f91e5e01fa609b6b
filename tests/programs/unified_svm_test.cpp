// Tests cl_khr_unified_svm: types of shared virtual memory and their capabilities.
#include "unified_svm_functions.h"

#include <algorithm>
#include <numeric>

using namespace lockstep::test;
namespace svm = lockstep::test::unified_svm;

namespace {

const char *const source = R"(
  kernel void add(global int *data, int amount) { data[get_global_id(0)] += amount; }
  kernel void add_at(global ulong *table, int amount) {
    *(global int *)table[get_global_id(0)] += amount;
  }
  kernel void count(global atomic_int *counter) { atomic_fetch_add(counter, 1); }
)";

class UnifiedSvm : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(source, "-cl-std=CL3.0");
    size_t size = 0;
    ASSERT_EQ(clGetDeviceInfo(device_, svm::device_types, 0, nullptr, &size), CL_SUCCESS);
    types_.resize(size / sizeof types_[0]);
    ASSERT_EQ(clGetDeviceInfo(device_, svm::device_types, size, types_.data(), nullptr),
              CL_SUCCESS);
  }

  svm::Properties of_device() const {
    return {svm::associated_device, reinterpret_cast<cl_properties>(device_), 0};
  }
  void *allocate(cl_uint type, size_t size) {
    cl_int status = 1;
    void *memory = f.allocate(context_, of_device().data(), type, size, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_NE(memory, nullptr);
    return memory;
  }
  void free(void *memory) { EXPECT_EQ(f.free(context_, nullptr, 0, memory), CL_SUCCESS); }
  template <class T> T info(const void *pointer, cl_uint name, cl_device_id device = nullptr) {
    T value{};
    size_t size = 0;
    EXPECT_EQ(f.info(context_, device, pointer, name, sizeof value, &value, &size), CL_SUCCESS);
    EXPECT_EQ(size, sizeof value);
    return value;
  }
  cl_uint suggested(svm::Capabilities required, svm::Capabilities desired = 0,
                    const cl_properties *properties = nullptr) {
    cl_uint type = 77;
    EXPECT_EQ(f.suggest(context_, required, desired, properties, 64, &type), CL_SUCCESS);
    return type;
  }
  void launch(cl_kernel kernel, const void *pointer, size_t items) {
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, pointer), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  Kernel adding(int amount) {
    Kernel kernel = make_kernel(program_, "add");
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof amount, &amount), CL_SUCCESS);
    return kernel;
  }

  svm::Functions f;
  Program program_;
  std::vector<svm::Capabilities> types_;
};

TEST_F(UnifiedSvm, PlatformAndDeviceNameTheSameTypes) {
  std::vector<svm::Capabilities> of_platform(types_.size());
  size_t size = 0;
  ASSERT_EQ(clGetPlatformInfo(find_platform(), svm::platform_types,
                              types_.size() * sizeof types_[0], of_platform.data(), &size),
            CL_SUCCESS);
  EXPECT_EQ(size, types_.size() * sizeof types_[0]);
  EXPECT_EQ(types_, of_platform);
  for (const svm::Capabilities usual :
       {svm::coarse_grain_buffer, svm::fine_grain_buffer, svm::device_memory, svm::host_memory,
        svm::single_device_shared, svm::system_memory})
    EXPECT_TRUE(std::ranges::any_of(types_, [&](auto type) { return (type & usual) == usual; }));
  for (const svm::Capabilities type : types_) {
    if (type & svm::device_owned)
      EXPECT_FALSE(type & svm::device_unassociated);
    if (type & svm::host_owned)
      EXPECT_TRUE(type & svm::device_unassociated);
  }
}

// The library suggests the type that has the required capabilities and the fewest others.
TEST_F(UnifiedSvm, SuggestsATypeThatHasAll) {
  for (cl_uint type = 0; type < types_.size(); ++type) {
    EXPECT_EQ(suggested(types_[type]), type);
    EXPECT_EQ(suggested(types_[type], 0, of_device().data()), type);
  }
  EXPECT_EQ(suggested(svm::coarse_grain_buffer), 0u);
  EXPECT_TRUE(types_[suggested(svm::device_memory)] & svm::device_owned);
  EXPECT_TRUE(types_[suggested(svm::host_memory)] & svm::host_owned);
  EXPECT_FALSE(types_[suggested(svm::single_device_shared)] & svm::context_access);
  EXPECT_TRUE(types_[suggested(svm::device_read, svm::host_owned)] & svm::host_owned);
  EXPECT_TRUE(types_[suggested(svm::host_read)] & svm::host_read);
  EXPECT_EQ(suggested(svm::device_owned | svm::host_owned), CL_UINT_MAX);
  EXPECT_EQ(suggested(svm::Capabilities{1} << 40), CL_UINT_MAX);
}

TEST_F(UnifiedSvm, TellsOfItself) {
  svm::Properties given = of_device();
  given.insert(given.begin(), {svm::alignment, 64, svm::access_flags, 0x101});
  for (cl_uint type = 0; type < types_.size(); ++type) {
    cl_int status = 1;
    char *memory = static_cast<char *>(f.allocate(context_, given.data(), type, 1000, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    for (const char *inside : {memory, memory + 999}) {
      EXPECT_EQ(info<cl_uint>(inside, svm::type_index), type);
      EXPECT_EQ(info<svm::Capabilities>(inside, svm::capabilities), types_[type]);
      EXPECT_EQ(info<svm::Capabilities>(inside, svm::capabilities, device_), types_[type]);
      EXPECT_EQ(info<cl_bitfield>(inside, svm::access_of), 0x101u);
      EXPECT_EQ(info<void *>(inside, svm::base_pointer), memory);
      EXPECT_EQ(info<size_t>(inside, svm::size_of), 1000u);
      EXPECT_EQ(info<cl_device_id>(inside, svm::device_of), device_);
      svm::Properties told(given.size());
      size_t size = 0;
      EXPECT_EQ(f.info(context_, nullptr, inside, svm::properties, sizeof told[0] * told.size(),
                       told.data(), &size),
                CL_SUCCESS);
      EXPECT_EQ(size, sizeof told[0] * told.size());
      EXPECT_EQ(told, given);
    }
    free(memory);
    EXPECT_EQ(info<size_t>(memory, svm::size_of), 0u);
  }
}

TEST_F(UnifiedSvm, KnowsTheMemoryOfClSvmAllocAndNoOther) {
  for (const cl_svm_mem_flags flags :
       {cl_svm_mem_flags{0}, cl_svm_mem_flags{CL_MEM_SVM_FINE_GRAIN_BUFFER}}) {
    void *memory = clSVMAlloc(context_, CL_MEM_READ_WRITE | flags, 64, 0);
    const auto has = info<svm::Capabilities>(memory, svm::capabilities);
    EXPECT_EQ(has & svm::host_read, flags ? svm::host_read : 0);
    EXPECT_EQ(types_[info<cl_uint>(memory, svm::type_index)], has);
    size_t size = 1;
    EXPECT_EQ(f.info(context_, nullptr, memory, svm::properties, 0, nullptr, &size), CL_SUCCESS);
    EXPECT_EQ(size, 0u);
    free(memory);
  }
  UnifiedMemory usm;
  cl_int status = 1;
  void *of_intel = usm.host(context_, nullptr, 64, 0, &status);
  int own = 0;
  for (const void *unknown : {static_cast<const void *>(&own), static_cast<const void *>(nullptr),
                              static_cast<const void *>(of_intel)}) {
    EXPECT_EQ(info<cl_uint>(unknown, svm::type_index), CL_UINT_MAX);
    EXPECT_EQ(info<svm::Capabilities>(unknown, svm::capabilities), 0u);
    EXPECT_EQ(info<void *>(unknown, svm::base_pointer), nullptr);
    EXPECT_EQ(info<cl_device_id>(unknown, svm::device_of), nullptr);
  }
  EXPECT_EQ(usm.free(context_, of_intel), CL_SUCCESS);
}

// Each type is used by the host as its capabilities allow, by commands and by kernels.
TEST_F(UnifiedSvm, EachTypeIsFilledCopiedMappedAndGivenToKernels) {
  for (cl_uint type = 0; type < types_.size(); ++type) {
    int *memory = static_cast<int *>(allocate(type, 400));
    const int pattern = 3;
    EXPECT_EQ(clEnqueueSVMMemFill(queue_, memory, &pattern, 4, 400, 0, nullptr, nullptr),
              CL_SUCCESS);
    launch(adding(4), memory + 50, 50);
    const void *list[] = {memory, nullptr}; // null means nothing to migrate
    EXPECT_EQ(clEnqueueSVMMigrateMem(queue_, 2, list, nullptr, 0, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> host(100);
    EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, host.data(), memory, 400, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(host[49], 3);
    EXPECT_EQ(host[50], 7);
    if (types_[type] & svm::host_map) {
      EXPECT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_WRITE, memory, 400, 0, nullptr, nullptr),
                CL_SUCCESS);
      memory[0] = 11;
      EXPECT_EQ(clEnqueueSVMUnmap(queue_, memory, 0, nullptr, nullptr), CL_SUCCESS);
      launch(adding(1), memory, 1);
      EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, host.data(), memory, 4, 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(host[0], 12);
    }
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    if (types_[type] & svm::host_read)
      EXPECT_EQ(memory[99], 7);
    void *freed[] = {memory};
    EXPECT_EQ(clEnqueueSVMFree(queue_, 1, freed, nullptr, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(info<size_t>(memory, svm::size_of), 0u);
  }
}

TEST_F(UnifiedSvm, AllTypesAreReachedThroughPointersInMemory) {
  auto *table = static_cast<cl_ulong *>(allocate(suggested(svm::host_memory), types_.size() * 8));
  std::vector<void *> all;
  for (cl_uint type = 0; type < types_.size(); ++type) {
    all.push_back(allocate(type, 4));
    const int pattern = 1;
    EXPECT_EQ(clEnqueueSVMMemFill(queue_, all[type], &pattern, 4, 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    table[type] = reinterpret_cast<uintptr_t>(all[type]);
  }
  Kernel kernel = make_kernel(program_, "add_at");
  const int amount = 4;
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof amount, &amount), CL_SUCCESS);
  const cl_bool yes = CL_TRUE;
  EXPECT_EQ(clSetKernelExecInfo(kernel, svm::indirect_access, sizeof yes, &yes), CL_SUCCESS);
  launch(kernel, table, types_.size());
  for (void *memory : all) {
    int value = 0;
    EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, &value, memory, 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(value, 5);
    clSVMFree(context_, memory); // works like the extension's function
  }
  free(table);
}

TEST_F(UnifiedSvm, HostAndKernelCountTogether) {
  for (cl_uint type = 0; type < types_.size(); ++type) {
    if (!(types_[type] & svm::concurrent_atomic_access))
      continue;
    int *counter = static_cast<int *>(allocate(type, 4));
    *counter = 0;
    launch(make_kernel(program_, "count"), counter, 10000);
    EXPECT_EQ(clFlush(queue_), CL_SUCCESS);
    for (int i = 0; i < 10000; ++i)
      __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(*counter, 20000);
    free(counter);
  }
}

TEST_F(UnifiedSvm, NothingIsNowhere) {
  for (cl_uint type = 0; type < types_.size(); ++type) {
    cl_int status = 1;
    EXPECT_EQ(f.allocate(context_, of_device().data(), type, 0, &status), nullptr);
    EXPECT_EQ(status, CL_SUCCESS);
  }
  free(nullptr);
  const int pattern = 0;
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, nullptr, nullptr, 0, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMemFill(queue_, nullptr, &pattern, 4, 0, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace
