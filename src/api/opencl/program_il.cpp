// Programs from an intermediate language (IL), which is SPIR-V: creation, and the values of
// specialization constants (OpenCL 3.0 API sections 5.8.1 and 5.8.3). Creation
// checks the structure of the module; everything else that can be wrong fails the build.
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/program.h"

#include <algorithm>
#include <cstring>

namespace lockstep::opencl {
namespace {

cl_program create_with_il(EntryPoint &api, cl_context context, const void *il, size_t length) {
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.8.1)");
  api.report_to(context);
  if (!il || length == 0)
    return api.fail(CL_INVALID_VALUE, "{} (section 5.8.1)", il ? "length is 0" : "il is null");
  std::string module(static_cast<const char *>(il), length);
  std::string log;
  auto constants = compiler::check_spirv(module, log);
  if (!constants && constants.error().kind == ErrorKind::out_of_host_memory)
    return api.fail(CL_OUT_OF_HOST_MEMORY, "{} (section 5.8.1)", constants.error().message);
  if (!constants)
    return api.fail(CL_INVALID_VALUE, "il is not a well-formed SPIR-V module: {} (section 5.8.1)",
                    constants.error().message);
  auto *program = create_object<_cl_program>(context, devices_of(context), _cl_program::Origin::il,
                                             std::move(module));
  program->spec_constants = std::move(*constants);
  return api.success(program);
}

} // namespace

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                 cl_int *errcode_ret) {
  EntryPoint api("clCreateProgramWithIL", errcode_ret);
  return create_with_il(api, context, il, length);
}

cl_program clCreateProgramWithILKHR(cl_context context, const void *il, size_t length,
                                    cl_int *errcode_ret) {
  EntryPoint api("clCreateProgramWithILKHR", errcode_ret);
  return create_with_il(api, context, il, length);
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                          const void *spec_value) {
  EntryPoint api("clSetProgramSpecializationConstant");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.3)");
  api.report_to(program->context.get());
  if (program->origin != _cl_program::Origin::il)
    return api.fail(CL_INVALID_PROGRAM,
                    "program was not made by clCreateProgramWithIL (section 5.8.3)");
  auto constant =
      std::ranges::find(program->spec_constants, spec_id, &compiler::SpecConstantInfo::id);
  if (constant == program->spec_constants.end())
    return api.fail(CL_INVALID_SPEC_ID,
                    "spec_id is {}, and the module has no specialization constant with that SpecId "
                    "(section 5.8.3)",
                    spec_id);
  if (spec_size != constant->size)
    return api.fail(CL_INVALID_VALUE,
                    "spec_size is {}, but the specialization constant {} has {} bytes (section "
                    "5.8.3)",
                    spec_size, spec_id, constant->size);
  if (!spec_value)
    return api.fail(CL_INVALID_VALUE, "spec_value is null (section 5.8.3)");
  compiler::SpecConstant value = {spec_id,
                                  std::string(static_cast<const char *>(spec_value), spec_size)};
  std::lock_guard lock(program->mutex);
  auto &values = program->spec_values;
  auto place = std::ranges::lower_bound(values, spec_id, {}, &compiler::SpecConstant::id);
  if (place != values.end() && place->id == spec_id)
    *place = std::move(value);
  else
    values.insert(place, std::move(value));
  return api.success();
}

} // namespace lockstep::opencl
