// Where the accessors of a kernel lie in its function object: in members, in members of members, in base classes and in
// elements of arrays. The library looks there, and nowhere else, for what accessors hold: other bytes may have any value,
// padding that of whatever stood there before.
//
// The headers say what an accessor is by the annotation "lockstep.accessor.KIND" of a class: "buffer" (the handle of a
// buffer), "local" (a mark of local memory and the sizes behind it) or "image" (a descriptor's address and a kind).
#pragma once

#include "clang/AST/ASTConsumer.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace lockstep::driver {

class AccessorPlaces : public clang::ASTConsumer {
public:
  bool HandleTopLevelDecl(
      clang::DeclGroupRef group) override; // functions made of templates come here, too
  void HandleTranslationUnit(clang::ASTContext &syntax) override;

  // By the kernel's symbol: a line "accessor KERNEL KIND OFFSET" for each, with " maybe" behind it for one in a union, where
  // something else may stand. Then what reports say (kernel_titles.h).
  const std::map<std::string, std::string> &lines() const { return lines_; }

private:
  std::vector<const clang::FunctionDecl *> entries_;
  std::map<std::string, std::string> lines_;
};

} // namespace lockstep::driver
