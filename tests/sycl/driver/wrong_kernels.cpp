// Code that kernels may not contain (SYCL 2020, section 5.4). A line with an error ends with a word
// of its message.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <typeinfo>
#include <vector>

int mutable_global = 1;
thread_local int of_thread = 1;
int computed() {
  return std::rand();
}
const int computed_global = computed();
extern const int elsewhere;
const int constant_global[] = {1, 2, 3};
int in_another_source(int);
using function_pointer = int (*)(int);

struct Base {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
};
struct Derived final : Base {
  int value() const override { return 2; }
};

int factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1); // error: factorial
}
int even(int n);
int odd(int n) {
  return n == 0 ? 0 : even(n - 1);
}
int even(int n) {
  return n == 0 ? 1 : odd(n - 1); // error: calls itself
}
int throws_at_zero(int n) {
  if (n == 0)
    throw 1; // error: throws
  return n;
}
template <class T> T *make(T value) {
  return new T(value); // error: allocates
}
int virtual_through(const Base &base) {
  return base.value(); // error: virtual
}
int count_calls() {
  static int calls = 0;
  return ++calls; // error: not const
}

// Correct code: constants, and calls of known functions.
constexpr int power(int base, int n) {
  return n == 0 ? 1 : base * power(base, n - 1);
}
int right(int i) {
  constexpr int known = power(2, 5);
  alignas(int) unsigned char room[sizeof(int)];
  int *placed = new (room) int(constant_global[i % 3]);
  static const int table[] = {4, 5, 6};
  Derived derived;
  if constexpr (sizeof(int) == 1)
    throw 2;
  return known + *placed + table[i % 3] + derived.value() + int(sizeof(mutable_global));
}
int never_called_in_a_kernel(int n) {
  if (n < 0)
    throw n;
  return mutable_global += never_called_in_a_kernel(n - 1);
}

int main(int count, char **) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(16, queue);
  function_pointer pointer = count > 1 ? factorial : odd;
  queue.parallel_for(16, [=](sycl::item<1> item) {
    const int i = int(item);
    out[i] = right(i);
    out[i] += factorial(i);
    out[i] += odd(i);
    out[i] += throws_at_zero(i);
    out[i] += *make(i);
    out[i] += virtual_through(Derived());
    out[i] += count_calls();
    out[i] += pointer(i);           // error: pointer
    out[i] += mutable_global;       // error: not const
    out[i] += of_thread;            // error: thread
    out[i] += computed_global;      // error: not a constant
    out[i] += elsewhere;            // error: not a constant
    out[i] += in_another_source(i); // error: SYCL_EXTERNAL
    try {                           // error: try
      out[i] += 1;
    } catch (...) {
    }
    std::printf("%d\n", i);                      // error: variadic
    int *more = new int[4];                      // error: allocates
    delete[] more;                               // error: delete
    void *memory = std::malloc(8);               // error: malloc
    std::vector<int> values(3);                  // error: not there
    const std::type_info &type = typeid(out[i]); // error: type
    asm("nop");                                  // error: assembly
    out[i] += int(memory != nullptr) + int(sizeof type) + values[0];
  });
  queue.wait();
  return never_called_in_a_kernel(count) + out[0];
}
