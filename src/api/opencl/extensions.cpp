#include "api/opencl/extensions.h"

#include <algorithm>

namespace lockstep::opencl {

std::vector<cl_name_version> with_versions(std::span<const compiler::NameVersion> rows) {
  std::vector<cl_name_version> result;
  for (const compiler::NameVersion &from : rows) {
    cl_name_version to{};
    to.version = CL_MAKE_VERSION(from.major, from.minor, from.patch);
    std::copy_n(from.name.data(), std::min(from.name.size(), sizeof to.name - 1), to.name);
    result.push_back(to);
  }
  return result;
}

std::string joined_names(std::span<const compiler::NameVersion> rows) {
  std::string names;
  for (const compiler::NameVersion &row : rows)
    names.append(names.empty() ? "" : " ").append(row.name);
  return names;
}

} // namespace lockstep::opencl
