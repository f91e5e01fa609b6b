// A program as it was written for SYCL 1.2.1: its header, its namespace, its names for classes of the standard library, its
// classes of exceptions.
#include "check.h"

#include <CL/sycl.hpp>

namespace sycl_1 = cl::sycl;
using namespace cl::sycl;

namespace {

class Doubled {
public:
  Doubled(accessor<int, 1, access::mode::read, access::target::global_buffer> from,
          accessor<int, 1, access::mode::discard_write, access::target::global_buffer> to)
      : from_(from), to_(to) {}
  void operator()(item<1> item) const { to_[item] = 2 * from_[item]; }

private:
  accessor<int, 1, access::mode::read, access::target::global_buffer> from_;
  accessor<int, 1, access::mode::discard_write, access::target::global_buffer> to_;
};

// What a call throws, caught by each class that SYCL 1.2.1 has for it.
template <class Exception, class Function> bool throws(Function function) {
  try {
    function();
  } catch (const Exception &) {
    return true;
  } catch (...) {
  }
  return false;
}

} // namespace

TEST(classes_of_the_standard_library) {
  vector_class<int> data(100);
  for (int i = 0; i < 100; ++i)
    data[i] = i;
  const shared_ptr_class<vector_class<int>> out = std::make_shared<vector_class<int>>(100);
  int failures = 0;
  const function_class<void(exception_list)> handler = [&](exception_list list) {
    for (const exception_ptr_class &one : list)
      try {
        std::rethrow_exception(one);
      } catch (const sycl_1::exception &) {
        ++failures;
      }
  };
  {
    queue queue(default_selector{}, handler);
    buffer<int, 1> from(data.data(), range<1>(100)), to(out->data(), range<1>(100));
    queue.submit([&](sycl_1::handler &group) {
      group.parallel_for(range<1>(100), Doubled(from.get_access<access::mode::read>(group),
                                                to.get_access<access::mode::discard_write>(group)));
    });
    queue.wait_and_throw();
    const string_class name = queue.get_device().get_info<info::device::name>();
    EXPECT(!name.empty());
  }
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ((*out)[i], 2 * i);
  EXPECT_EQ(failures, 0);
  mutex_class mutex;
  mutex.lock();
  mutex.unlock();
  const unique_ptr_class<int> owned(new int(3));
  const weak_ptr_class<vector_class<int>> weak = out;
  EXPECT(!weak.expired());
  EXPECT_EQ(hash_class<queue>()(queue()) == 0, false);
}

TEST(exceptions) {
  queue queue;
  buffer<int, 1> numbers{range<1>(100)};
  const auto outside = [&] { buffer<int, 1> part(numbers, id<1>(90), range<1>(20)); };
  EXPECT(throws<invalid_object_error>(outside));
  EXPECT(throws<invalid_parameter_error>(outside));
  EXPECT(throws<device_error>(outside));
  EXPECT(throws<runtime_error>(outside));
  EXPECT(throws<sycl_1::exception>(outside));
  EXPECT(throws<std::exception>(outside));

  const auto not_divisible = [&] {
    queue.submit([&](handler &group) {
      group.parallel_for(nd_range<1>(range<1>(10), range<1>(3)), [](nd_item<1>) {});
    });
  };
  EXPECT(throws<nd_range_error>(not_divisible));
  EXPECT(throws<runtime_error>(not_divisible));
  EXPECT(throws<invalid_parameter_error>([&] {
    queue.get_device().create_sub_devices<info::partition_property::partition_equally>(100000);
  }));
  try {
    outside();
  } catch (const invalid_object_error &error) {
    EXPECT_EQ(error.get_cl_code(), CL_SUCCESS);
    EXPECT(error.code() == errc::invalid);
    EXPECT(!error.has_context());
  }
}

TEST(vectors_of_any_integer) {
  queue queue;
  longlong2 sum(0, 0);
  {
    buffer<longlong2, 1> of_sum(&sum, range<1>(1));
    queue.submit([&](handler &group) {
      auto to = of_sum.get_access<access::mode::write>(group);
      group.single_task<class add_vectors>(
          [=] { to[0] = longlong2(1LL << 40, 2) + longlong2(uchar(3), uint(4)); });
    });
  }
  EXPECT_EQ(sum.x(), (1LL << 40) + 3);
  EXPECT_EQ(sum.y(), 6LL);
}

// The spellings of SYCL 1.2.1 (6.7) and of early DPC++; as in SYCL 2020, the last dimension is contiguous.
TEST(attributes_of_kernels) {
  queue queue;
  buffer<size_t, 1> sizes{range<1>(3)};
  const auto launch = [&](range<2> local, auto kernel) {
    queue.submit([&](handler &group) {
      auto out = sizes.get_access<access::mode::read_write>(group);
      kernel(group, nd_range<2>(range<2>(4, 32), local), out);
    });
    queue.wait_and_throw();
  };
  const auto khronos = [](handler &group, nd_range<2> range, auto out) {
    group.parallel_for<class attributes_of_khronos>(
        range,
        [=](nd_item<2> item) [[cl::reqd_work_group_size(2, 16),
                               cl::vec_type_hint(int4)]] [[cl::work_group_size_hint(2, 16)]] {
          out[0] = item.get_local_range(1);
        });
  };
  launch(range<2>(2, 16), khronos);
  EXPECT(throws<nd_range_error>([&] { launch(range<2>(4, 16), khronos); }));
  const auto intel = [](handler &group, nd_range<2> range, auto out) {
    group.parallel_for<class attributes_of_intel>(
        range, [=](nd_item<2> item)
                   [[intel::reqd_work_group_size(4, 8)]] [[cl::intel_reqd_sub_group_size(4)]] {
                     out[1] = item.get_local_range(1);
                     out[2] = item.get_sub_group().get_max_local_range()[0];
                   });
  };
  launch(range<2>(4, 8), intel);
  EXPECT(throws<nd_range_error>([&] { launch(range<2>(2, 16), intel); }));
  const auto found = sizes.get_access<access::mode::read>();
  EXPECT_EQ(found[0], 16u);
  EXPECT_EQ(found[1], 8u);
  EXPECT_EQ(found[2], 4u);
}
