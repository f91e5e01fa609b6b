#include "api/opencl/debugged_source.h"

#include "compiler/options/code_options.h"
#include "front_ends/common/source_cache.h"
#include "platform/linux/output_file.h"
#include "platform/linux/owned_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>

namespace lockstep::opencl {
namespace {

namespace fs = std::filesystem;

bool has_content(const fs::path &file, const std::string &source) {
  std::error_code error;
  if (fs::file_size(file, error) != source.size() || error)
    return false;
  std::ifstream stream(file, std::ios::binary);
  return std::equal(source.begin(), source.end(), std::istreambuf_iterator<char>(stream));
}

std::optional<std::string> find_below(const fs::path &folder, const std::string &source) {
  constexpr int most_levels = 4, most_files = 10'000;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                           error);
  for (int count = 0; !error && entries != fs::end(entries) && count < most_files; ++count) {
    if (entries.depth() >= most_levels)
      entries.disable_recursion_pending();
    const fs::path &file = entries->path();
    const std::string name = file.extension().string();
    if ((name == ".cl" || name == ".clcpp" || name == ".ocl") && has_content(file, source))
      return file.lexically_normal().string();
    entries.increment(error);
  }
  return {};
}

std::optional<std::string> copy_of(const std::string &source) {
  auto folder = make_owned_temporary_folder("lockstep-sources");
  if (!folder)
    return {};
  const std::string file =
      fmt::format("{}/{}.cl", *folder, compiler::digest_of(source).substr(0, 16));
  if (!has_content(file, source)) {
    auto output = open_output(file, OutputMode::replace);
    if (!output || write(output->get(), source.data(), source.size()) < 0)
      return {};
  }
  return has_content(file, source) ? std::optional(file) : std::nullopt;
}

} // namespace

std::string debugged_source(const std::string &source) {
  if (!compiler::code_options_of_process().debugger)
    return source;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  std::optional<std::string> file = error ? std::nullopt : find_below(here, source);
  if (!file)
    file = copy_of(source);
  return file ? fmt::format("#line 1 \"{}\"\n{}", *file, source) : source;
}

std::string debugged_options(const std::string &options) {
  return compiler::code_options_of_process().debugger ? options + " -g -cl-opt-disable" : options;
}

} // namespace lockstep::opencl
