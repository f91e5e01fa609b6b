// Programs as written for SYCL 1.2.1 and for DPC++ before SYCL 2020.
#include <CL/sycl.hpp>

#include "check.h"

#include <CL/sycl/backend/opencl.hpp>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

namespace sycl_1 = cl::sycl;
namespace sycl = cl::sycl;
namespace sycl = ::cl::sycl;
using namespace cl::sycl;
namespace of_a_program {
namespace sycl = cl::sycl;
}

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

// Catches the exception of a call by each class that SYCL 1.2.1 has for it.
template <class Exception, class Function> bool throws(Function function) {
  try {
    function();
  } catch (const Exception &) {
    return true;
  } catch (...) {
  }
  return false;
}

// Operators that are not const.
template <class T> class Counted {
public:
  explicit Counted(accessor<T, 1, access::mode::write, access::target::global_buffer> to)
      : to_(to) {}
  void operator()(item<1> item) {
    calls_ += 1;
    to_[item] = T(item[0]) * calls_;
  }
  void operator()(nd_item<1> item) {
    calls_ += 2;
    to_[item.get_global_id()] = T(item.get_local_id(0)) * calls_;
  }

private:
  accessor<T, 1, access::mode::write, access::target::global_buffer> to_;
  T calls_ = 0;
};

class Picky : public device_selector {
  int operator()(const device &) const final { return -1; }
};
class Any : public device_selector {
  int operator()(const device &) const final { return 1; }
};

} // namespace

TEST(operators_that_are_not_const) {
  queue queue;
  std::vector<int> by_item(100), by_nd_item(100);
  {
    buffer<int, 1> first(by_item.data(), range<1>(100)), second(by_nd_item.data(), range<1>(100));
    queue.submit([&](handler &group) {
      group.parallel_for(range<1>(100), Counted<int>(first.get_access<access::mode::write>(group)));
    });
    queue.submit([&](handler &group) {
      group.parallel_for(nd_range<1>(100, 10),
                         Counted<int>(second.get_access<access::mode::write>(group)));
    });
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(by_item[i], i); // each work-item has an object of its own
    EXPECT_EQ(by_nd_item[i], i % 10 * 2);
  }
}

TEST(selectors_with_private_operators) {
  EXPECT(queue(Any()).get_device() == device(Any()));
  EXPECT(platform(Any()) == device().get_platform());
  EXPECT(throws<runtime_error>([] { queue none{Picky()}; }));
  of_a_program::sycl::range<1> same = ::sycl::range<1>(3);
  EXPECT_EQ(same[0], 3u);
}

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

// The spellings of SYCL 1.2.1 (6.7) and early DPC++; as in SYCL 2020, the last dimension is
// contiguous.
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

TEST(objects_of_opencl_as_members) {
  queue first;
  const context in = first.get_context();
  const device on = first.get_device();
  const cl_platform_id of_platform = on.get_platform().get();
  EXPECT(platform(of_platform) == on.get_platform());
  const cl_device_id of_device = on.get();
  EXPECT(device(of_device) == on);
  const cl_context of_context = in.get();
  const context same(of_context);
  EXPECT_EQ(same.get(), of_context);
  const cl_command_queue of_queue = first.get();
  queue second(of_queue, in);

  std::vector<int> numbers(50, 1);
  buffer<int, 1> memory(numbers.data(), range<1>(50));
  buffer<int, 1> view(get_native<backend::opencl>(memory).front(), in);
  event done = second.submit([&](handler &group) {
    auto to = view.get_access<access::mode::read_write>(group);
    group.parallel_for<class add_behind>(range<1>(50), [=](id<1> i) { to[i] += int(i[0]); });
  });
  event again(done.get(), of_context);
  again.wait();
  auto seen = view.get_access<access::mode::read>();
  EXPECT_EQ(seen[49], 50);
}

TEST(programs_of_kernels) {
  queue queue;
  program one(queue.get_context());
  EXPECT(one.get_state() == program_state::none);
  EXPECT(throws<invalid_object_error>([&] { one.get_kernel<class add_three>(); }));
  one.build_with_kernel_type<class add_three>();
  EXPECT(one.get_state() == program_state::linked);
  EXPECT(one.has_kernel<class add_three>());
  EXPECT(throws<invalid_object_error>([&] { one.build_with_kernel_type<class add_three>(); }));
  EXPECT(one.get_devices() == queue.get_context().get_devices());
  EXPECT(one.get_info<info::program::context>() == queue.get_context());

  const kernel compiled = one.get_kernel<class add_three>();
  EXPECT(compiled.get_info<info::kernel::function_name>().find("add_three") != string_class::npos);
  EXPECT(compiled.get_work_group_info<info::kernel_work_group::work_group_size>(
             queue.get_device()) > 0);
  std::vector<int> numbers(64, 1);
  {
    buffer<int, 1> memory(numbers.data(), range<1>(64));
    queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::read_write>(group);
      group.parallel_for<class add_three>(compiled, range<1>(64), [=](id<1> i) { to[i] += 3; });
    });
    queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::read_write>(group);
      group.single_task<class add_first>(compiled, [=] { to[0] += 10; });
    });
  }
  EXPECT_EQ(numbers[0], 14);
  EXPECT_EQ(numbers[63], 4);
}

TEST(programs_of_opencl_c) {
  queue queue;
  const string_class source = "kernel void add(global int *to) { to[get_global_id(0)] += BY; }\n"
                              "kernel void other(global int *to) { to[0] = 0; }";
  program one(queue.get_context());
  one.build_with_source(source, "-DBY=5");
  EXPECT(one.get_build_options() == "-DBY=5");
  EXPECT(one.get_kernel("other").get_info<info::kernel::function_name>() == "other");
  EXPECT(one.has_kernel(string_class("other")) && !one.has_kernel(string_class("nothing")));
  EXPECT(throws<invalid_object_error>([&] { one.get_kernel("nothing"); }));
  EXPECT(throws<compile_program_error>(
      [&] { program(queue.get_context()).build_with_source(source); })); // BY is not defined

  program compiled(queue.get_context());
  compiled.compile_with_source(source, "-D BY=7");
  EXPECT(compiled.get_compile_options() == "-D BY=7");
  program linked({compiled}, "");
  EXPECT(linked.get_state() == program_state::linked && linked.has_kernel(string_class("add")));

  std::vector<int> numbers(64, 1);
  {
    buffer<int, 1> memory(numbers.data(), range<1>(64));
    queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::read_write>(group);
      group.set_arg(0, to);
      group.parallel_for(range<1>(14), id<1>(50), one.get_kernel("add"));
    });
  }
  EXPECT_EQ(numbers[49], 1);
  EXPECT_EQ(numbers[50], 6);
  numbers.assign(64, 1);
  {
    buffer<int, 1> memory(numbers.data(), range<1>(64));
    const kernel same(one.get_kernel("add").get(), queue.get_context());
    for (const kernel &add : {one.get_kernel("add"), same, linked.get_kernel("add")})
      queue.submit([&](handler &group) {
        auto to = memory.get_access<access::mode::read_write>(group);
        group.set_args(to);
        group.parallel_for(range<1>(64), add);
      });
  }
  EXPECT_EQ(numbers[0], 1 + 5 + 5 + 7);
  EXPECT_EQ(numbers[63], 1 + 5 + 5 + 7);
}

TEST(images) {
  queue queue;
  constexpr int width = 8, height = 4;
  std::vector<float4> from(width * height), to(width * height);
  for (int i = 0; i < width * height; ++i)
    from[i] = float4(float(i), float(i % width), float(i / width), 1.f);
  {
    image<2> source(static_cast<const void *>(from.data()), image_channel_order::rgba,
                    image_channel_type::fp32, range<2>(width, height));
    image<2> result(to.data(), image_channel_order::rgba, image_channel_type::fp32,
                    range<2>(width, height));
    EXPECT_EQ(source.get_count(), std::size_t(width * height));
    EXPECT_EQ(source.get_size(), width * height * sizeof(float4));
    const sampler at_texels(coordinate_normalization_mode::unnormalized,
                            addressing_mode::clamp_to_edge, filtering_mode::nearest);
    const sampler between(coordinate_normalization_mode::normalized, addressing_mode::clamp_to_edge,
                          filtering_mode::linear);
    queue.submit([&](handler &group) {
      auto in = source.get_access<float4, access::mode::read>(group);
      accessor<float4, 2, access::mode::write, access::target::image> out(result, group);
      group.parallel_for<class of_images>(range<2>(width, height), [=](item<2> item) {
        const int2 place = {int(item[0]), int(item[1])};
        const float4 plain = in.read(place);
        const float4 outside = in.read(place + 100, at_texels); // the last texel
        const float4 middle = in.read(
            float2((float(place.x()) + 1) / width, (float(place.y()) + 0.5f) / height), between);
        out.write(place, float4(plain.x(), outside.x(), middle.y(), middle.z()));
      });
    });
    auto seen = result.get_access<float4, access::mode::read>();
    EXPECT_EQ(seen.read(int2(3, 2)).x(), 19.f);
  }
  for (int i = 0; i < width * height; ++i) {
    EXPECT_EQ(to[i].x(), float(i));
    EXPECT_EQ(to[i].y(), float(width * height - 1));
    EXPECT_EQ(to[i].z(), i % width < width - 1 ? float(i % width) + 0.5f : float(width - 1));
    EXPECT_EQ(to[i].w(), float(i / width));
  }
}

TEST(arrays_of_images) {
  queue queue;
  constexpr int width = 4, height = 3, layers = 2;
  std::vector<float4> from(width * height * layers), to(width);
  for (int i = 0; i < width * height * layers; ++i)
    from[i] = float4(float(i), 0, 0, 0);
  {
    image<3> source(from.data(), image_channel_order::rgba, image_channel_type::fp32,
                    range<3>(width, height, layers));
    image<2> result(to.data(), image_channel_order::rgba, image_channel_type::fp32,
                    range<2>(width, 1));
    const sampler between(coordinate_normalization_mode::normalized, addressing_mode::clamp_to_edge,
                          filtering_mode::linear);
    queue.submit([&](handler &group) {
      accessor<float4, 2, access::mode::read, access::target::image_array> in(source, group);
      accessor<float4, 1, access::mode::write, access::target::image_array> out(result, group);
      group.parallel_for<class of_arrays>(range<1>(width), [=](id<1> i) {
        const int x = int(i[0]);
        const float4 plain = in[1].read(int2(x, 2));
        const float4 middle = in[1].read(float2((float(x) + 1) / width, 0.5f), between);
        out[0].write(
            x, float4(plain.x(), middle.x(), float(in[0].get_count()), float(in.get_range()[2])));
      });
    });
  }
  for (int x = 0; x < width; ++x) {
    EXPECT_EQ(to[x].x(), float(width * height + 2 * width + x));
    EXPECT_EQ(to[x].y(), float(width * height + width + x) + (x < width - 1 ? 0.5f : 0.f));
    EXPECT_EQ(to[x].z(), float(width * height));
    EXPECT_EQ(to[x].w(), float(layers));
  }
}

TEST(image_formats) {
  queue queue;
  std::vector<unsigned char> bytes{0, 51, 102, 255};
  {
    image<1> grey(bytes.data(), image_channel_order::r, image_channel_type::unorm_int8,
                  range<1>(4));
    EXPECT_EQ(grey.get_size(), 4u);
    queue.submit([&](handler &group) {
      auto out = grey.get_access<float4, access::mode::write>(group);
      group.single_task<class of_bytes>([=] { out.write(1, float4(1.f, 0.f, 0.f, 0.f)); });
    });
    const auto in = grey.get_access<float4, access::mode::read>();
    EXPECT_EQ(in.read(2).x(), 102.f / 255);
    EXPECT_EQ(in.read(2).y(), 0.f);
  }
  EXPECT_EQ(bytes[1], 255);
  std::vector<short> colors(6, 7);
  image<3> packed(colors.data(), image_channel_order::rgb, image_channel_type::unorm_short_565,
                  range<3>(3, 2, 1));
  EXPECT_EQ(packed.get_size(), 12u);
  EXPECT(throws<invalid_parameter_error>([&] { // three channels: one word, or none
    image<2> none(image_channel_order::rgb, image_channel_type::fp32, range<2>(4, 4));
  }));
}

TEST(names_of_dpcpp) {
  queue queue;
  EXPECT(queue.get_device().get_info<info::device::max_work_item_sizes>()[0] > 0);
  std::vector<int> numbers(64);
  event before;
  {
    buffer<int, 1> memory(numbers.data(), range<1>(64));
    before = queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::write>(group);
      group.parallel_for<class by_functions>(
          range<1>(64), [=](id<1>) { to[this_id<1>()] = int(this_item<1>().get_linear_id()); });
    });
    queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::read_write>(group);
      group.parallel_for<class by_groups>(nd_range<1>(64, 8), [=](nd_item<1>) {
        to[this_nd_item<1>().get_global_id()] += 100 * int(this_group<1>().get_group_id(0));
      });
    });
  }
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(numbers[i], i + 100 * (i / 8));
  { // without <cmath>
    buffer<int, 1> memory(numbers.data(), range<1>(1));
    queue.submit([&](handler &group) {
      auto to = memory.get_access<access::mode::write>(group);
      group.single_task<class with_fabs>([=] { to[0] = int(std::fabs(-7.5f)); });
    });
  }
  EXPECT_EQ(numbers[0], 7);
  queue.submit_barrier({before}).wait();
  queue.submit_barrier().wait();
  bool ran = false;
  queue.submit([&](handler &group) { group.codeplay_host_task([&] { ran = true; }); }).wait();
  EXPECT(ran);
  EXPECT_EQ(std::hash<half>()(half(1.5f)), std::hash<half>()(half(1.5f)));
  EXPECT(std::hash<half>()(half(1.5f)) != std::hash<half>()(half(2.5f)));
}
