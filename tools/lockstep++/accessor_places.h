// Finds the accessors in the function object of a kernel: in members, nested members, base classes
// and array elements.
//
// The library reads accessors only at these offsets. Other bytes may have any value; padding, for
// example, is not initialized. The headers mark accessor classes by the annotation
// "lockstep.accessor.KIND". KIND is "buffer" (a buffer handle), "local" (a local memory marker,
// followed by the sizes) or "image" (the address of a descriptor, and a kind).
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
  // `warns`: of captured variables (captured_variables.h).
  explicit AccessorPlaces(bool warns) : warns_(warns) {}
  bool
  HandleTopLevelDecl(clang::DeclGroupRef group) override; // also receives template instantiations
  void HandleTranslationUnit(clang::ASTContext &syntax) override;

  // Maps a kernel's symbol to lines: "accessor KERNEL KIND OFFSET" for each accessor, with " maybe"
  // appended if it is in a union, where another member may be active. The lines for reports follow
  // (kernel_titles.h).
  const std::map<std::string, std::string> &lines() const { return lines_; }

private:
  const bool warns_;
  std::vector<const clang::FunctionDecl *> entries_;
  std::map<std::string, std::string> lines_;
};

} // namespace lockstep::driver
