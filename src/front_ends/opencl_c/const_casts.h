// Finds casts that drop the const of a pointer's pointee. C allows such writes if the object itself
// is not const (6.7.3), so a kernel may write a buffer through an argument that is declared const.
// Devices with memory of their own must know that: what a kernel writes is copied back.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTConsumer;
}
namespace llvm {
class Module;
}

namespace lockstep::compiler {

struct ConstCasts {
  std::vector<std::string> functions; // symbols of those with such a cast
  bool elsewhere = false;             // for example in a member function of a class
};

std::unique_ptr<clang::ASTConsumer> find_const_casts(ConstCasts &found);

// Gives the functions const_casts_attribute, or the module const_casts_flag (source_facts.h).
void mark_const_casts(llvm::Module &module, const ConstCasts &found);

} // namespace lockstep::compiler
