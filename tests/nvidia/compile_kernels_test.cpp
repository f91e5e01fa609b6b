// Compiles the kernels of benchmarks, examples and tests for an NVIDIA device, and checks that each
// gets a valid text or an error that names an absent feature. Runs without a GPU.
//
//   compile_kernels_test FOLDER...
//
// The kernels are files of OpenCL C, and raw strings in C++ files. A string that does not compile by
// itself (a part of a source, a source with an error) is skipped.
#include "driver/compile_ptx.h"
#include "front_ends/front_ends.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace lockstep;
using namespace lockstep::compiler;
namespace fs = std::filesystem;

namespace {

struct Count {
  int compiled = 0, absent = 0, failed = 0;
};

// Parts of messages about features that the device lacks.
constexpr std::array<std::string_view, 3> absent_features = {
    "NVIDIA devices do not support", "not supported on NVIDIA devices", "on NVIDIA devices"};

std::string content_of(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The raw strings of a C++ file that have a kernel.
std::vector<std::string> sources_in(const std::string &text) {
  std::vector<std::string> sources;
  for (size_t at = 0; (at = text.find("R\"", at)) != text.npos;) {
    const size_t open = text.find('(', at);
    if (open == text.npos || open > at + 18) {
      at += 2;
      continue;
    }
    const std::string end = ")" + text.substr(at + 2, open - at - 2) + "\"";
    const size_t close = text.find(end, open);
    if (close == text.npos)
      break;
    const std::string source = text.substr(open + 1, close - open - 1);
    if (source.find("kernel ") != source.npos)
      sources.push_back(source);
    at = close;
  }
  return sources;
}

void compile(const std::string &name, const KernelModule &module, const KernelInfo &kernel,
             PtxVariant variant, const CodeOptions &options, Count &count) {
  auto code = compile_to_ptx_uncached(module, kernel.name, {}, options, variant, nullptr);
  if (code) {
    ++count.compiled;
    if (code->groups_wait && variant != PtxVariant::persistent) // as launches do
      compile(name, module, kernel, PtxVariant::persistent, options, count);
    return;
  }
  const std::string &message = code.error().message;
  if (code.error().kind == ErrorKind::build_failure &&
      std::any_of(absent_features.begin(), absent_features.end(),
                  [&](std::string_view part) { return message.find(part) != message.npos; })) {
    ++count.absent;
    return;
  }
  ++count.failed;
  std::printf("%s, kernel %s: %s\n", name.c_str(), kernel.name.c_str(), message.c_str());
}

void compile(const std::string &name, const std::string &source, const CodeOptions &options,
             Count &count) {
  std::string log;
  auto module = build_opencl_c(source, "-cl-std=CL3.0 -w", log);
  if (!module)
    return;
  // One variant of each kernel, in turn: twice the time would find little more.
  bool is_general = false;
  for (const KernelInfo &kernel : module->kernels) {
    compile(name, *module, kernel, is_general ? PtxVariant::general : PtxVariant::plain, options,
            count);
    is_general = !is_general;
  }
}

} // namespace

int main(int argc, char **argv) {
  auto options = code_options_for_nvidia("sm_90");
  if (!options)
    return 2;
  Count count;
  for (int i = 1; i < argc; ++i)
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(argv[i])) {
      const fs::path &file = entry.path();
      if (file.extension() == ".cl")
        compile(file.string(), content_of(file), *options, count);
      else if (file.extension() == ".cpp")
        for (const std::string &source : sources_in(content_of(file)))
          compile(file.string(), source, *options, count);
    }
  std::printf("%d kernels compiled, %d use an absent feature, %d failed\n", count.compiled,
              count.absent, count.failed);
  return count.failed != 0 || count.compiled < 80;
}
