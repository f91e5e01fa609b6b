// Right and wrong, compiled without -g: races CASE; ../check_test.py has the verdicts.
#include <sycl/sycl.hpp>

#include <string_view>

int main(int argc, char **argv) {
  const bool is_right = argc == 2 && std::string_view(argv[1]) == "mirror";
  constexpr std::size_t many = 256, few = 64;
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(many)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler, sycl::write_only);
    sycl::local_accessor<int> group(few, handler);
    handler.parallel_for(sycl::nd_range<1>(many, few), [=](sycl::nd_item<1> item) {
      const std::size_t me = item.get_local_id(0);
      group[me] = int(me);
      if (is_right)
        sycl::group_barrier(item.get_group());
      all[item.get_global_id()] = group[few - 1 - me];
    });
  });
  queue.wait();
}
