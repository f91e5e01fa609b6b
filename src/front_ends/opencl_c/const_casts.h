// Finds casts that drop the const of a pointer's pointee. C allows such writes if the object itself
// is not const (6.7.3), so a kernel may write a buffer through an argument that is declared const.
// Devices with memory of their own must know that: what a kernel writes is copied back.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
}

namespace lockstep::compiler {

// Sets `found` if code of the program has such a cast.
std::unique_ptr<clang::ASTConsumer> find_const_casts(bool &found);

} // namespace lockstep::compiler
