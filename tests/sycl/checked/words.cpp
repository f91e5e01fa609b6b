// Wrong programs that test the names of kernels, memory and missing synchronization in reports:
// words CASE. ../check_test.py has the expected words.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

class named_kernel;
class fills;
class uses_freed;
namespace app {
template <class T> class of_type;

struct memory_of_app {
  int *pointer;
};
// Each work-item signals the next one.
struct next_gets {
  memory_of_app memory;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = item.get_global_id(0);
    memory.pointer[(i + 1) % item.get_global_range(0)] = memory.pointer[i];
  }
};
} // namespace app

namespace {

constexpr std::size_t many = 256, few = 64;
using item_of_group = sycl::nd_item<1>;
const sycl::nd_range<1> groups(many, few);
using sycl::memory_order, sycl::memory_scope;

struct Program {
  sycl::queue queue;
  int *made(sycl::usm::alloc kind, std::size_t size = many) {
    memory.push_back(sycl::malloc<int>(size, queue, kind));
    return memory.back();
  }
  int *filled() {
    int *made_now = made(sycl::usm::alloc::device, many + 1);
    queue.fill(made_now, 0, many + 1).wait();
    return made_now;
  }
  ~Program() {
    queue.wait();
    for (int *each : memory)
      sycl::free(each, queue);
  }
  std::vector<int *> memory{};
};

void use_accessors(Program &p, std::size_t beyond) {
  sycl::buffer<double> buffer{sycl::range<1>(many)};
  p.queue.submit([&](sycl::handler &handler) {
    sycl::accessor from(buffer, handler, sycl::read_only);
    sycl::accessor to(buffer, handler, sycl::write_only);
    handler.parallel_for(many, [=](sycl::id<1> i) {
      if (beyond)
        to[i + beyond] = 1;
      else
        to[i] = from[(i + 1) % many];
    });
  });
  p.queue.wait();
}

template <class T> void mirror(Program &p) {
  sycl::buffer<T> buffer{sycl::range<1>(many)};
  p.queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler);
    sycl::local_accessor<T> other(few, handler), tile(few, handler);
    handler.parallel_for<app::of_type<T>>(groups, [=](item_of_group item) {
      const std::size_t me = item.get_local_id(0);
      other[me] = tile[me] = T(me);
      all[item.get_global_id(0)] = tile[few - 1 - me] + other[me];
    });
  });
  p.queue.wait();
}

void mirror_with_the_other_barrier(Program &p) {
  int *values = p.made(sycl::usm::alloc::device);
  p.queue.submit([&](sycl::handler &handler) {
    sycl::local_accessor<int> tile(few, handler);
    handler.parallel_for(groups, [=](item_of_group item) {
      const std::size_t me = item.get_local_id(0);
      tile[me] = int(me);
      item.barrier(sycl::access::fence_space::global_space);
      values[item.get_global_id(0)] = tile[few - 1 - me];
    });
  });
}

// Group 0 signals group 1.
template <memory_order Write, memory_order Read> void tell(Program &p) {
  int *values = p.filled();
  p.queue.parallel_for(groups, [=](item_of_group item) {
    const sycl::atomic_ref<int, memory_order::relaxed, memory_scope::device> flag(values[many]);
    const std::size_t me = item.get_local_id(0), group = item.get_group(0);
    if (group > 1 || me != 0)
      return;
    if (group == 0) {
      values[0] = 1;
      flag.store(1, Write);
    } else {
      while (flag.load(Read) == 0) {
      }
      values[few] = values[0];
    }
  });
}

void copy_to_group(Program &p) {
  int *values = p.filled();
  p.queue.submit([&](sycl::handler &handler) {
    sycl::local_accessor<int> tile(few, handler);
    handler.parallel_for(groups, [=](item_of_group item) {
      using sycl::access::address_space, sycl::access::decorated;
      const auto from = sycl::address_space_cast<address_space::global_space, decorated::yes>(
          values + few * item.get_group(0));
      auto copied = item.async_work_group_copy(tile.get_multi_ptr<decorated::yes>(), from, few);
      const int mine = tile[few - 1 - item.get_local_id(0)];
      item.wait_for(copied);
      values[item.get_global_id(0)] = mine;
    });
  });
}

const std::map<std::string, std::function<void(Program &)>> cases = {
    {"named",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for<named_kernel>(
           many, [=](sycl::id<1> i) { values[(i + 1) % many] = values[i]; });
     }},
    {"unnamed",
     [](Program &p) {
       int *shared = p.made(sycl::usm::alloc::shared);
       p.queue.parallel_for(many,
                            [=](sycl::id<1> i) { shared[(i + 1) % many] = shared[i]; }); // UNNAMED
     }},
    {"function_object",
     [](Program &p) {
       p.queue.parallel_for(groups, app::next_gets{{p.made(sycl::usm::alloc::host)}});
     }},
    {"template", mirror<float>},
    {"not_a_class",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for<int>(many, [=](sycl::id<1> i) { values[(i + 1) % many] = values[i]; });
     }},
    {"reduced",
     [](Program &p) {
       int *values = p.filled(), *sum = p.filled();
       p.queue.parallel_for(groups, sycl::reduction(sum, sycl::plus<int>()),
                            [=](item_of_group item, auto &all) { // REDUCED
                              const std::size_t i = item.get_global_id(0);
                              values[(i + 1) % many] = values[i];
                              all += 1;
                            });
     }},
    {"accessors", [](Program &p) { use_accessors(p, 0); }},
    {"beyond_accessor", [](Program &p) { use_accessors(p, 1); }},
    {"beyond_pointer",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for(many, [=](sycl::id<1> i) { values[i + 1] = 1; });
     }},
    {"beyond_local",
     [](Program &p) {
       p.queue.submit([&](sycl::handler &handler) {
         sycl::local_accessor<int> tile(few, handler);
         handler.parallel_for(groups,
                              [=](item_of_group item) { tile[item.get_local_id(0) + 1] = 1; });
       });
     }},
    {"undefined",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device), *result = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for(many, [=](sycl::id<1> i) { result[i] = values[i] + 1; });
     }},
    {"two_dimensions",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for(sycl::nd_range<2>({4, 8}, {2, 8}), [=](sycl::nd_item<2> item) {
         if (item.get_global_id(0) == 0 && item.get_global_id(1) >= 5)
           values[0] = int(item.get_local_id(1));
       });
     }},
    {"fence_space", mirror_with_the_other_barrier},
    {"relaxed", tell<memory_order::relaxed, memory_order::relaxed>},
    {"weak", tell<memory_order::release, memory_order::relaxed>},
    {"copied", copy_to_group},
    {"commands",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       std::vector<int> host(many);
       p.queue.parallel_for<fills>(many, [=](sycl::id<1> i) { values[i] = 1; });
       p.queue.memcpy(host.data(), values, many * sizeof(int));
       p.queue.wait();
     }},
    {"filled",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       p.queue.parallel_for(many, [=](sycl::id<1> i) { values[i] = 1; });
       p.queue.fill(values, 2, many);
     }},
    {"two_queues",
     [](Program &p) {
       int *values = p.made(sycl::usm::alloc::device);
       sycl::queue other(p.queue.get_context(), p.queue.get_device());
       p.queue.parallel_for(many, [=](sycl::id<1> i) { values[i] = 1; });
       other.parallel_for(many, [=](sycl::id<1> i) { values[i] = 2; });
       other.wait();
     }},
    {"freed",
     [](Program &p) {
       int *values = sycl::malloc_device<int>(many, p.queue);
       sycl::free(values, p.queue);
       p.queue.parallel_for<uses_freed>(many, [=](sycl::id<1> i) { values[i] = 1; });
     }},
};

} // namespace

int main(int count, char **arguments) {
  const auto found = cases.find(count == 2 ? arguments[1] : "");
  if (found == cases.end())
    return std::fprintf(stderr, "usage: words CASE\n"), 2;
  Program program;
  found->second(program);
}
