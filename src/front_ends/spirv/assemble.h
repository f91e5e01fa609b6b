// For tests: modules of SPIR-V as text, which spirv-tools assembles, and the kernel IR that the
// reader makes of them.
#pragma once

#include "front_ends/spirv/reader.h"

#include "spirv-tools/libspirv.hpp"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace lockstep::compiler::spirv {

inline std::string assemble(const std::string &text) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer(
      [](spv_message_level_t, const char *, const spv_position_t &at, const char *message) {
        ADD_FAILURE() << "line " << at.line + 1 << ": " << message;
      });
  std::vector<uint32_t> words;
  EXPECT_TRUE(tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS));
  return {reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t)};
}

// Reads a module. Errors are sentences.
struct ReadModule {
  struct binary {
    std::string words;
  };

  explicit ReadModule(const std::string &text, const std::vector<SpecConstant> &constants = {})
      : ReadModule(binary{assemble(text)}, constants) {}

  explicit ReadModule(const binary &module_words, const std::vector<SpecConstant> &constants = {})
      : module("test", context) {
    auto source = parse_module(module_words.words);
    if (!source) {
      error = source.error().message;
      return;
    }
    if (auto read = Reader(*source, module, constants).read(); !read)
      error = read.error().message;
  }

  std::string ir() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  }
  bool has(std::string_view text) const { return ir().find(text) != std::string::npos; }

  llvm::LLVMContext context;
  llvm::Module module;
  std::string error; // empty: it was read
};

// A kernel whose body is `body`, with declarations for most tests: types %int, %float4, pointers
// %p_int (private), %g_int (global), %l_int (local), %c_int (constant), %q_int (generic), undefined
// values %u_TYPE of each type, constants %int_0 to %int_16, and the sets %std.
std::string module_with(const std::string &body, const std::string &capabilities = "",
                        const std::string &declarations = "");

} // namespace lockstep::compiler::spirv
