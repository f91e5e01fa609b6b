#include "tests/nvidia/fake_cuda/fake_module.h"

#include <cstdlib>
#include <regex>

namespace lockstep::runtime::cuda {
namespace {

// The bytes of ".param .u64 .ptr .align 4 name" or ".param .align 8 .b8 name[16]"; 0: it is neither.
std::size_t bytes_of_parameter(const std::string &text) {
  static const std::regex array(R"(\.b8\s+\w+\[(\d+)\])"),
      scalar(R"(\.param\s+\.[busf](8|16|32|64)\b)");
  std::smatch match;
  if (std::regex_search(text, match, array))
    return std::stoul(match[1]);
  return std::regex_search(text, match, scalar) ? std::stoul(match[1]) / 8 : 0;
}

bool read_parameters(const std::string &list, Function &function) {
  static const std::regex parameter(R"(\.param[^,]*)");
  for (std::sregex_iterator one(list.begin(), list.end(), parameter), end; one != end; ++one) {
    function.parameters.push_back(bytes_of_parameter(one->str()));
    if (function.parameters.back() == 0)
      return false;
  }
  return true;
}

} // namespace

std::unique_ptr<Module> read_module(std::string_view image, int capability, std::string &log) {
  const std::string text(image);
  static const std::regex version(R"(\.version\s+\d+\.\d+)"), target(R"(\.target\s+sm_(\d+))"),
      entry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\))");
  std::smatch match;
  if (!std::regex_search(text, version) || !std::regex_search(text, match, target)) {
    log = "no .version or no .target";
    return nullptr;
  }
  if (std::stoi(match[1]) > capability) {
    log = "compiled for sm_" + match[1].str();
    return nullptr;
  }
  auto made = std::make_unique<Module>();
  made->image = text;
  for (std::sregex_iterator one(text.begin(), text.end(), entry), end; one != end; ++one) {
    Function function;
    function.module = made.get();
    function.name = (*one)[1];
    if (!read_parameters((*one)[2], function)) {
      log = "the parameters of " + function.name + " cannot be read";
      return nullptr;
    }
    made->functions.emplace(function.name, std::move(function));
  }
  return made;
}

} // namespace lockstep::runtime::cuda
