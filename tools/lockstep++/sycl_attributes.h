// The attributes of SYCL (SYCL 2020, section 5.8) as clang's parser knows them: [[sycl::reqd_work_group_size]] and the others.
//
// Ensures: clang takes them in silence on functions, and warns anywhere else. They have no arguments, because clang drops
// those of attributes that it does not have itself: attribute_tokens.h puts an annotation with the arguments beside each,
// which kernel_attributes.h reads.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace lockstep::driver {

struct SyclAttribute {
  llvm::StringRef name; // in namespace sycl
  // The function of sycl::detail (detail/attribute_numbers.hpp) that is called with the arguments.
  llvm::StringRef numbers;
  bool has_type = false; // the argument is a type
};

// Null: another attribute. `scope` is sycl, cl or intel.
const SyclAttribute *find_sycl_attribute(llvm::StringRef scope, llvm::StringRef name);

} // namespace lockstep::driver
