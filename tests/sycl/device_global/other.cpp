#include <sycl/sycl.hpp>

#include "shared.h"

oneapi::device_global<int> defined_in_other(40);
static oneapi::device_global<int> own; // main.cpp has a different variable of this name

SYCL_EXTERNAL int add_to_others(int value) {
  own.get() += value;
  return own.get() + of_type<int>.get();
}

void count_in_other(sycl::queue &queue) {
  queue
      .single_task([] {
        in_both.get() += 100;
        defined_in_other.get() += 1;
        own.get() += 1000;
      })
      .wait();
}

int own_count_of_other(sycl::queue &queue) {
  int value = 0;
  queue.memcpy(&value, own).wait();
  return value;
}
