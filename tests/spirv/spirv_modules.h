// The SPIR-V modules of the folder modules/, which spirv-as assembles when the tests are built.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace lockstep::test {

inline std::string spirv_module(const std::string &name) {
  std::ifstream file(std::string(LOCKSTEP_SPIRV_MODULES "/") + name + ".spv", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), {});
  EXPECT_FALSE(words.empty()) << name << ".spv cannot be read";
  return words;
}

} // namespace lockstep::test
