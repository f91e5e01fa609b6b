// Inserts stores that mark the memory a kernel accesses through its arguments, including images, so
// that commands can be compared (CodeOptions::check_commands).
//
// The launch provides the memory for marks (src/runtime/check/commands/accessed_memory.h): one byte
// for each 4-byte word, or for each byte where words are accessed in parts. Accesses that the
// launch can compute itself get no marks (must_accesses.h). A mark is a plain store, which is
// vectorized like any other; a call for each access would be dozens of times as expensive.
#pragma once

#include "abi/check_abi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <optional>
#include <tuple>

namespace lockstep::compiler {

class FootprintMarks {
public:
  explicit FootprintMarks(llvm::Function &function);
  // Marks an access, before it. False: the memory is not that of one argument, or the access is too
  // large.
  bool add(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, FootprintKind kind);
  // Marks one side of a group copy of `count` contiguous elements of `size` bytes.
  bool add_row(llvm::CallInst &copy, llvm::Value *pointer, llvm::Value *count, uint64_t size,
               FootprintKind kind);
  // Marks an update of a privatized copy of a buffer (abi/privatized_reductions.h), in whole words.
  // The mark has the offset that the update has in the copy.
  void add_update(llvm::Instruction &update, llvm::Value *pointer, uint64_t size,
                  FootprintKind kind, llvm::Argument &argument);
  // Inserts the marks; splits blocks.
  void make();

private:
  // The memory that an argument points to, or, if `is_loaded`, the memory that the first word there
  // points to: the texels of an image, through its descriptor.
  struct Memory {
    llvm::Argument *argument;
    bool is_loaded;
    auto operator<=>(const Memory &) const = default;
  };
  struct Mark {
    llvm::Instruction *access;
    llvm::Value *pointer;
    Memory memory;
    uint64_t size;
    llvm::Value *count; // number of elements of `size` bytes; null: one
    FootprintKind kind;
    bool is_of_copy = false;
  };
  bool add(const Mark &mark);
  static std::optional<Memory> memory_of(const llvm::Value &object, const llvm::DataLayout &layout);
  bool begins(const llvm::Value &value, const Memory &memory) const;
  llvm::Value *begin_of(const Memory &memory, llvm::IRBuilder<> &entry) const;
  // The offset from the beginning of the memory in words; null: it is not a sum of multiples of
  // words.
  llvm::Value *words_from(const Mark &mark);
  void store(const Mark &mark, llvm::Value *to, llvm::ConstantInt *ones);
  llvm::Value *map(const Mark &mark, uint32_t unit);

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  llvm::IRBuilder<> builder_;
  llvm::SmallVector<Mark> marks_;
  std::map<std::tuple<Memory, FootprintKind, uint32_t>, llvm::Value *> maps_;
};

} // namespace lockstep::compiler
