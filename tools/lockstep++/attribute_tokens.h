// Rewrites SYCL attributes so that clang's parser attaches them to functions.
//
// Requires a compiler whose action has not begun. Ensures that the parser reads
// `[[sycl::reqd_work_group_size(8)]]` as
//   `[[sycl::reqd_work_group_size, clang::annotate("lockstep.reqd_work_group_size",
//   ::sycl::detail::sizes_of_attribute(8))]]`
// (sycl_attributes.h). After the parameters of a lambda expression, a C++ attribute belongs to the
// type and clang would reject it. There the parser reads `__attribute__((annotate(...)))`, which
// belongs to the call operator.
//
// Programs for SYCL 1.2.1 often write `namespace sycl = cl::sycl;`. There `sycl` is a namespace
// already, and the parser reads `namespace sycl { using namespace cl::sycl; }`.
//
// Tokens are changed between the preprocessor and the parser. So macros are expanded, the text is
// unchanged, and each token keeps its location for diagnostics and debug information.
#pragma once

namespace clang {
class CompilerInstance;
}

namespace lockstep::driver {

// Does nothing for actions that do not parse; the output of -E is unchanged.
void change_attribute_tokens(clang::CompilerInstance &compiler);

} // namespace lockstep::driver
