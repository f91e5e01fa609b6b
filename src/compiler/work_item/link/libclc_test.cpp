#include "compiler/work_item/link/libclc.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lockstep::compiler {
namespace {

TEST(Libclc, AFunctionHasAllThatItCalls) {
  llvm::LLVMContext context;
  auto all = llvm::getLazyBitcodeModule(libclc_bitcode(), context);
  ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
  size_t count = 0;
  for (const llvm::Function &function : **all) {
    if (function.isDeclaration() || ++count % 20 != 0)
      continue;
    const auto bitcode = function_of_libclc(std::string_view(function.getName()));
    ASSERT_TRUE(bitcode && *bitcode) << function.getName().str();
    llvm::LLVMContext own;
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(**bitcode, "function"), own);
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    std::string broken;
    llvm::raw_string_ostream text(broken);
    ASSERT_FALSE(llvm::verifyModule(**module, &text)) << function.getName().str() << broken;
    EXPECT_FALSE((*module)->getFunction(function.getName())->isDeclaration());
    for (const llvm::GlobalValue &value : (*module)->global_values())
      EXPECT_EQ(value.isDeclaration(), (*all)->getNamedValue(value.getName())->isDeclaration())
          << value.getName().str() << " for " << function.getName().str();
  }
  EXPECT_GT(count, 9000U);
}

TEST(Libclc, AFunctionIsTakenOutOnce) {
  EXPECT_EQ(**function_of_libclc("_Z3expf"), **function_of_libclc("_Z3expf"));
  EXPECT_EQ(function_of_libclc("_Z3expf")->get(), function_of_libclc("_Z3expf")->get());
  EXPECT_EQ(*function_of_libclc("_Z7unknownf"), nullptr);
}

TEST(Libclc, ThreadsDoNotWaitForEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([] {
      for (const char *name : {"_Z3cosf", "_Z3tanf", "_Z4atanf", "_Z4sqrtf"})
        if (auto bitcode = function_of_libclc(name))
          EXPECT_FALSE((*bitcode)->empty());
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace lockstep::compiler
