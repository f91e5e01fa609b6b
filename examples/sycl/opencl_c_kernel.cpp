// An OpenCL C kernel between two SYCL kernels, on the same buffer. No data is copied, and accessors
// determine the order, as if all three were C++.
#include <sycl/sycl.hpp>

#include "example.hpp"

namespace experimental = sycl::ext::oneapi::experimental;

// Prefix sums of each group, in its local memory.
static const char *const opencl_c = R"(
kernel void prefix_sums(global uint *data, local uint *room) {
  size_t me = get_local_id(0), size = get_local_size(0);
  room[me] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = 1; step < size; step *= 2) {
    uint left = me >= step ? room[me - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    room[me] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = room[me];
})";

int main(int argc, char **argv) {
  constexpr std::size_t group_size = 256;
  const std::size_t count = example::size(argc, argv, std::size_t{1} << 22, group_size * 40);
  sycl::queue queue;
  const sycl::kernel prefix_sums =
      experimental::build(experimental::create_kernel_bundle_from_source(
                              queue.get_context(), experimental::source_language::opencl, opencl_c))
          .ext_oneapi_get_kernel("prefix_sums");

  std::vector<unsigned> result(count);
  double seconds = 0;
  {
    sycl::buffer<unsigned> data(result);
    seconds = example::seconds(queue, [&] {
      queue.submit([&](sycl::handler &group) {
        sycl::accessor out(data, group, sycl::write_only, sycl::no_init);
        group.parallel_for(count, [=](sycl::id<1> i) { out[i] = unsigned(i[0]) * 7 % 10; });
      });
      queue.submit([&](sycl::handler &group) {
        sycl::accessor all(data, group, sycl::read_write);
        group.set_args(all, sycl::local_accessor<unsigned>(group_size, group));
        group.parallel_for(sycl::nd_range<1>(count, group_size), prefix_sums);
      });
      queue.submit([&](sycl::handler &group) {
        sycl::accessor all(data, group, sycl::read_write);
        group.parallel_for(count, [=](sycl::id<1> i) { all[i] *= 2; });
      });
    });
  }

  bool verified = true;
  for (std::size_t begin = 0; begin < count; begin += group_size) {
    unsigned sum = 0;
    for (std::size_t i = begin; i < begin + group_size; ++i)
      verified &= result[i] == 2 * (sum += unsigned(i) * 7 % 10);
  }
  example::row("prefix sums in OpenCL C between two kernels in C++", verified, seconds,
               1e-9 * static_cast<double>(count * sizeof(unsigned) * 5), "GB/s");
  return example::exit_code();
}
