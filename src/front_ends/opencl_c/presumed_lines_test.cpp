// Tests the source lines in the debug information of programs with `#line`.
#include "front_ends/opencl_c/build_options.h"
#include "front_ends/opencl_c/front_end.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>
#include <map>

namespace lockstep::compiler {
namespace {

// For each store of a constant: the source line at its location.
std::map<int, std::string> lines_of_stores(std::string_view source,
                                           const std::vector<EmbeddedHeader> &headers = {}) {
  llvm::LLVMContext context;
  CompileOptions options;
  options.keeps_source = true;
  std::string log;
  auto result = run_front_end(context, source, options, headers, log);
  EXPECT_TRUE(result) << log;
  std::map<int, std::string> lines;
  if (!result)
    return lines;
  for (llvm::Function &function : *result->module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto *number = store ? llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
      if (!number || !store->getDebugLoc())
        continue;
      const llvm::DILocation *place = store->getDebugLoc().get();
      llvm::StringRef rest = place->getFile()->getSource().value_or("");
      for (unsigned line = 1; line < place->getLine(); ++line)
        rest = rest.split('\n').second;
      lines[int(number->getSExtValue())] = rest.split('\n').first.trim().str();
    }
  return lines;
}

using Lines = std::map<int, std::string>;

TEST(PresumedLines, WithoutDirectives) {
  EXPECT_EQ(lines_of_stores("kernel void k(global int *p) {\n  p[0] = 7;\n}\n"),
            (Lines{{7, "p[0] = 7;"}}));
}

TEST(PresumedLines, AnotherFile) {
  EXPECT_EQ(lines_of_stores("// a comment\n#line 1 \"/some/where/a.cl\"\n"
                            "kernel void k(global int *p) {\n  p[0] = 7;\n"
                            "#line 100 \"b.cl\"\n  p[1] = 8; }\n"),
            (Lines{{7, "p[0] = 7;"}, {8, "p[1] = 8; }"}}));
}

TEST(PresumedLines, OfPreprocessors) {
  EXPECT_EQ(lines_of_stores("# 1 \"a.cl\"\n# 1 \"a.h\" 1\nvoid f(global int *p) { p[2] = 9; }\n"
                            "# 2 \"a.cl\" 2\nkernel void k(global int *p) {\n  p[0] = 7;\n}\n"),
            (Lines{{7, "p[0] = 7;"}, {9, "void f(global int *p) { p[2] = 9; }"}}));
}

// Two lines have that number, and only one of them has the store.
TEST(PresumedLines, NoTextRatherThanAnother) {
  EXPECT_EQ(lines_of_stores("kernel void k(global int *p) {\n  p[0] = 7;\n#line 2\n  p[1] = 8;\n"
                            "  p[2] = 9;\n}\n"),
            (Lines{{7, ""}, {8, ""}, {9, ""}}));
}

TEST(PresumedLines, NumbersThatAreTooLarge) {
  EXPECT_EQ(lines_of_stores("kernel void k(global int *p) {\n#line 4000000\n  p[0] = 7;\n}\n"),
            (Lines{{7, ""}}));
}

TEST(PresumedLines, Headers) {
  EXPECT_EQ(lines_of_stores("#line 1 \"a.cl\"\n#include \"f.h\"\n"
                            "kernel void k(global int *p) {\n  p[0] = 7;\n}\n",
                            {{"f.h", "#line 5 \"g.h\"\nvoid f(global int *p) {\n  p[0] = 8; }\n"}}),
            (Lines{{7, "p[0] = 7;"}, {8, "p[0] = 8; }"}}));
}

} // namespace
} // namespace lockstep::compiler
