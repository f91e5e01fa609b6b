// Registers the SYCL attributes (SYCL 2020, section 5.8) in clang's parser:
// [[sycl::reqd_work_group_size]] and the others.
//
// Ensures that clang accepts them on functions without a diagnostic, and warns anywhere else. They
// are registered without arguments, because clang drops the arguments of attributes that are not
// its own. attribute_tokens.h adds an annotation with the arguments next to each one;
// kernel_attributes.h reads it.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace lockstep::driver {

struct SyclAttribute {
  llvm::StringRef name; // in namespace sycl
  // The function of sycl::detail (detail/attribute_numbers.hpp) that receives the arguments.
  llvm::StringRef numbers;
  bool has_type = false; // true if the argument is a type
};

// Returns null if it is another attribute. `scope` is sycl, cl or intel.
const SyclAttribute *find_sycl_attribute(llvm::StringRef scope, llvm::StringRef name);

} // namespace lockstep::driver
