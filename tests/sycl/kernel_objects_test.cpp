// Kernels as objects: bundles, identifiers, specialization constants, queries, OpenCL C from a
// string, SPIR-V from bytes.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>

#ifdef __SYCL_DEVICE_ONLY__
SYCL_EXTERNAL int defined_nowhere(int);
#else
int defined_nowhere(int) {
  return 0;
}
#endif

namespace {

struct Pair {
  int first;
  float second;
  constexpr Pair(int a, float b) : first(a), second(b) {}
};
constexpr sycl::specialization_id<int> factor(3);
constexpr sycl::specialization_id<Pair> pair_of(1, 0.5f);
struct Holder {
  static constexpr sycl::specialization_id<bool> flag{false};
};
constexpr sycl::specialization_id<long> unused(1);

class Scaled;
class Simple;
class OnGpu;
class InHugeGroups;
class InTallGroups;
class Never;

void scale(sycl::handler &group, int *out) {
  group.parallel_for<Scaled>(4, [=](sycl::item<1> item, sycl::kernel_handler handler) {
    const Pair pair = handler.get_specialization_constant<pair_of>();
    out[item] = int(item) * handler.get_specialization_constant<factor>() + pair.first +
                int(pair.second * 100) +
                (handler.get_specialization_constant<Holder::flag>() ? 10000 : 0);
  });
}
int wanted(int item, int times, int first, int hundredths, bool flag) {
  return item * times + first + hundredths + (flag ? 10000 : 0);
}

TEST(specialization_constants_of_a_handler) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(4, queue);
  queue.submit([&](sycl::handler &group) { scale(group, out); }).wait();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], wanted(i, 3, 1, 50, false));
  for (int times : {7, -2, 7}) {
    queue
        .submit([&](sycl::handler &group) {
          EXPECT_EQ(group.get_specialization_constant<factor>(), 3);
          group.set_specialization_constant<factor>(1);
          group.set_specialization_constant<factor>(times);
          group.set_specialization_constant<pair_of>(Pair(times * 2, 0.25f));
          group.set_specialization_constant<Holder::flag>(true);
          group.set_specialization_constant<unused>(times);
          EXPECT_EQ(group.get_specialization_constant<factor>(), times);
          scale(group, out);
        })
        .wait();
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i], wanted(i, times, times * 2, 25, true));
  }
  queue.submit([&](sycl::handler &group) { scale(group, out); }).wait(); // the defaults again
  EXPECT_EQ(out[3], wanted(3, 3, 1, 50, false));
  queue
      .single_task([=](sycl::kernel_handler handler) {
        out[0] = handler.get_specialization_constant<factor>();
      })
      .wait();
  EXPECT_EQ(out[0], 3);
  queue
      .parallel_for(sycl::nd_range<1>(4, 2),
                    [=](sycl::nd_item<1> item, sycl::kernel_handler handler) {
                      out[item.get_global_id(0)] = handler.get_specialization_constant<factor>();
                    })
      .wait();
  EXPECT_EQ(out[2], 3);
  sycl::free(out, queue);
}

TEST(bundles_of_specialized_kernels) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  auto input =
      sycl::get_kernel_bundle<sycl::bundle_state::input>(context, {sycl::get_kernel_id<Scaled>()});
  EXPECT(input.contains_specialization_constants());
  EXPECT(input.has_specialization_constant<factor>());
  EXPECT(!input.has_specialization_constant<unused>());
  EXPECT_EQ(input.get_specialization_constant<factor>(), 3);
  input.set_specialization_constant<factor>(20);
  auto executable = sycl::build(input);
  auto linked = sycl::link(sycl::compile(input));
  EXPECT_EQ(executable.get_specialization_constant<factor>(), 20);
  EXPECT_EQ(linked.get_specialization_constant<factor>(), 20);
  int *out = sycl::malloc_shared<int>(4, queue);
  for (const auto &bundle : {executable, linked}) {
    std::fill_n(out, 4, 0);
    queue
        .submit([&](sycl::handler &group) {
          group.use_kernel_bundle(bundle);
          EXPECT_THROW(sycl::errc::invalid, "set_specialization_constant",
                       group.set_specialization_constant<factor>(1));
          EXPECT_THROW(sycl::errc::invalid, "get_specialization_constant",
                       group.get_specialization_constant<factor>());
          scale(group, out);
        })
        .wait();
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i], wanted(i, 20, 1, 50, false));
  }
  sycl::free(out, queue);
}

// The devices that can run a kernel are known without compiling it.
TEST(kernels_that_no_device_can_run) {
  constexpr auto executable = sycl::bundle_state::executable;
  sycl::queue queue;
  const sycl::device device = queue.get_device();
  const sycl::context context = queue.get_context();
  int *out = sycl::malloc_shared<int>(1, queue);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "requires",
               queue.parallel_for<InHugeGroups>(sycl::nd_range<1>(16, 16),
                                                [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(
                                                    4294967295)]] { out[0] = 1; }));
  EXPECT(!sycl::is_compatible<InHugeGroups>(device));
  EXPECT((!sycl::has_kernel_bundle<InHugeGroups, executable>(context)));
  EXPECT((!sycl::has_kernel_bundle<InHugeGroups, sycl::bundle_state::input>(context, {device})));
  EXPECT(!sycl::get_kernel_bundle<executable>(context).has_kernel<InHugeGroups>());
  // The device supports each size, but not their product.
  queue.submit([&](sycl::handler &group) {
    if (out) // the kernel exists, but is not launched
      return;
    group.parallel_for<InTallGroups>(
        sycl::nd_range<2>({4096, 4096}, {4096, 4096}),
        [=](sycl::nd_item<2>) [[sycl::reqd_work_group_size(4096, 4096)]] { out[0] = 2; });
  });
  EXPECT(!sycl::is_compatible<InTallGroups>(device));
  sycl::free(out, queue);
}

struct Doubled {
  int *out;
  void operator()(sycl::nd_item<1> item) const {
    out[item.get_global_id(0)] = int(2 * item.get_global_id(0));
  }
};

template <class Function> sycl::kernel kernel_of(const sycl::queue &queue) {
  const sycl::kernel_id id = sycl::get_kernel_id<Function>();
  return sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context(), {id})
      .get_kernel(id);
}

// The type of the function object is the name of a kernel that the program gave none (SYCL 2020
// section 5.2): of a class, of a lambda, of a lambda that a lambda returns.
TEST(kernels_named_by_their_functions) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(8, queue);
  auto make = [&](auto factor) {
    return [=](sycl::nd_item<1> item) { out[item.get_global_id(0)] = factor * int(sizeof factor); };
  };
  auto of_byte = make(static_cast<signed char>(3));
  auto of_long = make(3L);
  auto over_range = [=](sycl::id<1> i) { out[i] = 5; };
  const sycl::kernel doubled = kernel_of<Doubled>(queue),
                     bytes = kernel_of<decltype(of_byte)>(queue),
                     longs = kernel_of<decltype(of_long)>(queue);
  EXPECT(doubled != bytes && bytes != longs);
  EXPECT(sycl::get_kernel_id<decltype(over_range)>() != sycl::get_kernel_id<Doubled>());
  const sycl::nd_range<1> size(8, 4);
  queue.parallel_for(size, Doubled{out}).wait();
  EXPECT_EQ(out[7], 14);
  queue.parallel_for(size, of_byte).wait();
  EXPECT_EQ(out[7], 3);
  queue.parallel_for(size, of_long).wait();
  EXPECT_EQ(out[7], 24);
  queue.parallel_for(8, over_range).wait();
  EXPECT_EQ(out[7], 5);
  auto never = [=](sycl::nd_item<1>) { out[0] = 1; };
  EXPECT_THROW(sycl::errc::invalid, "no kernel named", sycl::get_kernel_id<decltype(never)>());
  sycl::free(out, queue);
}

TEST(what_bundles_contain) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  const std::vector<sycl::kernel_id> all = sycl::get_kernel_ids();
  const sycl::kernel_id simple = sycl::get_kernel_id<Simple>(),
                        on_gpu = sycl::get_kernel_id<OnGpu>();
  EXPECT(std::find(all.begin(), all.end(), simple) != all.end());
  EXPECT(std::find(all.begin(), all.end(), on_gpu) != all.end());
  EXPECT(simple != on_gpu && simple == sycl::get_kernel_id<Simple>());
  EXPECT(std::string(simple.get_name()).find("Simple") != std::string::npos);
  EXPECT(sycl::is_compatible<Simple>(queue.get_device()));
  EXPECT(!sycl::is_compatible<OnGpu>(queue.get_device()));
  EXPECT_THROW(sycl::errc::invalid, "no kernel named", sycl::get_kernel_id<Never>());

  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context);
  EXPECT(!bundle.empty());
  EXPECT(bundle.has_kernel<Simple>() && bundle.has_kernel(simple, queue.get_device()));
  EXPECT(!bundle.has_kernel<OnGpu>());
  EXPECT(bundle.get_context() == context && bundle.get_devices() == context.get_devices());
  EXPECT_EQ(bundle.get_kernel_ids().size(), std::size_t(bundle.end() - bundle.begin()));
  auto selected = sycl::get_kernel_bundle<sycl::bundle_state::executable>(
      context, [&](const sycl::device_image<sycl::bundle_state::executable> &image) {
        return image.has_kernel(simple);
      });
  EXPECT_EQ(selected.get_kernel_ids().size(), 1u);
  EXPECT(selected.has_kernel<Simple>());

  EXPECT(sycl::has_kernel_bundle<sycl::bundle_state::input>(context));
  EXPECT((sycl::has_kernel_bundle<Simple, sycl::bundle_state::object>(context)));
  EXPECT((!sycl::has_kernel_bundle<OnGpu, sycl::bundle_state::executable>(context)));
  EXPECT_THROW(sycl::errc::invalid, "no device",
               sycl::get_kernel_bundle<sycl::bundle_state::executable>(context, {on_gpu}));
  EXPECT_THROW(
      sycl::errc::invalid, "for no devices",
      sycl::get_kernel_bundle<sycl::bundle_state::input>(context, std::vector<sycl::device>()));
  auto scaled = sycl::get_kernel_bundle<Scaled, sycl::bundle_state::executable>(context);
  auto both = sycl::join(std::vector{selected, scaled});
  EXPECT(both.has_kernel<Simple>() && both.has_kernel<Scaled>());
  EXPECT_EQ(both.get_kernel_ids().size(), 2u);
  EXPECT(sycl::join<sycl::bundle_state::input>({}).empty());
  const std::vector<sycl::kernel_bundle<sycl::bundle_state::object>> objects;
  EXPECT_THROW(sycl::errc::invalid, "no kernel bundles", sycl::link(objects));

  int *out = sycl::malloc_shared<int>(4, queue);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "does not have the kernel",
               queue.submit([&](sycl::handler &group) {
                 group.use_kernel_bundle(selected);
                 scale(group, out);
               }));
  const sycl::context other(queue.get_device());
  EXPECT_THROW(sycl::errc::invalid, "another context", queue.submit([&](sycl::handler &group) {
    group.use_kernel_bundle(sycl::get_kernel_bundle<Simple, sycl::bundle_state::executable>(other));
  }));
  queue.single_task<Simple>([=]() [[sycl::reqd_sub_group_size(4)]] { out[0] = 1; }).wait();
  EXPECT_EQ(out[0], 1);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "device_has",
               queue.parallel_for<OnGpu>(
                   1, [=](sycl::item<1>) [[sycl::device_has(sycl::aspect::gpu)]] { out[0] = 2; }));
  sycl::free(out, queue);
}

class Required;

// One image has all kernels of this source. The kernel that cannot be compiled fails each time; the
// others work.
TEST(a_kernel_that_cannot_be_compiled_fails_alone) {
  struct TooLarge {
    int numbers[2048];
  };
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(4, queue);
  TooLarge large = {{5}};
  for (int time = 1; time <= 2; ++time) {
    out[0] = 0;
    EXPECT_THROW(sycl::errc::build, "defined_nowhere",
                 queue.single_task([=] { out[0] = defined_nowhere(1); }));
    EXPECT_THROW(sycl::errc::build, "arguments",
                 queue.single_task([=] { out[0] = large.numbers[0]; }));
    EXPECT_EQ(out[0], 0);
    queue.parallel_for(4, [=](sycl::id<1> i) { out[i] = int(i) * time; }).wait();
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i], i * time);
  }
  sycl::free(out, queue);
}

TEST(queries_of_kernels) {
  sycl::queue queue;
  const sycl::device device = queue.get_device();
  auto bundle =
      sycl::get_kernel_bundle<Required, sycl::bundle_state::executable>(queue.get_context());
  const sycl::kernel kernel = bundle.get_kernel<Required>();
  EXPECT(kernel.get_context() == queue.get_context());
  EXPECT(kernel.get_kernel_bundle() == bundle);
  namespace on_device = sycl::info::kernel_device_specific;
  EXPECT(kernel.get_info<on_device::compile_work_group_size>(device) == sycl::range<3>(1, 4, 8));
  EXPECT_EQ(kernel.get_info<on_device::work_group_size>(device), 32u);
  EXPECT_EQ(kernel.get_info<on_device::compile_sub_group_size>(device), 0u);
  const std::uint32_t size = kernel.get_info<on_device::max_sub_group_size>(device);
  EXPECT_EQ(kernel.get_info<on_device::max_num_sub_groups>(device), (32 + size - 1) / size);
  EXPECT(kernel.get_info<on_device::preferred_work_group_size_multiple>(device) <= 32);
  EXPECT_EQ(kernel.get_info<sycl::info::kernel::attributes>(),
            std::string("reqd_work_group_size(1,4,8)"));
  EXPECT_THROW(sycl::errc::invalid, "num_args", kernel.get_info<sycl::info::kernel::num_args>());
  EXPECT_THROW(sycl::errc::invalid, "global_work_size",
               kernel.get_info<on_device::global_work_size>(device));
  EXPECT_THROW(sycl::errc::invalid, "set_arg",
               queue.submit([&](sycl::handler &group) { group.single_task(kernel); }));
  int *sum = sycl::malloc_shared<int>(1, queue);
  *sum = 0;
  queue
      .parallel_for<Required>(
          sycl::nd_range<3>({1, 8, 8}, {1, 4, 8}),
          [=](sycl::nd_item<3> item) [[sycl::reqd_work_group_size(1, 4, 8)]] {
            sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum) +=
                int(item.get_global_linear_id());
          })
      .wait();
  EXPECT_EQ(*sum, 63 * 64 / 2);
  sycl::free(sum, queue);
}

std::vector<std::byte> spirv_module(const std::string &name) {
  std::ifstream file(LOCKSTEP_SPIRV_MODULES "/" + name + ".spv", std::ios::binary);
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  const auto *bytes = reinterpret_cast<const std::byte *>(words.data());
  return {bytes, bytes + words.size()};
}

TEST(spirv_as_bytes) {
  namespace experimental = sycl::ext::oneapi::experimental;
  constexpr auto spirv = experimental::source_language::spirv;
  sycl::queue queue;
  const auto context = queue.get_context();
  const auto bundle = experimental::build(
      experimental::create_kernel_bundle_from_source(context, spirv, spirv_module("add")));
  EXPECT(bundle.ext_oneapi_has_kernel("add") && !bundle.ext_oneapi_has_kernel("nothing"));
  const sycl::kernel add = bundle.ext_oneapi_get_kernel("add");
  EXPECT_EQ(add.get_info<sycl::info::kernel::num_args>(), 3u);
  std::vector<int> a(64), b(64, 5), sum(64);
  std::iota(a.begin(), a.end(), 10);
  {
    sycl::buffer<int> of_a(a), of_b(b), of_sum(sum);
    queue.submit([&](sycl::handler &group) {
      group.set_args(sycl::accessor(of_a, group, sycl::read_only),
                     sycl::accessor(of_b, group, sycl::read_only),
                     sycl::accessor(of_sum, group, sycl::write_only));
      group.parallel_for(sycl::range<1>(64), add);
    });
  }
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(sum[i], 15 + i);
  auto no_module = spirv_module("add");
  no_module.resize(no_module.size() - 4);
  const auto wrong = experimental::create_kernel_bundle_from_source(context, spirv, no_module);
  EXPECT_THROW(sycl::errc::build, "", experimental::build(wrong));
  EXPECT_THROW(sycl::errc::invalid, "vector of bytes",
               experimental::create_kernel_bundle_from_source(context, spirv, "kernel void k(){}"));
}

TEST(opencl_c_as_a_string) {
  namespace experimental = sycl::ext::oneapi::experimental;
  sycl::queue queue;
  auto source = experimental::create_kernel_bundle_from_source(
      queue.get_context(), experimental::source_language::opencl,
      "kernel void saxpy(float a, global const float *x, global float *y) {\n"
      "  size_t i = get_global_id(0); y[i] = a * x[i] + y[i];\n"
      "}\n"
      "kernel void sums(global const int *in, global int *out, local int *room) {\n"
      "  size_t l = get_local_id(0); room[l] = in[get_global_id(0)];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (l == 0) { int s = 0; for (size_t i = 0; i < get_local_size(0); ++i) s += room[i];\n"
      "    out[get_group_id(0)] = s; }\n"
      "}\n");
  auto bundle = experimental::build(source);
  EXPECT(bundle.ext_oneapi_has_kernel("saxpy") && !bundle.ext_oneapi_has_kernel("nothing"));
  const sycl::kernel saxpy = bundle.ext_oneapi_get_kernel("saxpy");
  EXPECT_EQ(saxpy.get_info<sycl::info::kernel::num_args>(), 3u);

  std::vector<float> x(64), y(64);
  std::iota(x.begin(), x.end(), 0.f);
  std::iota(y.begin(), y.end(), 100.f);
  {
    sycl::buffer<float> of_x(x), of_y(y);
    for (int round = 0; round < 3; ++round) // each reads what the previous one wrote
      queue.submit([&](sycl::handler &group) {
        sycl::accessor in(of_x, group, sycl::read_only);
        sycl::accessor out(of_y, group, sycl::read_write);
        group.set_args(2.f, in, out);
        group.parallel_for(sycl::range<1>(64), saxpy);
      });
  }
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], 100.f + i + 3 * 2.f * i);

  int *in = sycl::malloc_shared<int>(32, queue), *out = sycl::malloc_shared<int>(4, queue);
  std::iota(in, in + 32, 5);
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<int> room(8, group);
        group.set_arg(0, in);
        group.set_arg(1, out);
        group.set_arg(2, room);
        group.parallel_for(sycl::nd_range<1>(32, 8), bundle.ext_oneapi_get_kernel("sums"));
      })
      .wait();
  for (int g = 0; g < 4; ++g)
    EXPECT_EQ(out[g], std::accumulate(in + 8 * g, in + 8 * g + 8, 0));
  EXPECT_THROW(sycl::errc::kernel_argument, "argument 1", queue.submit([&](sycl::handler &group) {
    group.set_arg(0, 1.f);
    group.single_task(saxpy);
  }));
  EXPECT_THROW(sycl::errc::kernel_argument, "argument 0", queue.submit([&](sycl::handler &group) {
    group.set_args(1.0, in, out); // a double is a wrong argument
    group.single_task(saxpy);
  }));
  const auto wrong = experimental::create_kernel_bundle_from_source(
      queue.get_context(), experimental::source_language::opencl,
      "constant int n = 3;\n#warning of this line\n"
      "kernel void wrong(global int *p) { *p = nowhere; }");
  EXPECT_THROW(sycl::errc::build, "undeclared", experimental::build(wrong));
  std::string log;
  const auto mended = experimental::build(
      wrong, experimental::properties{experimental::build_options("-D nowhere=n"),
                                      experimental::save_log(&log)});
  EXPECT(mended.ext_oneapi_has_kernel("wrong"));
  EXPECT(log.find("of this line") != std::string::npos);
  EXPECT_THROW(sycl::errc::invalid, "nothing", bundle.ext_oneapi_get_kernel("nothing"));
  sycl::free(in, queue);
  sycl::free(out, queue);
}

} // namespace
