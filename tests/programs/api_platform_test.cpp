// Tests the queries of platforms, devices and sub-devices (OpenCL 3.0 API sections 4.1 to 4.3).
// They succeed, agree with each other, and meet the specification's minima.
#include "opencl_fixture.h"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <algorithm>
#include <regex>
#include <sstream>

using namespace lockstep::test;

namespace {

class Device : public DeviceTest {
protected:
  std::string text(cl_device_info name) {
    size_t size = 0;
    EXPECT_EQ(clGetDeviceInfo(device_, name, 0, nullptr, &size), CL_SUCCESS);
    std::string value(size, 'x');
    EXPECT_EQ(clGetDeviceInfo(device_, name, size, value.data(), nullptr), CL_SUCCESS);
    EXPECT_TRUE(size && value.back() == '\0') << "text ends with a null character";
    value.resize(value.empty() ? 0 : value.size() - 1);
    return value;
  }
  template <class T> std::vector<T> list(cl_device_info name, cl_device_id device = nullptr) {
    size_t size = 1;
    device = device ? device : device_;
    EXPECT_EQ(clGetDeviceInfo(device, name, 0, nullptr, &size), CL_SUCCESS);
    EXPECT_EQ(size % sizeof(T), 0u);
    std::vector<T> values(size / sizeof(T));
    EXPECT_EQ(clGetDeviceInfo(device, name, size, values.data(), nullptr), CL_SUCCESS);
    return values;
  }
  bool has_feature(const std::string &name) {
    auto features = list<cl_name_version>(CL_DEVICE_OPENCL_C_FEATURES);
    return std::ranges::any_of(
        features, [&](const cl_name_version &feature) { return feature.name == name; });
  }
  std::vector<cl_device_id> partition(std::vector<cl_device_partition_property> properties) {
    properties.push_back(0);
    cl_uint count = 0;
    EXPECT_EQ(clCreateSubDevices(device_, properties.data(), 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> devices(count);
    EXPECT_EQ(clCreateSubDevices(device_, properties.data(), count, devices.data(), nullptr),
              CL_SUCCESS);
    return devices;
  }
};

TEST_F(Device, PlatformSaysWhoItIs) {
  cl_platform_id platform = find_platform();
  char text[1024];
  size_t size = 0;
  EXPECT_EQ(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, &size), CL_SUCCESS);
  EXPECT_EQ(std::string(text).rfind("OpenCL 3.1 ", 0), 0u) << text;
  EXPECT_EQ(size, std::strlen(text) + 1);
  cl_version version = 0;
  EXPECT_EQ(
      clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(version, CL_MAKE_VERSION(3, 1, 0));
  EXPECT_EQ(clGetPlatformInfo(platform, CL_PLATFORM_PROFILE, sizeof text, text, nullptr),
            CL_SUCCESS);
  EXPECT_STREQ(text, "FULL_PROFILE");
  cl_ulong resolution = 0;
  EXPECT_EQ(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution,
                              &resolution, nullptr),
            CL_SUCCESS);
  EXPECT_GT(resolution, 0u);
}

TEST_F(Device, IsFoundByEachTypeThatItHas) {
  cl_platform_id platform = find_platform();
  const auto own = device_info<cl_device_type>(CL_DEVICE_TYPE);
  EXPECT_TRUE(own == CL_DEVICE_TYPE_CPU || own == CL_DEVICE_TYPE_GPU) << own;
  for (cl_device_type type :
       {cl_device_type{CL_DEVICE_TYPE_ALL}, own, cl_device_type{CL_DEVICE_TYPE_DEFAULT},
        cl_device_type{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU}}) {
    cl_device_id device = nullptr;
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform, type, 1, &device, &count), CL_SUCCESS);
    EXPECT_EQ(device, device_);
    EXPECT_EQ(count, 1u);
  }
  EXPECT_EQ(device_info<cl_platform_id>(CL_DEVICE_PLATFORM), platform);
}

// Section 4.2: the minima of the full profile.
TEST_F(Device, LimitsAreAtLeastWhatTheFullProfileWants) {
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3u);
  EXPECT_EQ(list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES).size(), 3u);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024u);
  const auto global = device_info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            std::min<cl_ulong>(1 << 30, global / 4));
  EXPECT_LE(device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), global);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 1024u); // size of long16 in bits
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), 8u);
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_PRINTF_BUFFER_SIZE), 1u << 20);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE), 64u << 10);
  const auto config = device_info<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  EXPECT_EQ(config & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN),
            CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
  EXPECT_TRUE(device_info<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE));
  EXPECT_TRUE(device_info<cl_bool>(CL_DEVICE_LINKER_AVAILABLE));
  EXPECT_TRUE(device_info<cl_bool>(CL_DEVICE_AVAILABLE));
}

// The string has the form vYYYY-MM-DD-XX (section 4.2,
// CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED).
TEST_F(Device, ConformanceVersionIsADate) {
  EXPECT_TRUE(std::regex_match(text(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED),
                               std::regex("v[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}")));
}

TEST_F(Device, PreferredVectorWidthIsOneWhereItemsAreLanes) {
  const bool lanes = device_info<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) > 1;
  const cl_uint native = device_info<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
  if (device_info<cl_device_type>(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU)
    EXPECT_EQ(native, 1u);
  else
    EXPECT_GE(native, 4u);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT), lanes ? 1 : native);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF),
            lanes ? 1 : device_info<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF));
}

TEST_F(Device, ExtensionListsAgree) {
  std::istringstream words(text(CL_DEVICE_EXTENSIONS));
  std::vector<std::string> names, with_version;
  for (std::string word; words >> word;)
    names.push_back(word);
  for (const cl_name_version &extension : list<cl_name_version>(CL_DEVICE_EXTENSIONS_WITH_VERSION))
    with_version.emplace_back(extension.name);
  EXPECT_EQ(names, with_version);
  for (const char *required :
       {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics", "cl_khr_icd"})
    EXPECT_NE(std::ranges::find(names, required), names.end()) << required;
}

// What an ICD loader of version 2 reads and writes (cl_khr_icd 2.0): two marks in the dispatch table,
// the address of each function, and a pointer of its own in the second word of each handle.
struct LoaderWords {
  const cl_icd_dispatch *table;
  void *data;
};

const LoaderWords &words_of(const void *handle) {
  return *static_cast<const LoaderWords *>(handle);
}

TEST_F(Device, CarriesTheDataOfTheIcdLoader) {
  cl_platform_id platform = find_platform();
  const LoaderWords &words = words_of(platform);
  const auto tag = reinterpret_cast<void *>(intptr_t{0x4F50454E434C3331});
  EXPECT_EQ(reinterpret_cast<void *>(words.table->clGetPlatformIDs), tag);
  EXPECT_EQ(reinterpret_cast<void *>(words.table->clUnloadCompiler), tag);
  // A loader of version 2 keeps the functions of cl_khr_icd from the program.
  const auto library = words.table->clGetExtensionFunctionAddressForPlatform;
  // OpenCL 3.1 appends one function to the table.
  EXPECT_EQ(*reinterpret_cast<void *const *>(words.table + 1),
            library(platform, "clGetKernelSuggestedLocalWorkSize"));

  auto address = reinterpret_cast<void *(CL_API_CALL *)(cl_platform_id, const char *)>(
      library(platform, "clIcdGetFunctionAddressForPlatformKHR"));
  auto set_data = reinterpret_cast<cl_int(CL_API_CALL *)(cl_platform_id, void *)>(
      library(platform, "clIcdSetPlatformDispatchDataKHR"));
  ASSERT_TRUE(address && set_data);
  EXPECT_EQ(address(platform, "clCreateContext"),
            reinterpret_cast<void *>(words.table->clCreateContext));
  EXPECT_EQ(address(platform, "clNoSuchFunction"), nullptr);
  const auto no_platform = reinterpret_cast<cl_platform_id>(device_);
  EXPECT_EQ(address(no_platform, "clCreateContext"), nullptr);
  EXPECT_EQ(set_data(no_platform, this), CL_INVALID_PLATFORM);

  void *const before = words.data; // of the loader that runs this test
  ASSERT_EQ(set_data(platform, this), CL_SUCCESS);
  EXPECT_EQ(words.data, this);
  EXPECT_EQ(words_of(device_).data, this);
  auto create = reinterpret_cast<cl_api_clCreateContext>(address(platform, "clCreateContext"));
  auto release = reinterpret_cast<cl_api_clReleaseContext>(address(platform, "clReleaseContext"));
  cl_context context = create(nullptr, 1, &device_, nullptr, nullptr, nullptr);
  EXPECT_EQ(words_of(context).data, this);
  EXPECT_EQ(words_of(context).table, words.table);
  EXPECT_EQ(release(context), CL_SUCCESS);
  EXPECT_EQ(words_of(context).data, this); // a stale handle, too
  EXPECT_EQ(set_data(platform, before), CL_SUCCESS);
  EXPECT_EQ(words.data, before);
}

TEST_F(Device, FeaturesAgreeWithQueries) {
  EXPECT_EQ(has_feature("__opencl_c_fp64"),
            device_info<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
  EXPECT_EQ(has_feature("__opencl_c_fp64"),
            text(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos);
  EXPECT_EQ(has_feature("__opencl_c_images"),
            device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has_feature("__opencl_c_pipes"),
            device_info<cl_bool>(CL_DEVICE_PIPE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has_feature("__opencl_c_subgroups"),
            device_info<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0);
  EXPECT_EQ(has_feature("__opencl_c_generic_address_space"),
            device_info<cl_bool>(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has_feature("__opencl_c_work_group_collective_functions"),
            device_info<cl_bool>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has_feature("__opencl_c_device_enqueue"),
            device_info<cl_device_device_enqueue_capabilities>(
                CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0);
  EXPECT_EQ(has_feature("__opencl_c_device_enqueue"),
            (device_info<cl_device_command_buffer_capabilities_khr>(
                 CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR) &
             CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR) != 0);
  const auto atomics =
      device_info<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  EXPECT_EQ(has_feature("__opencl_c_atomic_order_seq_cst"),
            (atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) != 0);
  EXPECT_EQ(has_feature("__opencl_c_atomic_scope_device"),
            (atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0);
}

// Sections 5.1 and 5.4.1.
TEST_F(Device, CallsNeedTheFeaturesThatTheDeviceReports) {
  cl_int status = 1;
  Memory pipe(clCreatePipe(context_, 0, 4, 4, nullptr, &status));
  EXPECT_EQ(status, has_feature("__opencl_c_pipes") ? CL_SUCCESS : CL_INVALID_OPERATION);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, queue_),
            has_feature("__opencl_c_device_enqueue") ? CL_INVALID_COMMAND_QUEUE
                                                     : CL_INVALID_OPERATION);
}

// cl_khr_pci_bus_info
TEST_F(Device, OnlyDevicesOnAPciBusSayWhere) {
  const bool is_there = text(CL_DEVICE_EXTENSIONS).find("cl_khr_pci_bus_info") != std::string::npos;
  EXPECT_EQ(is_there, device_info<cl_device_type>(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU);
  cl_device_pci_bus_info_khr place{};
  EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof place, &place, nullptr),
            is_there ? CL_SUCCESS : CL_INVALID_VALUE);
  if (is_there) {
    EXPECT_LT(place.pci_bus, 256u);
    EXPECT_LT(place.pci_device, 32u);
    EXPECT_LT(place.pci_function, 8u);
  }
}

TEST_F(Device, LocalMemoryOfAGpuIsItsOwn) {
  const bool is_gpu = device_info<cl_device_type>(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU;
  EXPECT_EQ(device_info<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE),
            cl_device_local_mem_type(is_gpu ? CL_LOCAL : CL_GLOBAL));
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY), is_gpu ? CL_FALSE : CL_TRUE);
  if (is_gpu)
    EXPECT_TRUE(device_info<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_FMA);
}

TEST_F(Device, LanguageVersions) {
  std::vector<cl_version> versions;
  for (const cl_name_version &version : list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
    EXPECT_STREQ(version.name, "OpenCL C");
    versions.push_back(version.version);
  }
  std::vector<cl_version> expected = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                                      CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(2, 0, 0),
                                      CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(3, 1, 0)};
  if (!has_feature("__opencl_c_device_enqueue")) // which OpenCL C 2.0 requires
    std::erase(expected, CL_MAKE_VERSION(2, 0, 0));
  EXPECT_EQ(versions, expected);
}

// CL_DEVICE_OPENCL_C_VERSION is above 1.2 if and only if the device has all optional features of
// that version (OpenCL C 3.0, section 6.2.1, and cl_khr_integer_dot_product, which is core in 3.1).
TEST_F(Device, LanguageVersionPromisesAllOptionalFeatures) {
  bool has_all = true;
  for (const char *name :
       {"3d_image_writes", "atomic_order_acq_rel", "atomic_order_seq_cst",
        "atomic_scope_all_devices", "atomic_scope_device", "device_enqueue", "fp64",
        "generic_address_space", "images", "int64", "integer_dot_product_input_4x8bit",
        "integer_dot_product_input_4x8bit_packed", "pipes", "program_scope_global_variables",
        "read_write_images", "subgroups", "work_group_collective_functions"})
    has_all = has_all && has_feature((std::string("__opencl_c_") + name).c_str());
  EXPECT_EQ(text(CL_DEVICE_OPENCL_C_VERSION).rfind(has_all ? "OpenCL C 3.1 " : "OpenCL C 1.2 ", 0),
            0u);
  EXPECT_EQ(device_info<cl_version>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR),
            has_all ? CL_MAKE_VERSION(3, 1, 0) : CL_MAKE_VERSION(1, 2, 0));
}

// Programs build with the version that the device reports, and use what other queries report. A
// device without all optional features reports 1.2, which lacks these functions.
TEST_F(Device, ReportedLanguageVersionHasReportedFunctions) {
  const std::string reported = text(CL_DEVICE_OPENCL_C_VERSION).substr(9, 3);
  const std::string version = reported == "1.2" ? "3.0" : reported;
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT), CL_TRUE);
  build("kernel void k(global int *a) { a[0] = work_group_reduce_min(a[get_local_id(0)]); }",
        ("-cl-std=CL" + version).c_str());
}

// Programs search these strings for "1.0" or "2.0".
TEST_F(Device, VersionsContainNoOtherVersion) {
  char platform[1024];
  EXPECT_EQ(
      clGetPlatformInfo(find_platform(), CL_PLATFORM_VERSION, sizeof platform, platform, nullptr),
      CL_SUCCESS);
  EXPECT_STREQ(platform, text(CL_DEVICE_VERSION).c_str());
  const char *const language =
      has_feature("__opencl_c_device_enqueue") ? "OpenCL C 3.1 " : "OpenCL C 1.2 ";
  for (auto [words, prefix] : {std::pair{text(CL_DEVICE_VERSION), "OpenCL 3.1 "},
                               std::pair{text(CL_DEVICE_OPENCL_C_VERSION), language}}) {
    ASSERT_EQ(words.rfind(prefix, 0), 0u) << words;
    const std::string vendor = words.substr(std::strlen(prefix));
    EXPECT_NE(vendor, "");
    EXPECT_EQ(vendor.find_first_of("0123456789"), std::string::npos) << words;
  }
}

// The compiler defines the macro of each feature and extension that the device reports.
TEST_F(Device, FeatureMacrosAreDefined) {
  std::string source;
  for (const cl_name_version &feature : list<cl_name_version>(CL_DEVICE_OPENCL_C_FEATURES))
    source += std::string("#ifndef ") + feature.name + "\n#error " + feature.name + "\n#endif\n";
  source += "kernel void k(void) {}\n";
  build(source.c_str(), "-cl-std=CL3.0");
}

TEST_F(Device, IdentifiersStayTheSame) {
  auto device = list<cl_uchar>(CL_DEVICE_UUID_KHR), driver = list<cl_uchar>(CL_DRIVER_UUID_KHR);
  EXPECT_EQ(device.size(), size_t{CL_UUID_SIZE_KHR});
  EXPECT_EQ(driver.size(), size_t{CL_UUID_SIZE_KHR});
  EXPECT_NE(device, driver);
  EXPECT_EQ(device, list<cl_uchar>(CL_DEVICE_UUID_KHR));
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_LUID_VALID_KHR), CL_FALSE);
}

TEST_F(Device, TimersAreOneClock) {
  cl_ulong device_time = 0, host_time = 0, later = 0;
  EXPECT_EQ(clGetDeviceAndHostTimer(device_, &device_time, &host_time), CL_SUCCESS);
  EXPECT_EQ(clGetHostTimer(device_, &later), CL_SUCCESS);
  EXPECT_GE(later, host_time);
  EXPECT_LT(later - host_time, 60'000'000'000u); // other clocks begin at other times
  Event event;
  Queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  cl_ulong queued = 0;
  EXPECT_EQ(
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, nullptr),
      CL_SUCCESS);
  EXPECT_GE(queued, device_time) << "event times and the device timer have the same base";
}

TEST_F(Device, DividedEquallyAndByCounts) {
  const auto units = device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  if (list<cl_device_partition_property>(CL_DEVICE_PARTITION_PROPERTIES).front() == 0)
    GTEST_SKIP() << "the device has no sub-devices";
  auto parts = partition({CL_DEVICE_PARTITION_EQUALLY, 1});
  EXPECT_EQ(parts.size(), units);
  auto counted =
      partition({CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END});
  EXPECT_EQ(counted.size(), 2u);
  EXPECT_EQ(list<cl_device_partition_property>(CL_DEVICE_PARTITION_TYPE, parts[0]),
            (std::vector<cl_device_partition_property>{CL_DEVICE_PARTITION_EQUALLY, 1, 0}));
  EXPECT_EQ(list<cl_device_partition_property>(CL_DEVICE_PARTITION_TYPE, counted[1]),
            (std::vector<cl_device_partition_property>{CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0}));
  EXPECT_TRUE(list<cl_device_partition_property>(CL_DEVICE_PARTITION_TYPE).empty());
  for (cl_device_id part : parts) {
    EXPECT_EQ(list<cl_device_id>(CL_DEVICE_PARENT_DEVICE, part), std::vector{device_});
    EXPECT_EQ(list<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, part), std::vector{1u});
    EXPECT_EQ(list<cl_uint>(CL_DEVICE_REFERENCE_COUNT, part), std::vector{1u});
    EXPECT_EQ(clRetainDevice(part), CL_SUCCESS);
    EXPECT_EQ(list<cl_uint>(CL_DEVICE_REFERENCE_COUNT, part), std::vector{2u});
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
  }
  for (cl_device_id part : counted)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

TEST_F(Device, RootIsNotCounted) {
  EXPECT_EQ(clRetainDevice(device_), CL_SUCCESS);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(clReleaseDevice(device_), CL_SUCCESS);
  EXPECT_EQ(device_info<cl_device_id>(CL_DEVICE_PARENT_DEVICE), nullptr);
}

// A context and a queue retain their sub-device after the program's release, and run kernels on it.
TEST_F(Device, SubDeviceRunsKernels) {
  if (list<cl_device_partition_property>(CL_DEVICE_PARTITION_PROPERTIES).front() == 0)
    GTEST_SKIP() << "the device has no sub-devices";
  auto parts = partition({CL_DEVICE_PARTITION_EQUALLY, 1});
  device_ = parts[0];
  queue_.reset();
  context_ = make_context();
  queue_ = make_queue(0);
  Program program =
      build("kernel void k(global uint *a) { a[get_global_id(0)] = get_global_id(0) * 3; }");
  for (cl_device_id part : parts)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
  Kernel kernel = make_kernel(program, "k");
  Memory buffer = make_buffer(1000 * sizeof(cl_uint));
  cl_mem memory = buffer;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  size_t size = 1000;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  auto result = read<cl_uint>(buffer, size);
  for (cl_uint i = 0; i < size; ++i)
    ASSERT_EQ(result[i], i * 3);
}

} // namespace
