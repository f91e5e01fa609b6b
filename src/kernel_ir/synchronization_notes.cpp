#include "kernel_ir/synchronization_notes.h"

#include "kernel_ir/metadata_numbers.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace lockstep::compiler {

SynchronizationNotes::SynchronizationNotes(const llvm::Module &module)
    : are_strict_(module.getNamedMetadata(strict_synchronization_name) != nullptr) {
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(synchronization_notes_name))
    for (const llvm::MDNode *node : list->operands()) {
      SynchronizationNote &note =
          notes_[{llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str(),
                  number_at(*node, 1), number_at(*node, 2), number_at(*node, 6)}];
      // Entries with the same key cannot be distinguished: the stronger values count for both.
      note.scope = std::max(note.scope, CheckScope{number_at(*node, 3)});
      note.fences |= number_at(*node, 4);
      note.kind = std::max(note.kind, SynchronizationNote::Kind{number_at(*node, 5)});
    }
}

const SynchronizationNote *SynchronizationNotes::at(const llvm::DebugLoc &place) const {
  const llvm::DILocation *location = place.get();
  if (!location)
    return nullptr;
  auto found = notes_.find({location->getFilename().str(), location->getLine(),
                            location->getColumn(), location->getDiscriminator()});
  return found == notes_.end() ? nullptr : &found->second;
}

} // namespace lockstep::compiler
