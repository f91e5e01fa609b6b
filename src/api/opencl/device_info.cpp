// clGetDeviceInfo (OpenCL 3.0 API section 4.2, table "Device Queries").
//
// Queries about unsupported features return the values that section 4.2 defines: CL_FALSE, 0, an
// empty string or list. Answers that depend on the language come from
// front_ends/common/device_features.def, so that queries and macros in kernels agree.
#include "api/opencl/command_buffer_types.h"
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/extensions.h"
#include "api/opencl/host_memory_features.h"
#include "api/opencl/image_limits.h"
#include "api/opencl/info.h"
#include "api/opencl/pipe_limits.h"
#include "api/opencl/platform.h"
#include "api/opencl/semaphore.h"
#include "api/opencl/shared_memory.h"
#include "api/opencl/unified_svm.h"
#include "api/opencl/uuid.h"
#include "driver/compile.h"
#include "kernel_ir/limits.h"
#include "runtime/device_enqueue/device_queues.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::opencl {
namespace {

using Device = _cl_device_id;

const compiler::CodeOptions &code_options(const Device &device) {
  return device.device->code_options();
}

// The number of elements of `size` bytes in the widest profitable vector register.
cl_uint vector_width(const Device &device, uint32_t size) {
  if (!shares_memory(device))
    return 1; // a work-item of a GPU computes with scalars
  return std::clamp<cl_uint>(code_options(device).target.vector_bits / 8 / size, 1, 16);
}

uint32_t preferred_multiple(const Device &device) {
  return compiler::preferred_work_group_size_multiple({}, code_options(device));
}

// A device with memory of its own has hardware sub-groups of one size.
std::vector<uint32_t> sub_group_sizes(const Device &device) {
  if (shares_memory(device))
    return code_options(device).sub_group_sizes();
  return {preferred_multiple(device)};
}

// If the compiler packs work-items into vector lanes, scalar code is as fast as vector types.
cl_uint preferred_width(const Device &device, uint32_t element_size) {
  return preferred_multiple(device) > 1 ? 1 : vector_width(device, element_size);
}

const runtime::DeviceLimits &limits(const Device &device) {
  return device.device->limits();
}
const runtime::DeviceDescription &description(const Device &device) {
  return device.device->description();
}

// Dependencies work between all devices alike.
std::vector<cl_device_id> sync_devices(const Device &device) {
  return device.platform->devices();
}

// Without half instructions, the code computes in float and rounds after each operation.
cl_device_fp_config half_fp_config(const Device &device) {
  cl_device_fp_config config = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                               CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;
  return code_options(device).target.half_arithmetic ? config | CL_FP_FMA : config;
}

cl_device_fp_config single_fp_config(const Device &device) {
  cl_device_fp_config config = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                               CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
                               CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  const bool has_fma = !shares_memory(device) || code_options(device).target.fused_multiply_add;
  return has_fma ? config | CL_FP_FMA : config;
}

cl_device_fp_config double_fp_config() {
  if (!has_feature("__opencl_c_fp64"))
    return 0;
  return CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
         CL_FP_ROUND_TO_INF | CL_FP_FMA;
}

// A device that works on the host's memory supports all of these capabilities.
constexpr auto svm_capabilities = [](const Device &device) -> cl_device_svm_capabilities {
  if (shares_memory(device))
    return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
           CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  return shares_allocations(device) ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0;
};
using UsmCapabilities = cl_device_unified_shared_memory_capabilities_intel;
constexpr UsmCapabilities all_of_usm = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
                                       CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                                       CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
                                       CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
constexpr auto capabilities_of_system_memory = [](const Device &device) -> UsmCapabilities {
  return shares_memory(device) ? all_of_usm : 0;
};
// Atomic operations of a card have the scope of the card, which does not suffice for the host's
// memory.
constexpr auto capabilities_of_host_memory = [](const Device &device) -> UsmCapabilities {
  if (shares_memory(device))
    return all_of_usm;
  return shares_allocations(device) ? CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL : 0;
};
constexpr auto capabilities_of_device_memory = [](const Device &device) -> UsmCapabilities {
  if (shares_memory(device))
    return all_of_usm;
  return shares_allocations(device)
             ? CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
             : 0;
};

// Loads and stores of float and double are part of OpenCL C. The other operations have their own
// feature macros, and those exist separately for global and local memory.
cl_device_fp_atomic_capabilities_ext float_atomics(bool has_loads, const std::string &type) {
  cl_device_fp_atomic_capabilities_ext result = 0;
  if (has_loads)
    result |= CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT;
  const std::string prefix = "__opencl_c_ext_" + type;
  if (has_feature(prefix + "_global_atomic_add"))
    result |= CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT;
  if (has_feature(prefix + "_local_atomic_add"))
    result |= CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT;
  if (has_feature(prefix + "_global_atomic_min_max"))
    result |= CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT;
  if (has_feature(prefix + "_local_atomic_min_max"))
    result |= CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  return result;
}

cl_device_atomic_capabilities atomic_capabilities(const Device &device) {
  cl_device_atomic_capabilities result =
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  if (has_feature("__opencl_c_atomic_order_acq_rel"))
    result |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
  if (has_feature("__opencl_c_atomic_order_seq_cst"))
    result |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
  if (has_feature("__opencl_c_atomic_scope_device"))
    result |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  if (has_feature(device, "__opencl_c_atomic_scope_all_devices"))
    result |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  return result;
}

// cl_khr_kernel_clock; Debian's headers lack it.
constexpr cl_device_info kernel_clock_capabilities = 0x1076;
constexpr cl_bitfield clock_scope_device = 1, clock_scope_work_group = 2, clock_scope_sub_group = 4;

cl_bitfield clock_scopes() {
  cl_bitfield result = 0;
  if (has_feature("__opencl_c_kernel_clock_scope_device"))
    result |= clock_scope_device;
  if (has_feature("__opencl_c_kernel_clock_scope_work_group"))
    result |= clock_scope_work_group;
  if (has_feature("__opencl_c_kernel_clock_scope_sub_group"))
    result |= clock_scope_sub_group;
  return result;
}

// Section 4.2: the limits are 0 without device-side queues.
template <class T> T if_enqueues(const Device &device, T limit) {
  return has_feature(device, "__opencl_c_device_enqueue") ? limit : T{0};
}

cl_device_affinity_domain affinity_domain_bit(runtime::AffinityDomain domain) {
  switch (domain) {
  case runtime::AffinityDomain::numa:
    return CL_DEVICE_AFFINITY_DOMAIN_NUMA;
  case runtime::AffinityDomain::l4_cache:
    return CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE;
  case runtime::AffinityDomain::l3_cache:
    return CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE;
  case runtime::AffinityDomain::l2_cache:
    return CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE;
  case runtime::AffinityDomain::l1_cache:
    return CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE;
  case runtime::AffinityDomain::next_partitionable:
    return CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  }
  return 0;
}

cl_device_affinity_domain affinity_domains(const Device &device) {
  cl_device_affinity_domain domains = 0;
  for (runtime::AffinityDomain domain : device.device->partition_domains())
    domains |= affinity_domain_bit(domain);
  return domains ? domains | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0;
}

// A device with one compute unit cannot be divided, nor can one with memory of its own.
bool is_divisible(const Device &device) {
  return device.device->compute_units() > 1 && shares_memory(device);
}

std::vector<cl_device_partition_property> partition_properties(const Device &device) {
  if (!is_divisible(device))
    return {0};
  std::vector<cl_device_partition_property> kinds = {CL_DEVICE_PARTITION_EQUALLY,
                                                     CL_DEVICE_PARTITION_BY_COUNTS};
  if (affinity_domains(device))
    kinds.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
  return kinds;
}

// "SPIR-V_1.0 SPIR-V_1.1 ..."
std::string il_versions() {
  std::string text;
  for (const compiler::NameVersion &version : compiler::spirv_versions)
    text += fmt::format("{}{}_{}.{}", text.empty() ? "" : " ", version.name, version.major,
                        version.minor);
  return text;
}

// The strings themselves are part of the library.
std::vector<const char *> pointers(std::span<const char *const> names) {
  return {names.begin(), names.end()};
}

std::vector<cl_uint> spirv_capabilities() {
  std::vector<cl_uint> numbers;
  for (const compiler::SpirvCapability &capability : compiler::spirv_capabilities)
    numbers.push_back(capability.number);
  return numbers;
}

std::vector<compiler::NameVersion> opencl_c_versions_of(const Device &device) {
  std::vector<compiler::NameVersion> versions(compiler::opencl_c_versions.begin(),
                                              compiler::opencl_c_versions.end());
  if (!has_opencl_c_2(device))
    std::erase_if(versions, [](const auto &version) { return version.major == 2; });
  return versions;
}

constexpr InfoRow<Device> identity_info[] = {
    row<Device>(CL_DEVICE_TYPE, [](auto &device) { return type_of(*device.device); }),
    row<Device>(CL_DEVICE_VENDOR_ID,
                [](auto &device) -> cl_uint { return description(device).vendor_id; }),
    row<Device>(CL_DEVICE_NAME, [](auto &device) { return description(device).name; }),
    row<Device>(CL_DEVICE_VENDOR, [](auto &device) { return description(device).vendor; }),
    row<Device>(CL_DRIVER_VERSION, [](auto &) { return LOCKSTEP_VERSION; }),
    row<Device>(CL_DEVICE_PROFILE, [](auto &) { return "FULL_PROFILE"; }),
    row<Device>(CL_DEVICE_VERSION, [](auto &) { return opencl_version; }),
    row<Device>(CL_DEVICE_NUMERIC_VERSION,
                [](auto &) -> cl_version { return CL_MAKE_VERSION(3, 1, 0); }),
    // The highest version whose programs all compile: OpenCL C 3.0 is a superset of 1.2, but not of
    // 2.0.
    row<Device>(CL_DEVICE_OPENCL_C_VERSION,
                [](auto &device) {
                  return has_opencl_c_2(device) ? opencl_c_version
                                                : opencl_c_version_without_options;
                }),
    row<Device>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR,
                [](auto &device) -> cl_version {
                  return has_opencl_c_2(device) ? CL_MAKE_VERSION(3, 1, 0)
                                                : CL_MAKE_VERSION(1, 2, 0);
                }),
    row<Device>(CL_DEVICE_OPENCL_C_ALL_VERSIONS,
                [](auto &device) { return with_versions(opencl_c_versions_of(device)); }),
    row<Device>(CL_DEVICE_OPENCL_C_FEATURES,
                [](auto &device) {
                  return with_versions(rows_of(*device.device, compiler::opencl_c_features));
                }),
    row<Device>(CL_DEVICE_EXTENSIONS,
                [](auto &device) {
                  return joined_names(rows_of(*device.device, compiler::device_extensions));
                }),
    row<Device>(CL_DEVICE_EXTENSIONS_WITH_VERSION,
                [](auto &device) {
                  return with_versions(rows_of(*device.device, compiler::device_extensions));
                }),
    row<Device>(CL_DEVICE_IL_VERSION, [](auto &) { return il_versions(); }),
    row<Device>(CL_DEVICE_ILS_WITH_VERSION,
                [](auto &) { return with_versions(compiler::spirv_versions); }),
    row<Device>(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR,
                [](auto &) { return pointers(compiler::spirv_instruction_sets); }),
    row<Device>(CL_DEVICE_SPIRV_EXTENSIONS_KHR,
                [](auto &) { return pointers(compiler::spirv_extensions); }),
    row<Device>(CL_DEVICE_SPIRV_CAPABILITIES_KHR, [](auto &) { return spirv_capabilities(); }),
    row<Device>(CL_DEVICE_BUILT_IN_KERNELS, [](auto &) { return ""; }),
    row<Device>(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
                [](auto &) { return std::vector<cl_name_version>(); }),
    row<Device>(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
                [](auto &) { return "v0000-01-01-00"; }), // none; in the prescribed form
    row<Device>(CL_DEVICE_PLATFORM, [](auto &device) { return device.platform; }),
    row<Device>(CL_DEVICE_REFERENCE_COUNT,
                [](auto &device) -> cl_uint { return device.references; }),
    row<Device>(CL_DEVICE_AVAILABLE,
                [](auto &device) -> cl_bool { return device.device->is_available(); }),
    row<Device>(CL_DEVICE_COMPILER_AVAILABLE, [](auto &) -> cl_bool { return CL_TRUE; }),
    row<Device>(CL_DEVICE_LINKER_AVAILABLE, [](auto &) -> cl_bool { return CL_TRUE; }),
    // cl_khr_device_uuid. The device is the processor, so its UUID is the same for every process,
    // driver version and boot.
    row<Device>(CL_DEVICE_UUID_KHR,
                [](auto &device) { return uuid_of_device(description(device)); }),
    row<Device>(CL_DRIVER_UUID_KHR,
                [](auto &) { return uuid_of("Lockstep driver " + compiler::compiler_version()); }),
    row<Device>(CL_DEVICE_LUID_VALID_KHR, [](auto &) -> cl_bool { return CL_FALSE; }),
    row<Device>(CL_DEVICE_LUID_KHR,
                [](auto &) { return std::array<cl_uchar, CL_LUID_SIZE_KHR>{}; }),
    row<Device>(CL_DEVICE_NODE_MASK_KHR, [](auto &) -> cl_uint { return 0; }),
    row<Device>(CL_DEVICE_PCI_BUS_INFO_KHR,
                [](auto &device, InfoAnswer &answer) {
                  const auto &pci = description(device).pci;
                  if (pci)
                    return answer.put(cl_device_pci_bus_info_khr{pci->domain, pci->bus, pci->device,
                                                                 pci->function});
                  answer.fail(failure(CL_INVALID_VALUE,
                                      "the device is not on a PCI bus (cl_khr_pci_bus_info)"));
                }),
};

constexpr InfoRow<Device> execution_info[] = {
    row<Device>(CL_DEVICE_MAX_COMPUTE_UNITS,
                [](auto &device) -> cl_uint { return device.device->compute_units(); }),
    row<Device>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, [](auto &) -> cl_uint { return 3; }),
    row<Device>(CL_DEVICE_MAX_WORK_ITEM_SIZES,
                [](auto &device) { return limits(device).max_work_item_sizes; }),
    row<Device>(CL_DEVICE_MAX_WORK_GROUP_SIZE,
                [](auto &device) -> size_t { return limits(device).max_work_group_size; }),
    row<Device>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                [](auto &device) -> size_t { return preferred_multiple(device); }),
    row<Device>(CL_DEVICE_MAX_CLOCK_FREQUENCY,
                [](auto &device) -> cl_uint { return description(device).max_clock_mhz; }),
    row<Device>(CL_DEVICE_ADDRESS_BITS, [](auto &) -> cl_uint { return 64; }),
    row<Device>(CL_DEVICE_ENDIAN_LITTLE, [](auto &) -> cl_bool { return CL_TRUE; }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
                [](auto &device) { return preferred_width(device, 1); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
                [](auto &device) { return preferred_width(device, 2); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
                [](auto &device) { return preferred_width(device, 4); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
                [](auto &device) { return preferred_width(device, 8); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
                [](auto &device) { return preferred_width(device, 4); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                [](auto &device) { return preferred_width(device, 8); }),
    row<Device>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                [](auto &device) { return preferred_width(device, 2); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
                [](auto &device) { return vector_width(device, 1); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
                [](auto &device) { return vector_width(device, 2); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
                [](auto &device) { return vector_width(device, 4); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
                [](auto &device) { return vector_width(device, 8); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                [](auto &device) { return vector_width(device, 4); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                [](auto &device) { return vector_width(device, 8); }),
    row<Device>(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                [](auto &device) { return vector_width(device, 2); }),
    row<Device>(CL_DEVICE_HALF_FP_CONFIG, [](auto &device) { return half_fp_config(device); }),
    row<Device>(CL_DEVICE_SINGLE_FP_CONFIG, [](auto &device) { return single_fp_config(device); }),
    row<Device>(CL_DEVICE_DOUBLE_FP_CONFIG, [](auto &) { return double_fp_config(); }),
    row<Device>(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR,
                [](auto &) -> cl_device_integer_dot_product_capabilities_khr {
                  return CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                         CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR;
                }),
    // Dot products are computed by multiplications and additions on all processors.
    row<Device>(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
                [](auto &) { return cl_device_integer_dot_product_acceleration_properties_khr{}; }),
    row<Device>(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,
                [](auto &) { return cl_device_integer_dot_product_acceleration_properties_khr{}; }),
    row<Device>(CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT,
                [](auto &) -> cl_version { return CL_MAKE_VERSION(1, 0, 0); }),
    row<Device>(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
                [](auto &device) -> cl_device_command_buffer_capabilities_khr {
                  return CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                         if_enqueues(device, CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR) |
                         CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
                         CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR;
                }),
    row<Device>(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
                [](auto &) -> cl_command_queue_properties { return 0; }),
    row<Device>(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
                [](auto &) -> cl_command_queue_properties {
                  return CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
                }),
    row<Device>(CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR,
                [](auto &device) -> cl_uint { return sync_devices(device).size(); }),
    row<Device>(CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR,
                [](auto &device) { return sync_devices(device); }),
    row<Device>(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
                [](auto &) { return mutable_dispatch_fields; }),
    row<Device>(CL_DEVICE_SEMAPHORE_TYPES_KHR,
                [](auto &) -> cl_semaphore_type_khr { return CL_SEMAPHORE_TYPE_BINARY_KHR; }),
    row<Device>(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                [](auto &) { return imported_semaphore_types; }),
    row<Device>(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                [](auto &) { return exported_semaphore_types; }),
    row<Device>(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                [](auto &) { return external_memory_types; }),
    row<Device>(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
                [](auto &) { return external_memory_types; }),
    row<Device>(kernel_clock_capabilities, [](auto &) { return clock_scopes(); }),
    row<Device>(CL_DEVICE_EXECUTION_CAPABILITIES,
                [](auto &) -> cl_device_exec_capabilities {
                  return CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL;
                }),
    row<Device>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
                [](auto &) -> cl_command_queue_properties {
                  return CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
                }),
    row<Device>(CL_DEVICE_PROFILING_TIMER_RESOLUTION, [](auto &) -> size_t { return 1; }),
    row<Device>(CL_DEVICE_MAX_PARAMETER_SIZE,
                [](auto &) -> size_t { return compiler::max_argument_bytes; }),
    row<Device>(CL_DEVICE_PRINTF_BUFFER_SIZE, [](auto &) -> size_t { return 1 << 20; }),
    row<Device>(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, [](auto &) -> cl_bool { return CL_TRUE; }),
    row<Device>(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                [](auto &) -> cl_bool { return CL_TRUE; }),
    row<Device>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                [](auto &) -> cl_bool {
                  return has_feature("__opencl_c_work_group_collective_functions") ? CL_TRUE
                                                                                   : CL_FALSE;
                }),
    // If the lanes of a kernel can wait for each other, its sub-groups have one work-item.
    row<Device>(CL_DEVICE_MAX_NUM_SUB_GROUPS,
                [](auto &device) -> cl_uint {
                  const uint32_t least = shares_memory(device) ? 1 : preferred_multiple(device);
                  return static_cast<cl_uint>(limits(device).max_work_group_size / least);
                }),
    row<Device>(CL_DEVICE_SUB_GROUP_SIZES_INTEL,
                [](auto &device) {
                  std::vector<uint32_t> sizes = sub_group_sizes(device);
                  return std::vector<size_t>(sizes.begin(), sizes.end());
                }),
    // Work-items and work-groups have forward progress too (docs/forward_progress.md); OpenCL has
    // no query for them.
    row<Device>(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                [](auto &) -> cl_bool { return CL_TRUE; }),
    row<Device>(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                [](auto &) -> cl_bool {
                  return has_feature("__opencl_c_generic_address_space") ? CL_TRUE : CL_FALSE;
                }),
    row<Device>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                [](auto &device) { return atomic_capabilities(device); }),
    row<Device>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
                [](auto &device) {
                  return atomic_capabilities(device) | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
                }),
};

constexpr InfoRow<Device> memory_info[] = {
    row<Device>(CL_DEVICE_GLOBAL_MEM_SIZE,
                [](auto &device) -> cl_ulong { return limits(device).global_memory_bytes; }),
    row<Device>(CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                [](auto &device) -> cl_ulong { return limits(device).max_allocation_bytes; }),
    row<Device>(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
                [](auto &device) -> cl_device_mem_cache_type {
                  return description(device).cache_bytes ? CL_READ_WRITE_CACHE : CL_NONE;
                }),
    row<Device>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
                [](auto &device) -> cl_uint { return description(device).cache_line_bytes; }),
    row<Device>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
                [](auto &device) -> cl_ulong { return description(device).cache_bytes; }),
    // Constant memory is ordinary memory.
    row<Device>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
                [](auto &device) -> cl_ulong { return limits(device).max_allocation_bytes; }),
    row<Device>(CL_DEVICE_MAX_CONSTANT_ARGS,
                [](auto &) -> cl_uint { return compiler::max_constant_arguments; }),
    row<Device>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
                [](auto &) -> size_t { return compiler::max_global_variable_size; }),
    row<Device>(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
                [](auto &) -> size_t { return 16 << 20; }),
    row<Device>(CL_DEVICE_LOCAL_MEM_TYPE,
                [](auto &device) -> cl_device_local_mem_type {
                  return shares_memory(device) ? CL_GLOBAL : CL_LOCAL;
                }),
    row<Device>(CL_DEVICE_LOCAL_MEM_SIZE,
                [](auto &device) -> cl_ulong { return limits(device).local_memory_bytes; }),
    row<Device>(CL_DEVICE_ERROR_CORRECTION_SUPPORT,
                [](auto &) -> cl_bool { return CL_FALSE; }), // unknown
    row<Device>(CL_DEVICE_HOST_UNIFIED_MEMORY,
                [](auto &device) -> cl_bool { return !device.device->memory_space(); }),
    row<Device>(
        CL_DEVICE_MEM_BASE_ADDR_ALIGN,
        [](auto &device) -> cl_uint { return limits(device).base_address_align_bytes * 8; }),
    row<Device>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
                [](auto &) -> cl_uint { return compiler::memory_alignment; }),
    row<Device>(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, [](auto &) -> cl_uint { return 0; }),
    row<Device>(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, [](auto &) -> cl_uint { return 0; }),
    row<Device>(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, [](auto &) -> cl_uint { return 0; }),
};

constexpr InfoRow<Device> partition_info[] = {
    row<Device>(CL_DEVICE_PARENT_DEVICE, [](auto &device) { return device.parent.get(); }),
    row<Device>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                [](auto &device) -> cl_uint {
                  return shares_memory(device) ? device.device->compute_units() : 0;
                }),
    row<Device>(CL_DEVICE_PARTITION_PROPERTIES,
                [](auto &device) { return partition_properties(device); }),
    row<Device>(CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
                [](auto &device) { return affinity_domains(device); }),
    row<Device>(CL_DEVICE_PARTITION_TYPE, [](auto &device) { return device.partition_type; }),
};

bool has_images(const Device &device) {
  return has_feature(device, "__opencl_c_images");
}
bool has_pipes(const Device &device) {
  return has_feature(device, "__opencl_c_pipes");
}
// Section 4.2: the limits are 0 without images.
template <class T> T if_images(const Device &device, T limit) {
  return has_images(device) ? limit : T{0};
}

constexpr InfoRow<Device> image_info[] = {
    row<Device>(CL_DEVICE_IMAGE_SUPPORT,
                [](auto &device) -> cl_bool { return has_images(device); }),
    row<Device>(
        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        [](auto &device) -> cl_uint { return if_images(device, image_limits::read_arguments); }),
    row<Device>(
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        [](auto &device) -> cl_uint { return if_images(device, image_limits::write_arguments); }),
    row<Device>(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                [](auto &device) -> cl_uint {
                  return if_images(device, image_limits::read_write_arguments);
                }),
    row<Device>(CL_DEVICE_IMAGE2D_MAX_WIDTH,
                [](auto &device) { return if_images(device, image_limits::size_2d); }),
    row<Device>(CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                [](auto &device) { return if_images(device, image_limits::size_2d); }),
    row<Device>(CL_DEVICE_IMAGE3D_MAX_WIDTH,
                [](auto &device) { return if_images(device, image_limits::size_3d); }),
    row<Device>(CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                [](auto &device) { return if_images(device, image_limits::size_3d); }),
    row<Device>(CL_DEVICE_IMAGE3D_MAX_DEPTH,
                [](auto &device) { return if_images(device, image_limits::size_3d); }),
    row<Device>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                [](auto &device) { return if_images(device, image_limits::buffer_elements); }),
    row<Device>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                [](auto &device) { return if_images(device, image_limits::layers); }),
    // In elements. The driver does not choose the layout of images, so any alignment works.
    row<Device>(CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                [](auto &device) -> cl_uint { return if_images(device, 1); }),
    row<Device>(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                [](auto &device) -> cl_uint { return if_images(device, 1); }),
    row<Device>(CL_DEVICE_MAX_SAMPLERS,
                [](auto &device) -> cl_uint { return if_images(device, image_limits::samplers); }),
};

constexpr InfoRow<Device> pipe_info[] = {
    row<Device>(CL_DEVICE_PIPE_SUPPORT, [](auto &device) -> cl_bool { return has_pipes(device); }),
    row<Device>(CL_DEVICE_MAX_PIPE_ARGS,
                [](auto &device) { return has_pipes(device) ? pipe_limits::arguments : 0; }),
    row<Device>(
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
        [](auto &device) { return has_pipes(device) ? pipe_limits::active_reservations : 0; }),
    row<Device>(CL_DEVICE_PIPE_MAX_PACKET_SIZE,
                [](auto &device) { return has_pipes(device) ? pipe_limits::packet_size : 0; }),
};

// Optional capabilities and the remaining extensions.
constexpr InfoRow<Device> absent_info[] = {
    row<Device>(CL_DEVICE_SVM_CAPABILITIES, svm_capabilities),
    row<Device>(CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR,
                [](auto &device) { return svm_capabilities_of(device); }),
    row<Device>(CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
                [](auto &) { return float_atomics(true, "fp32"); }),
    row<Device>(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
                [](auto &) { return float_atomics(has_feature("__opencl_c_fp64"), "fp64"); }),
    row<Device>(CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
                [](auto &) {
                  return float_atomics(has_feature("__opencl_c_ext_fp16_global_atomic_load_store"),
                                       "fp16");
                }),
    row<Device>(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, capabilities_of_host_memory),
    row<Device>(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, capabilities_of_device_memory),
    row<Device>(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, capabilities_of_host_memory),
    row<Device>(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, capabilities_of_host_memory),
    row<Device>(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, capabilities_of_system_memory),
    row<Device>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                [](auto &device) -> cl_device_device_enqueue_capabilities {
                  return if_enqueues(device, CL_DEVICE_QUEUE_SUPPORTED |
                                                 CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
                }),
    row<Device>(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                [](auto &device) -> cl_command_queue_properties {
                  return if_enqueues(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                 CL_QUEUE_PROFILING_ENABLE);
                }),
    row<Device>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                [](auto &device) -> cl_uint {
                  return if_enqueues(device, runtime::preferred_queue_bytes);
                }),
    row<Device>(
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
        [](auto &device) -> cl_uint { return if_enqueues(device, runtime::most_queue_bytes); }),
    row<Device>(
        CL_DEVICE_MAX_ON_DEVICE_QUEUES,
        [](auto &device) -> cl_uint { return if_enqueues(device, runtime::most_device_queues); }),
    row<Device>(
        CL_DEVICE_MAX_ON_DEVICE_EVENTS,
        [](auto &device) -> cl_uint { return if_enqueues(device, runtime::most_device_events); }),
};

constexpr std::span<const InfoRow<Device>> device_info[] = {
    identity_info, execution_info, memory_info, image_info, pipe_info, partition_info, absent_info};

} // namespace

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetDeviceInfo");
  if (!is_valid(device))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device (section 4.2)");
  return read_info<Device>(api, device_info, *device,
                           {param_name, param_value_size, param_value, param_value_size_ret},
                           "section 4.2");
}

} // namespace lockstep::opencl
