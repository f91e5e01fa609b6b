#include <sycl/sycl.hpp>

#include "functions.h"

static int secret(int x) { // the library has a different function of this name
  return x + 1;
}
SYCL_EXTERNAL int in_object(int x) {
  return secret(x) * 10;
}
int nested::Scale::apply(int x) const {
  return in_archive(x) * factor;
}
int by_factor(int x, sycl::kernel_handler &constants) {
  return x * constants.get_specialization_constant<factor>();
}
