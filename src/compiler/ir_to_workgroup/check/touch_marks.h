// Marks of the memory that a kernel touches by its arguments, images included, for the comparison of commands (CodeOptions::check_commands): a
// byte for each word of four, or for each byte where words are touched in parts, in a plane that the launch gives
// (src/runtime/check/touched_memory.h), unless the launch knows them by itself (certain_touches.h). A store each, which lanes make as they make any other: a call for each
// access would be dozens of times as dear.
#pragma once

#include "compiler/check_abi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <optional>
#include <tuple>

namespace lockstep::compiler {

class TouchMarks {
public:
  explicit TouchMarks(llvm::Function &function);
  // Of an access of so many bytes, before it. False: its memory is not that of one argument, or it is too large.
  bool add(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, TouchWay way);
  // Of one side of a group copy of elements in a row, `count` of so many bytes.
  bool add_row(llvm::CallInst &copy, llvm::Value *pointer, llvm::Value *count, uint64_t size,
               TouchWay way);
  // Of an update of what a worker has a copy of (compiler/worker_copies.h), of whole words: as far from the plane's beginning as it is
  // from that of the copy.
  void add_update(llvm::Instruction &update, llvm::Value *pointer, uint64_t size, TouchWay way,
                  llvm::Argument &argument);
  // Puts them there; blocks are split.
  void make();

private:
  // What an argument points to, or what the first word of that does: an image's texels, by its descriptor.
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
    llvm::Value *count; // of that size; null: one
    TouchWay way;
    bool is_of_copy = false;
  };
  bool add(const Mark &mark);
  static std::optional<Memory> memory_of(const llvm::Value &object, const llvm::DataLayout &layout);
  bool begins(const llvm::Value &value, const Memory &memory) const;
  llvm::Value *begin_of(const Memory &memory, llvm::IRBuilder<> &entry) const;
  // Words from where the argument points to; null: it is no sum of multiples of them.
  llvm::Value *words_from(const Mark &mark);
  llvm::Value *plane(const Mark &mark, uint32_t unit);

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  llvm::IRBuilder<> builder_;
  llvm::SmallVector<Mark> marks_;
  std::map<std::tuple<Memory, TouchWay, uint32_t>, llvm::Value *> planes_;
};

} // namespace lockstep::compiler
