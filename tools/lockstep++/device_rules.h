// What C++ may not do in a kernel, or in what a kernel calls (SYCL 2020, section 5.4). clang compiles all of it for the
// device without a word; here it is an error in the user's line.
//
// What a kernel calls is read off the unoptimised module, which has what templates and overloads became and lacks what
// `if constexpr` discarded; what is wrong in a function is read off its syntax tree, which knows lines. Functions of system
// headers are not held to the rules themselves: the standard library throws where it never comes to that, and recurses
// where it can be undone. Only what kernels cannot have at all (memory, files) is wrong there too, and the line that is
// named is the user's, which led there.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class CodeGenerator;
} // namespace clang
namespace llvm {
class Module;
}

namespace lockstep::driver {

// `own_headers`: the folder of SYCL's headers, which may call what only the compiler of kernels knows.
void check_device_rules(clang::ASTContext &syntax, clang::CodeGenerator &names,
                        const llvm::Module &module, const std::string &own_headers);

} // namespace lockstep::driver
