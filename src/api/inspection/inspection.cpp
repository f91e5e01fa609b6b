#include "api/inspection/inspection.h"

const lockstep::Inspection *lockstep_inspection(const char *version) {
  using namespace lockstep::compiler;
  static constexpr lockstep::Inspection inspection = {
      .compiler_version = compiler_version,
      .code_options = code_options_of_process,
      .cache_statistics = cache_statistics,
      .clear_cache = clear_cache,
      .stage_names = compiler_stages,
      .build_opencl_c = build_opencl_c,
      .build_spirv = build_spirv,
      .link_kernel = link_kernel,
      .compile_ahead_of_time = compile_ahead_of_time,
      .write_binary = write_binary,
      .compile_to_assembly = compile_to_assembly,
      .report_placement = lockstep::runtime::report_placement,
      .report_other_devices = lockstep::runtime::report_other_devices,
      .code_options_for_nvidia = code_options_for_nvidia,
      .ptx_stage_names = ptx_stages,
      .compile_to_ptx = compile_to_ptx_uncached,
  };
  return std::string_view(version) == LOCKSTEP_VERSION ? &inspection : nullptr;
}
