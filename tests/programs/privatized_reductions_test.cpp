// Kernels that update an argument's memory only by relaxed atomics. Each worker may get a private
// copy of that memory (docs/decisions/0016-worker-copies.md). Compares sums with a plain reference.
// Covers launches that may not have private copies, which the compiler's remarks distinguish;
// concurrent launches; and kernels that wait for another kernel's counter.
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <unistd.h>

using namespace lockstep::test;

namespace {

constexpr const char *made = "each worker has a copy of 'to'";
constexpr const char *refused = "without copies of 'to' for the workers: of this launch";

std::string remarks_file() {
  return "/tmp/lockstep_privatized_reductions_test." + std::to_string(getpid());
}

// The compiler's remarks go to a file. Other runs of this program use settings that disable private
// copies.
class PrivatizedReductions : public DeviceTest {
protected:
  static void SetUpTestSuite() { setenv("LOCKSTEP_REMARKS", remarks_file().c_str(), 0); }
  static void TearDownTestSuite() { std::remove(remarks_file().c_str()); }

  std::string remarks() {
    std::ifstream file(remarks_file());
    std::stringstream text;
    text << file.rdbuf();
    std::string all = text.str(), added = all.substr(std::min(seen_, all.size()));
    seen_ = all.size();
    return added;
  }
  static bool copies_are_on() {
    const char *form = std::getenv("LOCKSTEP_FORM"), *check = std::getenv("LOCKSTEP_CHECK");
    const bool are_checked =
        check && check != std::string_view("memory") && check != std::string_view("undefined");
    return !form && !are_checked && !std::getenv("LOCKSTEP_TEST_PLATFORM");
  }
  void expect_remark(const char *text) {
    const std::string all = remarks();
    if (copies_are_on()) {
      EXPECT_NE(all.find(text), std::string::npos) << all;
    }
  }

  Memory filled(const std::vector<cl_uint> &data) {
    Memory buffer = make_buffer(data.size() * 4);
    write(buffer, data);
    return buffer;
  }
  template <class... Arguments> void set(cl_kernel kernel, Arguments... arguments) {
    cl_uint index = 0;
    auto set_one = [&](const auto &argument) {
      EXPECT_EQ(clSetKernelArg(kernel, index++, sizeof argument, &argument), CL_SUCCESS);
    };
    (set_one(arguments), ...);
  }
  void launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local) {
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
  }

private:
  size_t seen_ = 0;
};

cl_uint scramble(cl_uint i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  return i * 0x846ca68bu ^ i >> 13;
}

constexpr const char *histogram = R"(
kernel void count(global const uint *values, uint n, uint bins, global uint *to) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&to[values[i] % bins]);
}
kernel void count_both(global uint *to, global uint *too, uint n) {
  const size_t i = get_global_id(0);
  atomic_inc(&to[i % n]);
  atomic_add(&too[(i * 3) % n], 5);
}
kernel void wait_for(volatile global uint *from, uint wanted, global uint *seen) {
  while (atomic_add(from, 0) != wanted) ;
  if (get_global_id(0) == 0) *seen = *from;
}
kernel void count_up(global uint *to, uint n) {
  if (get_global_id(0) < n) atomic_inc(to);
}
kernel void count_unless_null(global uint *to, global uint *more) {
  if (to) atomic_inc(to);
  more[get_global_id(0)] += 1;
}
)";

std::vector<cl_uint> numbers(size_t count) {
  std::vector<cl_uint> data(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = scramble(cl_uint(i));
  return data;
}

TEST_F(PrivatizedReductions, CountInTablesOfAnySize) {
  Program program = build(histogram, "-cl-std=CL3.0");
  const cl_uint n = 100'003;
  const std::vector<cl_uint> values = numbers(n);
  Memory from = filled(values);
  for (cl_uint bins : {1u, 7u, 255u, 256u, 1000u, 70'000u})
    for (auto [items, local] : {std::pair<size_t, size_t>{4096, 64}, {5000, 256}, {2049, 13}}) {
      SCOPED_TRACE(std::to_string(bins) + " bins, " + std::to_string(items) + " items");
      std::vector<cl_uint> expected = numbers(bins);
      Kernel kernel = make_kernel(program, "count");
      Memory to = filled(expected);
      set(kernel, from.get(), n, bins, to.get());
      remarks();
      launch(queue_, kernel, items, local);
      if (bins == 70'000u && items == 4096)
        expect_remark(refused); // exceeds a core's private cache
      for (cl_uint value : values)
        ++expected[value % bins];
      EXPECT_EQ(read<cl_uint>(to, bins), expected);
    }
}

TEST_F(PrivatizedReductions, AreMadeOfWhatNobodyElseReaches) {
  Program program = build(histogram, "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "count_both");
  const cl_uint n = 32;
  const size_t items = 8192;
  std::vector<cl_uint> to(n), too(n);
  for (size_t i = 0; i < items; ++i) {
    ++to[i % n];
    too[i * 3 % n] += 5;
  }
  auto sum = [n](const std::vector<cl_uint> &a, const std::vector<cl_uint> &b) {
    std::vector<cl_uint> both(n);
    std::transform(a.begin(), a.end(), b.begin(), both.begin(), std::plus<>());
    return both;
  };
  const std::vector<cl_uint> zeros(1024);
  {
    Memory one = filled(zeros), other = filled(zeros);
    set(kernel, one.get(), other.get(), n);
    launch(queue_, kernel, items, 128);
    EXPECT_EQ(read<cl_uint>(one, n), to);
    EXPECT_EQ(read<cl_uint>(other, n), too);
    expect_remark(made);
  }
  { // the same memory twice
    Memory one = filled(zeros);
    set(kernel, one.get(), one.get(), n);
    launch(queue_, kernel, items, 128);
    EXPECT_EQ(read<cl_uint>(one, n), sum(to, too));
    expect_remark(refused);
  }
  { // neighbors in one buffer, and a part within another
    Memory parent = filled(zeros);
    Memory first = make_sub_buffer(parent, 0, 128), second = make_sub_buffer(parent, 128, 128);
    set(kernel, first.get(), second.get(), n);
    launch(queue_, kernel, items, 128);
    EXPECT_EQ(read<cl_uint>(parent, n), to);
    EXPECT_EQ(read<cl_uint>(parent, n, 128), too);
    EXPECT_EQ(read<cl_uint>(parent, 1024 - 64, 256), std::vector<cl_uint>(1024 - 64));
    set(kernel, parent.get(), second.get(), n);
    launch(queue_, kernel, items, 128);
    EXPECT_EQ(read<cl_uint>(parent, n), sum(to, to));
    EXPECT_EQ(read<cl_uint>(parent, n, 128), sum(too, too));
  }
  { // memory of the host, mapped memory
    std::vector<cl_uint> hosts(1024);
    Memory one = make_buffer(4096, CL_MEM_USE_HOST_PTR, hosts.data()), other = filled(zeros);
    set(kernel, one.get(), other.get(), n);
    launch(queue_, kernel, items, 128);
    EXPECT_EQ(read<cl_uint>(one, n), to);
    EXPECT_EQ(read<cl_uint>(other, n), too);
  }
}

TEST_F(PrivatizedReductions, OfNoArgument) {
  Program program = build(histogram, "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "count_unless_null");
  const size_t items = 2048;
  Memory more = filled(std::vector<cl_uint>(items, 3)), to = filled({40});
  set(kernel, cl_mem(nullptr), more.get());
  launch(queue_, kernel, items, 64);
  EXPECT_EQ(read<cl_uint>(more, items), std::vector<cl_uint>(items, 4));
  set(kernel, to.get(), more.get());
  launch(queue_, kernel, items, 64);
  EXPECT_EQ(read<cl_uint>(more, items), std::vector<cl_uint>(items, 5));
  EXPECT_EQ(read<cl_uint>(to, 1)[0], 40 + items);
}

TEST_F(PrivatizedReductions, OfLaunchesThatRunAtOnce) {
  Program program = build(histogram, "-cl-std=CL3.0");
  const cl_uint n = 50'000, bins = 256, launches = 24;
  const std::vector<cl_uint> values = numbers(n);
  std::vector<cl_uint> expected(bins);
  for (cl_uint value : values)
    expected[value % bins] += launches;
  Memory from = filled(values), to = filled(std::vector<cl_uint>(bins));
  Queue queues[] = {make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), make_queue(0),
                    make_queue(0)};
  Kernel kernel = make_kernel(program, "count");
  set(kernel, from.get(), n, bins, to.get());
  for (cl_uint i = 0; i < launches; ++i)
    launch(queues[i % 3], kernel, 4096, 64);
  for (Queue &queue : queues)
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(to, bins), expected);
}

// The host first enqueues the kernel that waits for the counter.
TEST_F(PrivatizedReductions, GetToThoseWhoWaitForThem) {
  Program program = build(histogram, "-cl-std=CL3.0");
  Kernel wait = make_kernel(program, "wait_for"), count = make_kernel(program, "count_up");
  const cl_uint n = 3000;
  Memory counter = filled({0}), seen = filled({0});
  set(wait, counter.get(), n, seen.get());
  set(count, counter.get(), n);
  Queue other = make_queue(0);
  launch(other, wait, 256, 64);
  ASSERT_EQ(clFlush(other), CL_SUCCESS);
  launch(queue_, count, 4096, 64);
  ASSERT_EQ(clFinish(other), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(seen, 1)[0], n);
}

// ---- every operation

template <class T> struct Operation {
  const char *name;
  T (*apply)(T, T);
};

template <class T> T plus(T a, T b) {
  return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
}
template <class T> T minus(T a, T b) {
  return T(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b));
}

template <class T> const std::vector<Operation<T>> &operations() {
  static const std::vector<Operation<T>> all = {{"add", plus<T>},
                                                {"sub", minus<T>},
                                                {"and", [](T a, T b) { return T(a & b); }},
                                                {"or", [](T a, T b) { return T(a | b); }},
                                                {"xor", [](T a, T b) { return T(a ^ b); }},
                                                {"min", [](T a, T b) { return std::min(a, b); }},
                                                {"max", [](T a, T b) { return std::max(a, b); }}};
  return all;
}

class Operations : public PrivatizedReductions {
protected:
  // Updates several elements by index, and one element that is the same for all work-items.
  template <class T> void try_all(const std::string &type, const std::string &prefix) {
    constexpr size_t items = 6000, places = 37;
    std::vector<T> values(items), old(places + 1);
    for (size_t i = 0; i < items; ++i)
      values[i] = T(scramble(cl_uint(i)) * cl_ulong(0x10001));
    for (size_t i = 0; i <= places; ++i)
      old[i] = T(scramble(cl_uint(i + 777)) * cl_ulong(0x10001));
    for (const Operation<T> &operation : operations<T>()) {
      SCOPED_TRACE(type + " " + operation.name);
      const std::string source = R"(
        #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
        kernel void k(global const T *values, uint n, global T *to) {
          const size_t i = get_global_id(0);
          if (i % 3 == 0) OPERATION(to + N, values[i]);
          OPERATION(&to[i % N], values[i]);
        })";
      Program program = build(
          source.c_str(),
          ("-cl-std=CL1.2 -DN=37 -DT=" + type + " -DOPERATION=" + prefix + operation.name).c_str());
      Kernel kernel = make_kernel(program, "k");
      Memory from = make_buffer(items * sizeof(T)), to = make_buffer((places + 1) * sizeof(T));
      write(from, values);
      write(to, old);
      set(kernel, from.get(), cl_uint(items), to.get());
      remarks();
      launch(queue_, kernel, items, 60);
      std::vector<T> expected = old;
      for (size_t i = 0; i < items; ++i) {
        expected[i % places] = operation.apply(expected[i % places], values[i]);
        if (i % 3 == 0)
          expected[places] = operation.apply(expected[places], values[i]);
      }
      EXPECT_EQ(read<T>(to, places + 1), expected);
      expect_remark(made);
    }
  }

  // All sums are exact in any order.
  template <class T> void try_floats(const std::string &type) {
    constexpr size_t items = 4099, places = 8;
    std::vector<T> values(items), old(3 * places, T(1));
    for (size_t i = 0; i < items; ++i)
      values[i] = T(int(scramble(cl_uint(i)) % 2001) - 1000);
    const T nan = std::numeric_limits<T>::quiet_NaN(),
            infinity = std::numeric_limits<T>::infinity();
    values[17] = values[18] = nan;
    values[places * 5 + 3] = infinity;
    values[places * 7 + 4] = -infinity;
    // A zero that no atomic updates keeps its sign; any number replaces a NaN in memory.
    old[0] = T(-0.0);
    old[places + 2] = old[places + 3] = old[2 * places + 3] = nan;
    const std::string source = R"(
      kernel void k(global const T *values, global A *sums, global A *to, global A *greatest) {
        const size_t i = get_global_id(0), place = i % 8;
        const T value = values[i];
        if (place && value == value && fabs(value) < 2000)
          atomic_fetch_add_explicit(sums + place, value, memory_order_relaxed, memory_scope_device);
        if (place == 7)
          atomic_fetch_sub_explicit(sums + 7, (T)3, memory_order_relaxed, memory_scope_device);
        atomic_fetch_min_explicit(to + place, value, memory_order_relaxed, memory_scope_device);
        atomic_fetch_max_explicit(greatest + place, value, memory_order_relaxed, memory_scope_device);
      })";
    Program program =
        build(source.c_str(), ("-cl-std=CL3.0 -DT=" + type + " -DA=atomic_" + type).c_str());
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(items * sizeof(T));
    Memory to[] = {make_buffer(places * sizeof(T)), make_buffer(places * sizeof(T)),
                   make_buffer(places * sizeof(T))};
    write(from, values);
    for (size_t i = 0; i < 3; ++i)
      write(to[i],
            std::vector<T>(old.begin() + long(i * places), old.begin() + long((i + 1) * places)));
    set(kernel, from.get(), to[0].get(), to[1].get(), to[2].get());
    remarks();
    launch(queue_, kernel, items, 64);
    expect_remark(made);
    std::vector<T> expected = old;
    for (size_t i = 0; i < items; ++i) {
      const size_t place = i % places;
      if (place && std::abs(values[i]) < 2000)
        expected[place] += values[i];
      if (place == 7)
        expected[7] -= 3;
      expected[places + place] = std::fmin(expected[places + place], values[i]);
      expected[2 * places + place] = std::fmax(expected[2 * places + place], values[i]);
    }
    for (size_t i = 0; i < 3; ++i) {
      const std::vector<T> found = read<T>(to[i], places);
      for (size_t j = 0; j < places; ++j)
        EXPECT_EQ(found[j], expected[i * places + j]) << i << ", " << j;
    }
    EXPECT_TRUE(std::signbit(read<T>(to[0], 1)[0]));
  }
};

TEST_F(Operations, OfIntegers) {
  try_all<cl_int>("int", "atomic_");
  try_all<cl_uint>("uint", "atomic_");
}

TEST_F(Operations, OfLongIntegers) {
  try_all<cl_long>("long", "atom_");
  try_all<cl_ulong>("ulong", "atom_");
}

TEST_F(Operations, OfFloats) {
  try_floats<cl_float>("float");
  try_floats<cl_double>("double");
}

// ---- loops that update by compare-and-swap

constexpr const char *swap_loops = R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
T applied(T old, T value) { return APPLY; }
#if SPELLING == 0 // reads again before each swap
void update(volatile global T *to, T value) {
  T old;
  do
    old = *to;
  while (SWAP(to, old, applied(old, value)) != old);
}
#elif SPELLING == 1 // takes what the swap has seen
void update(volatile global T *to, T value) {
  T seen = *to, expected;
  do {
    expected = seen;
    seen = SWAP(to, expected, applied(expected, value));
  } while (seen != expected);
}
#elif SPELLING == 2 // C11
void update(volatile global T *to, T value) {
  volatile global ATOMIC *place = (volatile global ATOMIC *)to;
  T expected = atomic_load(place);
  while (!atomic_compare_exchange_weak(place, &expected, applied(expected, value)))
    ;
}
#else // ends where nothing changes
void update(volatile global T *to, T value) {
  T old = *to;
  while (applied(old, value) != old) {
    const T seen = SWAP(to, old, value);
    if (seen == old)
      break;
    old = seen;
  }
}
#endif
kernel void k(global const T *values, volatile global T *to) {
  const size_t i = get_global_id(0);
  if (i % 3 == 0) update(to + 37, values[i]);
  update(&to[i % 37], values[i]);
}
kernel void take_tickets(volatile global T *to, global T *tickets) {
  T old;
  do
    old = *to;
  while (SWAP(to, old, old + 1) != old);
  tickets[get_global_id(0)] = old;
}
)";

class SwapLoops : public PrivatizedReductions {
protected:
  static constexpr size_t items = 6000, places = 37;

  template <class T> struct Applied {
    const char *expression;
    T (*apply)(T, T);
    bool has_limit = false;
  };

  // update-loops does not run in checked kernels.
  void expect_remark(const char *text) {
    if (!std::getenv("LOCKSTEP_CHECK"))
      PrivatizedReductions::expect_remark(text);
  }

  template <class T>
  Program build_for(const std::string &type, const Applied<T> &operation, int spelling) {
    const std::string prefix = sizeof(T) == 8 ? "atom_" : "atomic_";
    const std::string options = "-cl-std=CL3.0 -DT=" + type + " -DATOMIC=atomic_" + type +
                                " -DSWAP=" + prefix + "cmpxchg -DAPPLY=" + operation.expression +
                                " -DSPELLING=" + std::to_string(spelling);
    return build(swap_loops, options.c_str());
  }

  template <class T>
  void try_one(const std::string &type, const Applied<T> &operation, int spelling) {
    std::vector<T> values(items), old(places + 1);
    for (size_t i = 0; i < items; ++i)
      values[i] = T(scramble(cl_uint(i)) * cl_ulong(0x10001)) | 1; // a product does not become 0
    for (size_t i = 0; i <= places; ++i)
      old[i] = T(scramble(cl_uint(i + 777)) * cl_ulong(0x10001)) | 1;
    std::vector<T> expected = old;
    for (size_t i = 0; i < items; ++i) {
      expected[i % places] = operation.apply(expected[i % places], values[i]);
      if (i % 3 == 0)
        expected[places] = operation.apply(expected[places], values[i]);
    }
    Program program = build_for(type, operation, spelling);
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(items * sizeof(T)), to = make_buffer((places + 1) * sizeof(T));
    write(from, values);
    write(to, old);
    set(kernel, from.get(), to.get());
    remarks();
    launch(queue_, kernel, items, 60);
    EXPECT_EQ(read<T>(to, places + 1), expected);
    expect_remark(made);
    // Memory that the host sees has no copies.
    std::vector<T> hosts = old;
    Memory shared = make_buffer((places + 1) * sizeof(T), CL_MEM_USE_HOST_PTR, hosts.data());
    set(kernel, from.get(), shared.get());
    launch(queue_, kernel, items, 60);
    EXPECT_EQ(read<T>(shared, places + 1), expected);
    expect_remark(refused);
  }

  template <class T> void try_all(const std::string &type) {
    const std::vector<Applied<T>> operations = {
        {"old+value", plus<T>},
        {"old-value", minus<T>},
        {"value*old",
         [](T a, T b) { return T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b)); }},
        {"old&value", [](T a, T b) { return T(a & b); }},
        {"old|value", [](T a, T b) { return T(a | b); }},
        {"old^value", [](T a, T b) { return T(a ^ b); }},
        {"min(old,value)", [](T a, T b) { return std::min(a, b); }, true},
        {"max(value,old)", [](T a, T b) { return std::max(a, b); }, true}};
    int next = 0; // the spellings take turns, so that the test stays short
    for (const Applied<T> &operation : operations) {
      const int spelling = operation.has_limit ? 3 - next++ % 2 * 2 : next++ % 3;
      SCOPED_TRACE(type + " " + operation.expression + ", spelling " + std::to_string(spelling));
      try_one(type, operation, spelling);
    }
  }
};

TEST_F(SwapLoops, OfIntegers) {
  try_all<cl_int>("int");
  try_all<cl_ulong>("ulong");
}

TEST_F(SwapLoops, MultiplyInAnySpelling) {
  const Applied<cl_uint> product = {"old*value", [](cl_uint a, cl_uint b) { return a * b; }};
  for (int spelling : {0, 1, 2})
    try_one<cl_uint>("uint", product, spelling);
}

TEST_F(SwapLoops, YieldTheOldValue) {
  const Applied<cl_uint> none = {"old", nullptr};
  Program program = build_for("uint", none, 0);
  Kernel kernel = make_kernel(program, "take_tickets");
  Memory to = filled({5}), tickets = make_buffer(items * 4);
  set(kernel, to.get(), tickets.get());
  launch(queue_, kernel, items, 60);
  std::vector<cl_uint> found = read<cl_uint>(tickets, items);
  std::sort(found.begin(), found.end());
  for (size_t i = 0; i < items; ++i)
    EXPECT_EQ(found[i], 5 + i);
  EXPECT_EQ(read<cl_uint>(to, 1)[0], 5 + items);
}

// All products are exact in any order.
TEST_F(SwapLoops, MultiplyFloatsIfTheOrderIsFree) {
  const char *source = R"(
    kernel void k(global const float *values, volatile global uint *to) {
      uint old;
      do
        old = *to;
      while (atomic_cmpxchg(to, old, as_uint(as_float(old) * values[get_global_id(0)])) != old);
    })";
  std::vector<cl_float> values(4096);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::array{2.0f, 0.5f, -2.0f, 0.5f}[i % 4];
  for (bool is_free : {false, true}) {
    Program program = build(source, is_free ? "-cl-unsafe-math-optimizations" : "");
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(values.size() * 4), to = make_buffer(4);
    write(from, values);
    write(to, std::vector<cl_float>{3});
    set(kernel, from.get(), to.get());
    remarks();
    launch(queue_, kernel, values.size(), 64);
    EXPECT_EQ(read<cl_float>(to, 1)[0], 3.0f);
    if (is_free)
      expect_remark(made);
    else if (copies_are_on())
      EXPECT_EQ(remarks().find(made), std::string::npos);
  }
}

} // namespace
