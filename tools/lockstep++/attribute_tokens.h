// Gives clang's parser the attributes of SYCL in a form that it attaches to functions.
//
// Requires: a compiler whose action has not begun. Ensures: the parser reads `[[sycl::reqd_work_group_size(8)]]` as
// `[[sycl::reqd_work_group_size, clang::annotate("lockstep.reqd_work_group_size", ::sycl::detail::sizes_of_attribute(8))]]`
// (sycl_attributes.h). Behind the parameters of a lambda expression, where a C++ attribute belongs to the type and clang
// would refuse it, the parser reads `__attribute__((annotate(...)))`, which belongs to the call operator.
//
// Tokens are changed between preprocessor and parser. So macros are expanded, text stays as it is, and each token keeps its
// location for diagnostics and debug information.
#pragma once

namespace clang {
class CompilerInstance;
}

namespace lockstep::driver {

// Does nothing for actions that parse nothing: what -E prints stays as it is.
void change_attribute_tokens(clang::CompilerInstance &compiler);

} // namespace lockstep::driver
