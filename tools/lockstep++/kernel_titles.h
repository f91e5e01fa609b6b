// Names of a kernel, and of the members that its function object captured. With them
// the checker reports a program's own names instead of symbols and offsets.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
class RecordDecl;
} // namespace clang

namespace lockstep::driver {

// Returns these lines, of which "function" names the type of the function object of a kernel that the
// program gave no name (SYCL 2020 section 5.2), and "range" a kernel whose work-items have no groups:
//   title KERNEL TEXT
//   function KERNEL NAME
//   range KERNEL
//   member KERNEL OFFSET BYTES ELEMENT KIND NAME

// There is a "member" line for each pointer and accessor in `function`, the function object. KIND
// is "pointer", "accessor", "local_accessor" or "value". ELEMENT is the size of the element that it
// points to, or 0. `entry` is the instantiation of kernel_entry
// (include/lockstep/sycl/detail/launch.hpp).
std::string lines_of_names(clang::ASTContext &syntax, const std::string &kernel,
                           const clang::FunctionDecl &entry, const clang::RecordDecl &function);

} // namespace lockstep::driver
