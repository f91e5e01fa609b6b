// What reports call a kernel and what its function object has captured: the checker tells of a program's own names, not of
// symbols and offsets.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
class RecordDecl;
} // namespace clang

namespace lockstep::driver {

// Lines "title KERNEL TEXT", "range KERNEL" for one whose work-items have no groups, and "member KERNEL OFFSET BYTES ELEMENT KIND NAME" for what pointers and accessors stand in
// `function`, the function object: KIND is "pointer", "accessor", "local_accessor" or "value", ELEMENT the size of what it points to,
// or 0. `entry`: the instantiation of kernel_entry (include/lockstep/sycl/detail/launch.hpp).
std::string lines_for_reports(const clang::ASTContext &syntax, const std::string &kernel,
                              const clang::FunctionDecl &entry, const clang::RecordDecl &function);

} // namespace lockstep::driver
