// clGetMemObjectInfo.
#include "api/opencl/entry_points.h"
#include "api/opencl/extension_types.h"
#include "api/opencl/image.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"
#include "api/opencl/shared_memory.h"

namespace lockstep::opencl {
namespace {

// cl_ext_buffer_device_address: one address for each device. All devices work on the host's memory.
constexpr auto read_addresses = [](const _cl_mem &memory, InfoAnswer &answer) {
  if (!memory.root().has_address())
    return answer.fail(
        failure(CL_INVALID_OPERATION,
                "memobj was not made with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT and CL_TRUE"));
  answer.put(std::vector<cl_mem_device_address_ext>(memory.context->devices.size(),
                                                    reinterpret_cast<uintptr_t>(memory.data())));
};

constexpr InfoRow<_cl_mem> memory_info[] = {
    row<_cl_mem>(CL_MEM_TYPE,
                 [](auto &memory) -> cl_mem_object_type {
                   return memory.image  ? memory.image->desc.image_type
                          : memory.pipe ? CL_MEM_OBJECT_PIPE
                                        : CL_MEM_OBJECT_BUFFER;
                 }),
    row<_cl_mem>(CL_MEM_FLAGS, [](auto &memory) { return memory.flags; }),
    row<_cl_mem>(CL_MEM_SIZE, [](auto &memory) { return memory.size(); }),
    row<_cl_mem>(CL_MEM_HOST_PTR, [](auto &memory) { return memory.host_pointer; }),
    row<_cl_mem>(CL_MEM_MAP_COUNT,
                 [](auto &memory) -> cl_uint {
                   return memory.root().buffer->mapped().count(memory.buffer.get());
                 }),
    row<_cl_mem>(CL_MEM_REFERENCE_COUNT, [](auto &memory) -> cl_uint { return memory.references; }),
    row<_cl_mem>(CL_MEM_CONTEXT, [](auto &memory) { return memory.context.get(); }),
    row<_cl_mem>(CL_MEM_ASSOCIATED_MEMOBJECT, [](auto &memory) { return memory.parent.get(); }),
    row<_cl_mem>(CL_MEM_OFFSET, [](auto &memory) { return memory.offset(); }),
    row<_cl_mem>(CL_MEM_USES_SVM_POINTER,
                 [](auto &memory) -> cl_bool {
                   const auto *allocation = memory.root().allocation();
                   return allocation && is_svm(*allocation);
                 }),
    row<_cl_mem>(CL_MEM_DEVICE_ADDRESS_EXT, read_addresses),
    row<_cl_mem>(CL_MEM_PROPERTIES, [](auto &memory) { return memory.properties; }),
};

} // namespace

cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetMemObjectInfo");
  if (!is_valid(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT, "memobj is not a valid memory object (section 5.5.5)");
  api.report_to(memobj->context.get());
  return read_info(api, memory_info, *memobj,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.5.5");
}

} // namespace lockstep::opencl
