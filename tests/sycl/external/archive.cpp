#include <sycl/sycl.hpp>

#include "functions.h"

int in_archive(int x) {
  return x + 100;
}
