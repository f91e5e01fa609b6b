// Commands and the program's own accesses, with and without an order: commands CASE.
// ../check_test.py has the verdicts.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t many = 1 << 18, few = 16;

struct Program {
  sycl::queue queue;
  sycl::queue in_order{sycl::property::queue::in_order()};
  int *shared = sycl::malloc_shared<int>(many, queue);
  std::vector<int> data = std::vector<int>(many, 1);

  ~Program() {
    queue.wait();
    in_order.wait();
    sycl::free(shared, queue);
  }

  static sycl::event number(sycl::queue &on, int *memory,
                            const std::vector<sycl::event> &after = {}) {
    return on.parallel_for(sycl::range<1>(many), after, [=](sycl::id<1> i) { memory[i] = int(i); });
  }
  static sycl::event add(sycl::queue &on, int *memory, const std::vector<sycl::event> &after = {}) {
    return on.parallel_for(sycl::range<1>(many), after, [=](sycl::id<1> i) { memory[i] += 1; });
  }
  void add(sycl::buffer<int> &buffer) {
    queue.submit([&](sycl::handler &handler) {
      sycl::accessor all(buffer, handler, sycl::read_write);
      handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { all[i] += 1; });
    });
  }
};

using Case = void (*)(Program &);
const std::map<std::string, Case> cases = {
    // ---- host accessors
    {"host_accessors_one_after_the_other",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       for (int round = 0; round < 3; ++round) {
         {
           sycl::host_accessor all(buffer, sycl::write_only);
           for (std::size_t i = 0; i < many; ++i)
             all[i] = int(i);
         }
         p.add(buffer);
         const sycl::host_accessor first(buffer, sycl::range<1>(10), sycl::read_only);
         const sycl::host_accessor last(buffer, sycl::range<1>(10), sycl::id<1>(many - 10));
         if (first[3] != 4 || last[9] != int(many))
           std::printf("wrong\n");
       }
     }},
    {"pointer_of_host_accessor_read_after_it",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       p.add(buffer);
       const volatile int *kept = nullptr;
       {
         const sycl::host_accessor all(buffer, sycl::read_only);
         kept = all.get_pointer();
       }
       p.add(buffer);
       std::printf("%d\n", kept[5]); // KEPT
     }},
    {"pointer_of_host_accessor_written_after_it",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       volatile int *kept = nullptr;
       {
         const sycl::host_accessor all(buffer);
         kept = all.get_pointer();
       }
       p.add(buffer);
       kept[5] = 7; // KEPT AND WRITTEN
     }},
    {"pointer_of_host_accessor_given_to_commands",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)}, other{sycl::range<1>(many)};
       p.add(buffer);
       const sycl::host_accessor all(buffer);
       int *values = all.get_pointer();
       p.queue.memcpy(p.shared, values, many * sizeof(int)).wait();
       p.queue.copy(p.shared, values + 1, 1).wait();
       p.queue
           .submit([&](sycl::handler &handler) {
             handler.copy(values, sycl::accessor(other, handler, sycl::write_only));
           })
           .wait();
     }},
    {"pointer_of_host_accessor_given_to_commands_after_it",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       p.add(buffer);
       const int *kept = nullptr;
       {
         const sycl::host_accessor all(buffer, sycl::read_only);
         kept = all.get_pointer();
       }
       p.queue.memcpy(p.shared, kept, many * sizeof(int)).wait();
     }},
    {"pointer_of_host_accessor_for_reading_written_by_a_command",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       p.add(buffer);
       const sycl::host_accessor all(buffer, sycl::read_only);
       p.queue.memcpy(const_cast<int *>(&all[0]), p.shared, 4).wait();
     }},
    // ---- allocations
    {"usm_depends_on",
     [](Program &p) { Program::add(p.queue, p.shared, {Program::number(p.queue, p.shared)}); }},
    {"usm_in_order",
     [](Program &p) {
       Program::number(p.in_order, p.shared);
       Program::add(p.in_order, p.shared);
     }},
    {"usm_waited",
     [](Program &p) {
       Program::number(p.queue, p.shared).wait();
       Program::add(p.in_order, p.shared);
     }},
    {"usm_copied_after",
     [](Program &p) {
       p.queue.memcpy(p.data.data(), p.shared, many * sizeof(int),
                      Program::number(p.queue, p.shared));
     }},
    {"device_memory_by_commands",
     [](Program &p) {
       int *memory = sycl::malloc_device<int>(many, p.queue);
       Program::number(p.queue, memory).wait();
       p.queue.memcpy(p.data.data(), memory, many * sizeof(int)).wait();
       p.data[7] = 700;
       p.queue.copy(p.data.data(), memory, 10).wait();
       p.queue.fill(memory + 10, 5, 10).wait();
       p.queue.single_task([=] { memory[0] = memory[7] + memory[19]; }).wait();
       p.queue.memcpy(p.data.data(), memory, sizeof(int)).wait();
       if (p.data[0] != 705)
         std::puts("wrong");
       sycl::free(memory, p.queue);
     }},
    {"device_memory_read_by_the_program",
     [](Program &p) {
       int *memory = sycl::malloc_device<int>(many, p.queue);
       Program::number(p.queue, memory).wait();
       std::printf("%d\n", memory[many / 2]); // DEVICE READ
       sycl::free(memory, p.queue);
     }},
    {"device_memory_written_by_a_host_task",
     [](Program &p) {
       int *memory = sycl::malloc_device<int>(many, p.queue);
       const sycl::event numbered = Program::number(p.queue, memory);
       p.queue
           .submit([&](sycl::handler &handler) {
             handler.depends_on(numbered);
             handler.host_task([=] { memory[many / 2] = 3; }); // DEVICE WRITTEN
           })
           .wait();
       sycl::free(memory, p.queue);
     }},
    {"usm_without_depends_on",
     [](Program &p) {
       Program::number(p.queue, p.shared);
       Program::add(p.queue, p.shared);
     }},
    {"usm_of_two_queues",
     [](Program &p) {
       Program::number(p.queue, p.shared);
       Program::add(p.in_order, p.shared);
     }},
    {"usm_copied_meanwhile",
     [](Program &p) {
       Program::number(p.queue, p.shared);
       p.queue.memcpy(p.data.data(), p.shared, many * sizeof(int));
     }},
    {"usm_filled_meanwhile",
     [](Program &p) {
       Program::number(p.queue, p.shared);
       p.queue.fill(p.shared, 3, many);
     }},
    {"usm_depends_on_another",
     [](Program &p) {
       Program::number(p.queue, p.shared);
       Program::add(p.queue, p.shared, {p.queue.single_task([] {})});
     }},
    // ---- accessors order
    {"accessors",
     [](Program &p) {
       sycl::buffer<int> buffer{sycl::range<1>(many)};
       p.queue.submit([&](sycl::handler &handler) {
         sycl::accessor all(buffer, handler, sycl::write_only, sycl::no_init);
         handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { all[i] = int(i); });
       });
       p.add(buffer);
       p.add(buffer);
     }},
    {"host_accessor",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.add(buffer);
       {
         sycl::host_accessor all(buffer);
         all[7] += all[6];
       }
       p.add(buffer);
     }},
    {"host_task",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.add(buffer);
       p.queue.submit([&](sycl::handler &handler) {
         sycl::accessor all(buffer, handler, sycl::read_write_host_task);
         handler.host_task([=] { all[7] += all[6]; });
       });
       p.add(buffer);
     }},
    // ---- memory that a buffer was made of
    {"memory_after_the_buffer",
     [](Program &p) {
       {
         sycl::buffer<int> buffer(p.data);
         p.add(buffer);
       }
       p.data[7] += p.data[9];
       if (p.data[9] != 2 || p.data[many - 1] != 2)
         std::puts("wrong");
     }},
    {"memory_brought_up_to_date",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.add(buffer);
       p.queue
           .submit([&](sycl::handler &handler) {
             sycl::accessor all(buffer, handler, sycl::read_only);
             handler.update_host(all);
           })
           .wait();
       if (p.data[9] != 2)
         std::puts("wrong");
     }},
    {"memory_only_read",
     [](Program &p) {
       const std::vector<int> &constant = p.data;
       sycl::buffer<int> buffer(constant.data(), sycl::range<1>(many));
       p.add(buffer);
       if (constant[many / 2] != 1)
         std::puts("wrong");
     }},
    {"memory_with_final_data",
     [](Program &p) {
       std::vector<int> other(many);
       {
         sycl::buffer<int> buffer(p.data);
         buffer.set_final_data(other.begin());
         p.add(buffer);
       }
       if (other[9] != 2 || p.data[9] != 1)
         std::puts("wrong");
     }},
    {"memory_used_as_it_is",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data.data(), sycl::range<1>(many),
                                {sycl::property::buffer::use_host_ptr()});
       p.add(buffer);
       sycl::host_accessor all(buffer);
       if (&all[0] != p.data.data() || p.data[9] != 2)
         std::puts("wrong");
     }},
    {"part_of_memory",
     [](Program &p) { // the adjacent memory is the program's
       {
         sycl::buffer<int> buffer(p.data.data() + 100, sycl::range<1>(many - 200));
         p.add(buffer);
         p.data[99] = p.data[many - 100] = 5;
       }
       if (p.data[99] != 5 || p.data[100] != 2)
         std::puts("wrong");
     }},
    {"memory_read_before_the_buffer_ends",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.add(buffer);
       p.queue.wait();
       std::printf("%d\n", p.data[many / 2]); // READ
     }},
    {"memory_written_before_the_buffer_ends",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.data[many / 2] = 3; // WRITTEN
       p.add(buffer);
     }},
    {"memory_written_by_another_thread",
     [](Program &p) {
       sycl::buffer<int> buffer(p.data);
       p.add(buffer);
       std::thread([&] { p.data[many / 2] = 3; }).join();
     }},
    {"memory_moved_before_the_buffer_ends", // by the allocator, whose lock is held then
     [](Program &p) {
       constexpr std::size_t some = 24 * 1024; // below the allocator's mmap threshold
       auto *data = static_cast<int *>(std::calloc(some, sizeof(int)));
       void *wall = std::malloc(64); // so that it cannot grow in place
       sycl::buffer<int> buffer(data, sycl::range<1>(some));
       p.add(buffer);
       p.queue.wait();
       data = static_cast<int *>(std::realloc(data, (some + 2048) * sizeof(int))); // MOVED
       std::free(wall);
       std::_Exit(0); // the buffer would write to freed memory
     }},
    {"little_memory_written_before_the_buffer_ends",
     [](Program &p) { // its page may hold other data
       {
         sycl::buffer<int> buffer(p.data.data(), sycl::range<1>(few));
         p.add(buffer);
         p.data[3] = 8;
       }
       if (p.data[3] != 2)
         std::puts("wrong");
     }},
};

} // namespace

int main(int count, char **arguments) {
  const auto found = cases.find(count == 2 ? arguments[1] : "");
  if (found == cases.end())
    return 2;
  Program program;
  found->second(program);
  return 0;
}
