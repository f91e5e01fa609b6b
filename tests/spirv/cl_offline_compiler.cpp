// The program that the Khronos test suite calls with --compilation-mode spir-v (its interface:
// test_common/harness/cl_offline_compiler-interface.txt in the suite):
//
//   cl_offline_compiler --source=a.cl --output=a.spv --mode=spir-v --cl-device-info=FILE -- OPTIONS
//
// Older suites separate names and values by blanks.
//
// Lockstep's front end compiles the source, and LLVM's back end writes SPIR-V.
#include "write_spirv.h"

#include "api/inspection/inspection.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>

namespace {

struct Request {
  std::string source, output, mode = "spir-v", options;
};

Request read_request(int count, char **words) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--") {
      for (++i; i < count; ++i)
        request.options += std::string(words[i]) + " ";
      break;
    }
    const size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    if (sign == std::string::npos && i + 1 == count)
      break;
    const std::string value = sign == std::string::npos ? words[++i] : word.substr(sign + 1);
    if (name == "--source")
      request.source = value;
    else if (name == "--output")
      request.output = value;
    else if (name == "--mode")
      request.mode = value;
  }
  return request;
}

int failed(const std::string &sentence) {
  std::fprintf(stderr, "cl_offline_compiler: %s\n", sentence.c_str());
  return 1;
}

} // namespace

int main(int count, char **words) {
  const Request request = read_request(count, words);
  if (request.source.empty() || request.output.empty() || request.mode != "spir-v")
    return failed("--source, --output and --mode spir-v are needed");
  void *library = dlopen("liblockstep.so", RTLD_NOW);
  if (!library)
    return failed(dlerror());
  auto get =
      reinterpret_cast<decltype(&lockstep_inspection)>(dlsym(library, "lockstep_inspection"));
  const lockstep::Inspection *inspection = get ? get(LOCKSTEP_VERSION) : nullptr;
  if (!inspection)
    return failed("liblockstep.so is another version");
  std::ifstream in(request.source, std::ios::binary);
  const std::string source((std::istreambuf_iterator<char>(in)), {});
  std::string log;
  auto module = inspection->build_opencl_c(source, request.options, log);
  std::fputs(log.c_str(), stderr);
  if (!module)
    return failed(request.source + " does not compile");
  const auto written = lockstep::test::write_spirv(module->bitcode, "1.4");
  if (written.words.empty())
    return failed(written.error);
  std::ofstream out(request.output, std::ios::binary);
  out << written.words;
  out.close();
  return out ? 0 : failed(request.output + " cannot be written");
}
