// Host behavior other than kernel launches: host tasks, asynchronous errors, impossible accessors
// and waits, allocators, properties of buffers.
#include <sycl/sycl.hpp>

#include "check.h"

#include <sycl/ext/oneapi/free_function_queries.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <mutex>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

using sycl::access_mode;

// More tasks than workers: each ends when all have begun. One of them waits for a kernel.
TEST(host_tasks_hold_no_workers) {
  sycl::queue queue;
  const unsigned tasks =
      3 * queue.get_device().get_info<sycl::info::device::max_compute_units>() + 3;
  std::mutex mutex;
  std::condition_variable all_begun;
  unsigned begun = 0;
  bool in_time = true;
  for (unsigned i = 0; i < tasks; ++i)
    queue.submit([&](sycl::handler &group) {
      group.host_task([&] {
        std::unique_lock lock(mutex);
        if (++begun == tasks)
          all_begun.notify_all();
        in_time &=
            all_begun.wait_for(lock, std::chrono::seconds(60), [&] { return begun == tasks; });
      });
    });
  int *value = sycl::malloc_shared<int>(1, queue);
  *value = 0;
  queue.submit([&](sycl::handler &group) {
    group.host_task([&] { sycl::queue().single_task([=] { *value = 3; }).wait(); });
  });
  queue.wait();
  EXPECT_EQ(begun, tasks);
  EXPECT(in_time);
  EXPECT_EQ(*value, 3);
  sycl::free(value, queue);
}

// The task's thread waits for no other thread of the process, and no other thread goes on.
TEST(kernels_wait_for_what_comes_after_a_host_task) {
  sycl::queue queue, second;
  unsigned *flag = sycl::malloc_device<unsigned>(1, queue);
  queue.memset(flag, 0, sizeof *flag).wait();
  using flag_ref =
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;
  sycl::event waiting = queue.single_task([=] {
    while (flag_ref(*flag).load() == 0)
      ;
  });
  sycl::event task = second.submit([&](sycl::handler &group) {
    group.host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(400)); });
  });
  second.single_task(task, [=] { flag_ref(*flag).store(1); });
  bool has_failed = false;
  try {
    waiting.wait_and_throw();
  } catch (const sycl::exception &) {
    has_failed = true;
  }
  EXPECT(!has_failed);
  second.wait();
  sycl::free(flag, queue);
}

TEST(host_tasks_have_their_place_in_the_order) {
  int value = 1;
  std::vector<int> seen;
  {
    sycl::queue queue;
    sycl::buffer<int> buffer(&value, 1);
    for (int i = 0; i < 20; ++i) {
      queue.submit([&](sycl::handler &group) {
        sycl::accessor a(buffer, group);
        group.single_task([=] { a[0] += 1; });
      });
      queue.submit([&](sycl::handler &group) {
        sycl::accessor a(buffer, group, sycl::read_write_host_task);
        group.host_task([&seen, a] {
          seen.push_back(a[0]);
          a[0] *= 2;
        });
      });
    }
  }
  int wanted = 1;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(seen[i], wanted + 1);
    wanted = (wanted + 1) * 2;
  }
  EXPECT_EQ(value, wanted);
  sycl::queue in_order{sycl::property::queue::in_order()};
  std::vector<int> order;
  int *shared = sycl::malloc_shared<int>(1, in_order);
  *shared = 0;
  for (int i = 0; i < 10; ++i) {
    in_order.submit(
        [&](sycl::handler &group) { group.host_task([&, i] { order.push_back(i + *shared); }); });
    in_order.single_task([=] { *shared += 100; });
  }
  in_order.wait();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(order[i], i + 100 * i);
  sycl::free(shared, in_order);
}

struct Collected {
  std::vector<std::string> texts;
  sycl::async_handler handler() {
    return [this](sycl::exception_list all) {
      for (const std::exception_ptr &one : all)
        try {
          std::rethrow_exception(one);
        } catch (const std::exception &thrown) {
          texts.push_back(thrown.what());
        }
    };
  }
};

TEST(asynchronous_errors_reach_the_handler_once) {
  Collected errors;
  sycl::queue queue{errors.handler()};
  int *value = sycl::malloc_shared<int>(1, queue);
  *value = 0;
  const sycl::event thrown = queue.submit([&](sycl::handler &group) {
    group.host_task([] { throw std::runtime_error("thrown by a host task"); });
  });
  queue.wait();
  EXPECT(errors.texts.empty());
  queue.throw_asynchronous();
  EXPECT_EQ(errors.texts.size(), 1u);
  EXPECT(errors.texts.size() == 1 && errors.texts[0] == "thrown by a host task");
  queue.wait_and_throw();
  EXPECT_EQ(errors.texts.size(), 1u);
  (void)thrown;

  // A kernel that faults: commands that depend on it do not run and report no error of their own.
  errors.texts.clear();
  const sycl::event faulty = queue.single_task([=] {
    volatile int *nowhere = nullptr;
    *nowhere = 1;
  });
  const sycl::event after = queue.submit([&](sycl::handler &group) {
    group.depends_on(faulty);
    group.single_task([=] { *value = 5; });
  });
  bool task_ran = false;
  queue.submit([&](sycl::handler &group) {
    group.depends_on(after);
    group.host_task([&] { task_ran = true; });
  });
  queue.wait_and_throw();
  EXPECT_EQ(errors.texts.size(), 1u);
  EXPECT_EQ(*value, 0);
  EXPECT(!task_ran);
  queue.single_task([=] { *value = 6; }).wait(); // the queue still works
  EXPECT_EQ(*value, 6);
  sycl::free(value, queue);
}

// A program that never checks gets the errors when the queue is destroyed, unless an event is left.
TEST(errors_are_delivered_when_the_queue_ends) {
  Collected errors;
  const auto fail = [&](sycl::queue &queue) {
    return queue.submit([&](sycl::handler &group) {
      group.host_task([] { throw std::runtime_error("nobody asked"); });
    });
  };
  {
    sycl::event failed;
    {
      sycl::queue queue{errors.handler()};
      failed = fail(queue);
      queue.wait();
    }
    EXPECT(errors.texts.empty());
    failed.wait_and_throw();
    EXPECT_EQ(errors.texts.size(), 1u);
  }
  {
    sycl::queue queue{errors.handler()};
    fail(queue);
    queue.wait();
    EXPECT_EQ(errors.texts.size(), 1u);
  }
  EXPECT_EQ(errors.texts.size(), 2u);
  for (const std::string &text : errors.texts)
    EXPECT(text == "nobody asked");
}

// Runs this program again until it ends: errors without a handler.
const char *const how_to_end = std::getenv("LOCKSTEP_TEST_ERRORS");
const bool ends = [] {
  if (!how_to_end)
    return false;
  sycl::queue queue;
  queue.submit([&](sycl::handler &group) {
    group.host_task([] { throw std::runtime_error("this is why"); });
  });
  if (std::string(how_to_end) == "asked")
    queue.wait_and_throw();
  else
    queue.wait();
  return true;
}();

TEST(errors_without_a_handler_end_the_program) {
  // Read in this process: under qemu-user, /proc/PID/exe is the emulator for all others.
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  for (const char *how : {"asked", "not asked"}) {
    const std::string command =
        std::string("LOCKSTEP_TEST_ERRORS='") + how + "' '" + program + "' 2>&1";
    FILE *output = popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(output)) != EOF;)
      text += char(c);
    const int status = pclose(output);
    EXPECT(status != 0);
    EXPECT(text.find("no handler for it: this is why") != std::string::npos);
    EXPECT(text.find("ok ") == std::string::npos); // no test was run
  }
}

// A deadlock of one thread with itself, which would hang without the check.
TEST(waits_for_an_own_host_accessor_end) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(4)};
  auto increment = [&] {
    return queue.submit([&](sycl::handler &group) {
      sycl::accessor a(buffer, group);
      group.parallel_for(4, [=](sycl::item<1> item) { a[item] += 1; });
    });
  };
  {
    sycl::host_accessor held(buffer, sycl::write_only);
    for (int i = 0; i < 4; ++i)
      held[i] = 10 * i;
    const sycl::event later = increment();
    EXPECT_THROW(sycl::errc::invalid, "host_accessor", queue.wait());
    EXPECT_THROW(sycl::errc::invalid, "host_accessor", sycl::event(later).wait());
    EXPECT_THROW(sycl::errc::invalid, "host_accessor", sycl::host_accessor<int>{buffer});
  }
  queue.wait();
  sycl::host_accessor result(buffer, sycl::read_only);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(result[i], 10 * i + 1);
}

// Another thread destroys it: a long wait, but no deadlock.
TEST(another_thread_may_end_a_host_access) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(1)};
  auto held = std::make_unique<sycl::host_accessor<int>>(buffer);
  (*held)[0] = 4;
  queue.submit([&](sycl::handler &group) {
    sycl::accessor a(buffer, group);
    group.single_task([=] { a[0] *= 2; });
  });
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    held.reset();
  });
  queue.wait();
  other.join();
  sycl::host_accessor result(buffer);
  EXPECT_EQ(result[0], 8);
}

TEST(accessors_that_the_command_group_does_not_have) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(4)};
  sycl::accessor placeholder(buffer);
  EXPECT_THROW(sycl::errc::kernel_argument, "handler::require",
               queue.submit([&](sycl::handler &group) {
                 group.parallel_for(4, [=](sycl::item<1> item) { placeholder[item] = 1; });
               }));
  std::unique_ptr<sycl::accessor<int>> of_first;
  queue.submit([&](sycl::handler &group) {
    sycl::accessor a(buffer, group);
    of_first = std::make_unique<sycl::accessor<int>>(a);
    group.parallel_for(4, [=](sycl::item<1> item) { a[item] = 2; });
  });
  EXPECT_THROW(sycl::errc::kernel_argument, "made for another one",
               queue.submit([&](sycl::handler &group) {
                 group.parallel_for(4, [a = *of_first](sycl::item<1> item) { a[item] = 3; });
               }));
  queue.submit([&](sycl::handler &group) {
    group.require(placeholder);
    group.parallel_for(4, [=](sycl::item<1> item) { placeholder[item] += 5; });
  });
  sycl::host_accessor result(buffer);
  EXPECT_EQ(result[3], 7);
}

TEST(wrong_input) {
  sycl::queue queue;
  int *value = sycl::malloc_shared<int>(1, queue);
  EXPECT_THROW(sycl::errc::nd_range, "too many",
               queue.parallel_for(sycl::range<3>(std::size_t{1} << 40, std::size_t{1} << 40, 1),
                                  [=](sycl::item<3>) { *value = 1; }));
  EXPECT_THROW(sycl::errc::invalid, "more than one command",
               queue.submit([&](sycl::handler &group) {
                 group.host_task([] {});
                 group.single_task([=] { *value = 1; });
               }));
  EXPECT_THROW(sycl::errc::invalid, "more than one command",
               queue.submit([&](sycl::handler &group) {
                 group.memset(value, 0, 4);
                 group.host_task([] {});
               }));
  sycl::free(value, queue);

  // The number of bytes would wrap to 4 in 64 bits.
  constexpr std::size_t too_many = std::size_t{1} << 62 | 1;
  EXPECT(sycl::malloc_shared<int>(too_many, queue) == nullptr);
  EXPECT(sycl::malloc_host<int>(too_many, queue) == nullptr);
  EXPECT(sycl::aligned_alloc_device<int>(64, too_many, queue) == nullptr);
  EXPECT(sycl::malloc<int>(too_many, queue, sycl::usm::alloc::device) == nullptr);
}

TEST(functions_of_kernels_on_the_host) {
  const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  EXPECT_THROW(sycl::errc::invalid, "only kernels", (void)item.get_global_id());
}

TEST(containers_on_shared_memory) {
  sycl::queue queue;
  using Allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  const Allocator allocator(queue);
  std::vector<int, Allocator> values(100, allocator);
  std::iota(values.begin(), values.end(), 1);
  int *data = values.data();
  EXPECT(sycl::get_pointer_type(data, queue.get_context()) == sycl::usm::alloc::shared);
  queue.parallel_for(100, [=](sycl::item<1> item) { data[item] *= data[item]; }).wait();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(values[i], (i + 1) * (i + 1));
  values.resize(1000, 7);
  EXPECT_EQ(values[99] + values[999], 10007);
  EXPECT(allocator == (sycl::usm_allocator<float, sycl::usm::alloc::shared>(queue)));
  EXPECT(allocator != (sycl::usm_allocator<int, sycl::usm::alloc::host>(queue)));
  using Aligned = sycl::usm_allocator<char, sycl::usm::alloc::host, 256>;
  std::vector<char, Aligned> aligned(3, Aligned(queue.get_context(), queue.get_device()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % 256, 0u);
}

// The program's memory does not change until the buffer is destroyed, which then waits for the
// mutex.
TEST(buffers_with_a_mutex) {
  std::vector<int> values(8, 1);
  std::mutex mutex;
  std::future<void> end;
  {
    sycl::queue queue;
    auto buffer = std::make_unique<sycl::buffer<int>>(
        values.data(), sycl::range<1>(8),
        sycl::property_list{sycl::property::buffer::use_mutex(mutex)});
    EXPECT(buffer->has_property<sycl::property::buffer::use_mutex>());
    queue.submit([&](sycl::handler &group) {
      sycl::accessor a(*buffer, group);
      group.parallel_for(8, [=](sycl::item<1> item) { a[item] += int(item); });
    });
    queue.wait();
    std::unique_lock lock(mutex);
    EXPECT_EQ(values[5], 1);
    end = std::async(std::launch::async, [owned = std::move(buffer)]() mutable { owned.reset(); });
    EXPECT(end.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    EXPECT_EQ(values[5], 1);
  }
  end.wait();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(values[i], 1 + i);
}

// The buffer does not overwrite what the program has written to its memory in the meantime.
TEST(unused_buffers_with_a_mutex) {
  int value = 1;
  std::mutex mutex;
  {
    const sycl::buffer<int> buffer(&value, sycl::range<1>(1),
                                   sycl::property_list{sycl::property::buffer::use_mutex(mutex)});
    const std::lock_guard lock(mutex);
    value = 2;
  }
  EXPECT_EQ(value, 2);
}

// A thread that holds the mutex makes, uses and destroys the buffer. The content at the first use
// counts.
TEST(buffers_of_a_thread_that_holds_the_mutex) {
  std::vector<int> values(4, 0), seen(4, 0);
  const std::vector<int> constants(4, 7);
  std::mutex mutex;
  const sycl::property_list with_mutex{sycl::property::buffer::use_mutex(mutex)};
  sycl::queue queue;
  const auto add_one = [&](sycl::buffer<int> &buffer) {
    queue
        .submit([&](sycl::handler &group) {
          sycl::accessor a(buffer, group);
          group.parallel_for(4, [=](sycl::item<1> item) { a[item] += 1; });
        })
        .wait();
  };
  for (const bool uses_with_mutex : {false, true}) {
    std::unique_lock lock(mutex);
    sycl::buffer<int> buffer(values.data(), sycl::range<1>(4), with_mutex);
    values[3] = 40;
    if (!uses_with_mutex)
      lock.unlock();
    add_one(buffer);
    EXPECT_EQ(sycl::host_accessor(buffer)[3], 41);
    if (!uses_with_mutex)
      lock.lock();
    EXPECT_EQ(values[3], 40);
    buffer = sycl::buffer<int>(values.data() + 1, sycl::range<1>(1), with_mutex); // ends the other
    EXPECT_EQ(values[3], 41);
    EXPECT_EQ(sycl::host_accessor(buffer)[0], uses_with_mutex ? 2 : 1);
  }
  EXPECT_EQ(values[0], 2);
  {
    const std::lock_guard lock(mutex);
    sycl::buffer<int> buffer(constants.data(), sycl::range<1>(4), with_mutex);
    buffer.set_final_data(seen.data());
    add_one(buffer);
  }
  EXPECT_EQ(seen[2], 8);
  EXPECT_EQ(constants[2], 7);
  { // use_host_ptr does not change this
    const std::lock_guard lock(mutex);
    sycl::buffer<int> buffer(values.data(), sycl::range<1>(4),
                             {sycl::property::buffer::use_mutex(mutex),
                              sycl::property::buffer::use_host_ptr(),
                              sycl::property::buffer::context_bound(queue.get_context())});
    add_one(buffer);
  }
  EXPECT_EQ(values[0], 3);
}

TEST(images_of_a_thread_that_holds_the_mutex) {
  std::vector<float> texels(16, 1);
  std::mutex mutex;
  sycl::queue queue;
  {
    std::unique_lock lock(mutex);
    sycl::unsampled_image<1> image(texels.data(), sycl::image_format::r32g32b32a32_sfloat,
                                   sycl::range<1>(4), {sycl::property::image::use_mutex(mutex)});
    texels[4] = 5;
    lock.unlock();
    queue
        .submit([&](sycl::handler &group) {
          sycl::unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::read> in(image, group);
          sycl::unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::write> out(image,
                                                                                        group);
          group.single_task([=] { out.write(0, in.read(1) + sycl::float4(1)); });
        })
        .wait();
    lock.lock();
  }
  EXPECT_EQ(texels[0], 6.0f);
}

TEST(buffers_bound_to_a_context) {
  sycl::queue queue;
  const sycl::context other(queue.get_device());
  sycl::buffer<int> buffer(sycl::range<1>(4), {sycl::property::buffer::context_bound(other)});
  EXPECT_THROW(sycl::errc::invalid, "context_bound", queue.submit([&](sycl::handler &group) {
    sycl::accessor a(buffer, group);
    group.parallel_for(4, [=](sycl::item<1> item) { a[item] = 1; });
  }));
  sycl::queue right(other, queue.get_device());
  right.submit([&](sycl::handler &group) {
    sycl::accessor a(buffer, group, sycl::write_only);
    group.parallel_for(4, [=](sycl::item<1> item) { a[item] = int(item) + 1; });
  });
  sycl::host_accessor result(buffer);
  EXPECT_EQ(result[3], 4);
}

TEST(write_back_can_be_left_out) {
  std::vector<int> values(4, 1), copy(4, 0);
  {
    sycl::queue queue;
    sycl::buffer<int> buffer(values);
    buffer.set_write_back(false);
    sycl::buffer<int> other(values.data(), sycl::range<1>(4));
    other.set_final_data(copy.begin());
    for (sycl::buffer<int> *one : {&buffer, &other})
      queue.submit([&](sycl::handler &group) {
        sycl::accessor a(*one, group);
        group.parallel_for(4, [=](sycl::item<1> item) { a[item] += 9; });
      });
  }
  EXPECT_EQ(values[2], 1);
  EXPECT_EQ(copy[2], 10);
}

// Also if this is requested after a command has written, and for images.
TEST(host_memory_stays_as_it_was) {
  sycl::queue queue;
  using Buffer = sycl::buffer<int>;
  const auto value_after = [&](const auto &say) {
    std::vector<int> values(4, 1);
    {
      Buffer buffer(values.data(), sycl::range<1>(4));
      queue
          .submit([&](sycl::handler &group) {
            sycl::accessor a(buffer, group);
            group.parallel_for(4, [=](sycl::item<1> item) { a[item] += 9; });
          })
          .wait();
      say(buffer);
    }
    return values[2];
  };
  std::vector<int> elsewhere(4);
  const int left[] = {value_after([](Buffer &b) { b.set_final_data(nullptr); }),
                      value_after([](Buffer &b) { b.set_final_data(); }),
                      value_after([](Buffer &b) { b.set_write_back(false); }),
                      value_after([&](Buffer &b) { b.set_final_data(elsewhere.data()); })};
  for (const int value : left)
    EXPECT_EQ(value, 1);
  EXPECT_EQ(elsewhere[2], 10);
  const int written = value_after([](Buffer &) {});
  EXPECT_EQ(written, 10);

  std::vector<float> texels(16, 1);
  {
    sycl::unsampled_image<1> image(texels.data(), sycl::image_format::r32g32b32a32_sfloat,
                                   sycl::range<1>(4));
    queue
        .submit([&](sycl::handler &group) {
          sycl::unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::write> out(image,
                                                                                        group);
          group.parallel_for(4, [=](sycl::id<1> i) { out.write(int(i[0]), sycl::float4(2)); });
        })
        .wait();
    image.set_final_data(nullptr);
  }
  EXPECT_EQ(texels[5], 1.0f);
}

// The memory of a buffer that is only read may be freed before the buffer ends.
TEST(memory_of_buffers_that_are_only_read) {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(memory != MAP_FAILED);
  int *numbers = static_cast<int *>(memory);
  std::iota(numbers, numbers + 4, 10);
  std::mutex mutex;
  sycl::queue queue;
  int sums[2] = {};
  {
    sycl::buffer<int> read(numbers, 4),
        read_with_mutex(numbers, 4, {sycl::property::buffer::use_mutex(mutex)});
    sycl::buffer<int> sum(sums, 2);
    queue
        .submit([&](sycl::handler &group) {
          sycl::accessor a(read, group, sycl::read_only),
              b(read_with_mutex, group, sycl::read_only);
          sycl::accessor to(sum, group, sycl::write_only);
          group.single_task([=] {
            to[0] = a[0] + a[3];
            to[1] = b[1] * b[2];
          });
        })
        .wait();
    const int first = sycl::host_accessor(read, sycl::read_only)[0];
    EXPECT_EQ(first, 10);
    munmap(memory, page);
  }
  EXPECT_EQ(sums[0], 23);
  EXPECT_EQ(sums[1], 11 * 12);
}

// An access to the memory after a buffer: the error names the buffer.
TEST(accesses_that_meet_a_guard_page) {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  void *memory =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(static_cast<char *>(memory) + page, page, PROT_NONE);
  std::string told;
  {
    sycl::queue queue([&](const sycl::exception_list &all) {
      for (const std::exception_ptr &one : all)
        try {
          std::rethrow_exception(one);
        } catch (const sycl::exception &thrown) {
          told += thrown.what();
        }
    });
    sycl::buffer<int> buffer(static_cast<int *>(memory), sycl::range<1>(page / sizeof(int)),
                             {sycl::property::buffer::use_host_ptr()});
    queue.submit([&](sycl::handler &group) {
      sycl::accessor numbers(buffer, group);
      group.single_task([=] { numbers[page / sizeof(int) + 4] = 1; });
    });
    queue.wait_and_throw();
  }
  EXPECT(told.find("16 bytes behind the end of a buffer of " + std::to_string(page) + " bytes") !=
         told.npos);
  if (told.find("behind the end") == told.npos)
    std::printf("%s\n", told.c_str());
  munmap(memory, 2 * page);
}

} // namespace
