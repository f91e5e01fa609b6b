// Device variables (sycl_ext_oneapi_device_global): kernels of several sources share them, and the
// host copies them.
#include <sycl/sycl.hpp>

#include "../check.h"
#include "shared.h"

#include <vector>

namespace {

struct Pair {
  int first;
  float second;
};

oneapi::device_global<int> counter;
oneapi::device_global<int[4]> four;
oneapi::device_global<const int> never_written;
const oneapi::device_global<Pair> pair(Pair{3, 0.5f});
oneapi::device_global<int *> pointer;
static oneapi::device_global<int> own;
oneapi::device_global<int, decltype(oneapi::properties{oneapi::device_image_scope,
                                                       oneapi::host_access_read})>
    with_properties;
oneapi::device_global<int> began_with(17);
const oneapi::device_global<int> copied(began_with);
oneapi::device_global<float> converted = began_with;
oneapi::device_global<char, decltype(oneapi::properties{oneapi::init_mode_reset,
                                                        oneapi::implement_in_csr_off,
                                                        oneapi::host_access_none})>
    as_for_an_fpga;
struct Holder {
  static oneapi::device_global<bool> flag;
};
oneapi::device_global<bool> Holder::flag;

static_assert(decltype(with_properties)::has_property<oneapi::host_access_key>());
static_assert(decltype(with_properties)::get_property<oneapi::host_access_key>().value ==
              oneapi::host_access_enum::read);
static_assert(!decltype(counter)::has_property<oneapi::device_image_scope_key>());
static_assert(decltype(as_for_an_fpga)::get_property<oneapi::init_mode_key>() ==
              oneapi::init_mode<oneapi::init_mode_enum::reset>);
static_assert(!decltype(as_for_an_fpga)::get_property<oneapi::implement_in_csr_key>().value);
static_assert(oneapi::is_property_key<oneapi::init_mode_key>() &&
              !oneapi::is_property_key<decltype(oneapi::init_mode_reset)>() &&
              oneapi::is_property_value<std::decay_t<decltype(oneapi::init_mode_reset)>>() &&
              oneapi::is_property_key_of<oneapi::host_access_key, decltype(counter)>() &&
              !oneapi::is_property_key_of<oneapi::work_group_size_key, decltype(counter)>());
static_assert(std::is_copy_constructible_v<decltype(counter)> &&
              !std::is_copy_constructible_v<decltype(with_properties)>);

template <class Global, class T = typename Global::element_type> T value_of(Global &global) {
  sycl::queue queue;
  T value{};
  queue.copy(global, &value, 1).wait();
  return value;
}

TEST(kernels_share_them) {
  sycl::queue queue(sycl::property::queue::in_order{});
  for (int i = 0; i < 3; ++i)
    queue.parallel_for(sycl::range<1>(100), [](sycl::id<1>) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(
          counter.get())++;
    });
  int *seen = sycl::malloc_shared<int>(4, queue);
  queue.single_task([=] {
    seen[0] = counter;
    seen[1] = never_written + pair.get().first;
    Holder::flag = seen[0] == 300;
    four[2] = 7;
    with_properties = 5;
    *counter.get_multi_ptr<sycl::access::decorated::no>() += 1;
  });
  queue.wait();
  EXPECT_EQ(seen[0], 300);
  EXPECT_EQ(seen[1], 3);
  EXPECT_EQ(value_of(counter), 301);
  EXPECT(value_of(Holder::flag));
  EXPECT_EQ(value_of(with_properties), 5);
  queue.memcpy(seen, four).wait();
  EXPECT_EQ(seen[0] + seen[1] + seen[3], 0);
  EXPECT_EQ(seen[2], 7);
  sycl::free(seen, queue);
}

TEST(copies_begin_as_the_other_one) {
  sycl::queue queue;
  int *seen = sycl::malloc_shared<int>(2, queue);
  queue
      .single_task([=] {
        began_with = 1;
        as_for_an_fpga = 'x';
        seen[0] = copied;
        seen[1] = int(converted.get() * 10.0f);
      })
      .wait();
  EXPECT_EQ(seen[0], 17);
  EXPECT_EQ(seen[1], 170);
  EXPECT_EQ(value_of(as_for_an_fpga), 'x');
  sycl::free(seen, queue);
}

TEST(copies_have_a_place) {
  sycl::queue queue;
  const int values[4] = {1, 2, 3, 4};
  sycl::event first = queue.memcpy(four, values);
  sycl::event second = queue.copy(values, four, 2, 1, first); // 1 1 2 4
  int back[4] = {};
  queue.memcpy(back, four, sizeof back, 0, std::vector<sycl::event>{second}).wait();
  EXPECT_EQ(back[0] * 1000 + back[1] * 100 + back[2] * 10 + back[3], 1124);
  queue.submit([&](sycl::handler &group) { group.copy(four, back, 1, 3); }).wait();
  EXPECT_EQ(back[0], 4);
  EXPECT_THROW(sycl::errc::invalid, "beyond the end", queue.copy(values, four, 3, 2));
  EXPECT_THROW(sycl::errc::invalid, "beyond the end", queue.memcpy(back, four, 4, 13));
  EXPECT_THROW(sycl::errc::invalid, "beyond the end",
               queue.submit([&](sycl::handler &group) { group.memcpy(counter, values, 8); }));
}

TEST(other_sources_have_the_same_or_their_own) {
  sycl::queue queue;
  count_in_other(queue);
  int *result = sycl::malloc_shared<int>(1, queue);
  queue
      .single_task([=] {
        in_both.get() += 1;
        own.get() += 1;
        of_type<int> = 5;
        defined_in_other.get() += 1;
        *result = add_to_others(10);
      })
      .wait();
  EXPECT_EQ(value_of(in_both), 101);
  EXPECT_EQ(value_of(defined_in_other), 42);
  EXPECT_EQ(value_of(own), 1);
  EXPECT_EQ(own_count_of_other(queue), 1010);
  EXPECT_EQ(*result, 1015);
  sycl::free(result, queue);
}

TEST(pointers_are_followed) {
  sycl::queue queue;
  int *memory = sycl::malloc_shared<int>(2, queue);
  queue.memcpy(pointer, &memory).wait();
  queue.single_task([] { pointer[1] = 9; }).wait();
  EXPECT_EQ(memory[1], 9);
  sycl::free(memory, queue);
}

} // namespace
