// Modules of the fake card: what the driver's assembler would read of PTX.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::runtime::cuda {

struct Module;

struct Function {
  const Module *module = nullptr;
  std::string name;
  std::vector<std::size_t> parameters; // bytes of each
  int dynamic_shared_bytes = 48 << 10;
};

struct Module {
  std::string image;
  std::map<std::string, Function, std::less<>> functions;
};

// Null: the text is not PTX for a card of this capability; `log` says why.
std::unique_ptr<Module> read_module(std::string_view image, int capability, std::string &log);

} // namespace lockstep::runtime::cuda
