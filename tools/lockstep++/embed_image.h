// Embeds the device image of a source into the module of its host side.
//
// The headers refer to `__lockstep_image`, the image of this source, wherever a kernel is launched.
// If there is no reference, the source has no kernels and its device side is not compiled, unless
// it has functions for kernels of other sources. Otherwise the image becomes an internal constant
// of the module, so the object carries it into archives and shared libraries. Every use of the name
// refers to that constant: two sources may have kernels of the same name (unnamed ones in static
// functions do), and each source launches its own. A constructor registers the image in the
// library, a destructor unregisters it (dlclose).
#pragma once

#include "tools/lockstep++/arguments.h"

#include "llvm/IR/PassManager.h"

#include <string>

namespace lockstep::driver {

struct SourceToEmbed {
  const Installation &installation;
  const UserOptions &user;
  std::string source;
  bool *failed; // set if the device side has errors
};

class EmbedImagePass : public llvm::PassInfoMixin<EmbedImagePass> {
public:
  explicit EmbedImagePass(SourceToEmbed source) : source_(std::move(source)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  SourceToEmbed source_;
};

} // namespace lockstep::driver
