#include <sycl/sycl.hpp>

#include "functions.h"

static int secret(int x) {
  return x + 2;
}
int in_library(int x) {
  return secret(x) * 1000;
}
