// Objects whose last copy ends on a runtime thread: in a host task, a running graph, the handler of
// a queue, or a callback. A buffer waits there for the commands that use it, perhaps for the
// command that owns it.
#include <sycl/sycl.hpp>

#include "check.h"

#include <CL/cl.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using namespace std::chrono_literals;

// Returns false if the function hangs. Its thread is then abandoned.
bool ends_in_time(std::function<void()> function) {
  auto ended = std::make_shared<std::promise<void>>();
  std::thread([function = std::move(function), ended] {
    function();
    ended->set_value();
  }).detach();
  return ended->get_future().wait_for(20s) == std::future_status::ready;
}

// A buffer may write to its memory after a wait for the task that owned it has ended.
bool soon(const std::function<bool()> &condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  return condition();
}

const sycl::async_handler ignore = [](sycl::exception_list) {};

// Never deleted: a buffer may write to the number after the test has ended.
std::atomic<int> *new_number(int value) {
  static auto &all = *new std::deque<std::atomic<int>>;
  return &all.emplace_back(value);
}
sycl::buffer<int> buffer_on(std::atomic<int> *number) {
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
  return {reinterpret_cast<int *>(number), sycl::range<1>(1)};
}

sycl::event fault(sycl::queue &queue, const sycl::event &after = {}) {
  return queue.submit([&](sycl::handler &group) {
    group.depends_on(after);
    group.single_task([=] {
      volatile int *nowhere = nullptr;
      *nowhere = 1;
    });
  });
}

// State of the event that a command depends on at submission. After `failed` and `failing` it does
// not run.
enum class Before { nothing, pending, failed, failing };

// A host task that ends when the gate opens.
class Gate {
public:
  sycl::event submit(sycl::queue &queue) {
    return queue.submit([&](sycl::handler &group) {
      group.host_task([opened = opened_.get_future().share()] { opened.wait(); });
    });
  }
  void open() { opened_.set_value(); }

private:
  std::promise<void> opened_;
};

// Calls `function`, which submits commands, with an event in the state `before`. Then waits for the
// queue.
void submit_after(Before before, sycl::queue &queue,
                  const std::function<void(const sycl::event &)> &function) {
  Gate gate;
  sycl::event event;
  if (before == Before::pending || before == Before::failing)
    event = gate.submit(queue);
  if (before == Before::failed || before == Before::failing)
    event = fault(queue, event);
  if (before == Before::failed)
    event.wait();
  function(event);
  if (before == Before::pending || before == Before::failing)
    gate.open();
  queue.wait();
}

bool runs(Before before) {
  return before == Before::nothing || before == Before::pending;
}

constexpr Before all_before[] = {Before::nothing, Before::pending, Before::failed, Before::failing};

TEST(a_buffer_ends_in_its_own_host_task) {
  for (const Before before : all_before) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      sycl::queue queue{ignore};
      submit_after(before, queue, [&](const sycl::event &event) {
        auto buffer = buffer_on(number);
        queue.submit([&](sycl::handler &group) {
          group.depends_on(event);
          sycl::accessor all(buffer, group, sycl::read_write_host_task);
          group.host_task([all, owned = std::move(buffer)] { all[0] = 7; });
        });
      });
    }));
    EXPECT(soon([&] { return *number == (runs(before) ? 7 : 1); }));
  }
}

// The buffer does not wait for the task, but for a kernel that follows the task.
TEST(a_buffer_ends_before_a_kernel_that_waits_for_its_task) {
  for (const Before before : {Before::nothing, Before::pending}) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      sycl::queue queue{ignore};
      Gate may_end;
      submit_after(before, queue, [&](const sycl::event &event) {
        auto buffer = buffer_on(number);
        const sycl::event gate = may_end.submit(queue);
        const sycl::event task = queue.submit([&](sycl::handler &group) {
          group.depends_on({event, gate});
          group.host_task([buffer] {});
        });
        queue.submit([&](sycl::handler &group) {
          group.depends_on(task);
          sycl::accessor all(buffer, group);
          group.single_task([=] { all[0] += 8; });
        });
        {
          const auto last = std::move(buffer);
        }
        may_end.open();
      });
    }));
    EXPECT(soon([&] { return *number == 9; }));
  }
}

TEST(a_sub_buffer_and_an_image_end_in_their_own_host_tasks) {
  static std::atomic<int> numbers[4];
  static float texels[4];
  for (const Before before : all_before) {
    EXPECT(ends_in_time([=] {
      sycl::queue queue{ignore};
      submit_after(before, queue, [&](const sycl::event &event) {
        sycl::buffer<int> whole(reinterpret_cast<int *>(numbers), sycl::range<1>(4));
        sycl::buffer<int> part(whole, 2, 2);
        queue.submit([&](sycl::handler &group) {
          group.depends_on(event);
          sycl::accessor all(part, group, sycl::read_write_host_task);
          group.host_task([all, part] { all[1] += 1; });
        });
        sycl::unsampled_image<1> image(texels, sycl::image_format::r32g32b32a32_sfloat, {1});
        queue.submit([&](sycl::handler &group) {
          group.depends_on(event);
          auto to = image.get_access<sycl::float4, sycl::access_mode::write,
                                     sycl::image_target::host_task>(group);
          group.host_task(
              [to, image, before] { to.write(0, sycl::float4(float(int(before) + 1))); });
        });
      });
    }));
    if (runs(before))
      EXPECT(soon([&] {
        return numbers[3] == int(before) + 1 &&
               std::atomic_ref(texels[3]).load() == float(int(before) + 1);
      }));
  }
}

struct WaitsAtItsEnd {
  explicit WaitsAtItsEnd(std::function<void()> its) : wait(std::move(its)) {}
  ~WaitsAtItsEnd() { wait(); }
  const std::function<void()> wait;
};

TEST(what_a_host_task_holds_may_wait_for_the_task) {
  for (const Before before : all_before)
    for (const bool waits_for_queue : {true, false})
      EXPECT(ends_in_time([=] {
        sycl::queue queue{ignore};
        submit_after(before, queue, [&](const sycl::event &event) {
          const auto own = std::make_shared<std::promise<sycl::event>>();
          const auto known = own->get_future().share();
          auto waits = std::make_shared<WaitsAtItsEnd>([known, queue, waits_for_queue]() mutable {
            sycl::event task = known.get();
            waits_for_queue ? queue.wait() : task.wait();
          });
          own->set_value(queue.submit([&](sycl::handler &group) {
            group.depends_on(event);
            group.host_task([owned = std::move(waits)] {});
          }));
        });
      }));
}

TEST(a_wait_for_a_host_task_finds_given_back_what_it_held) {
  for (const Before before : all_before)
    for (int round = 0; round < 20; ++round) {
      const auto held = std::make_shared<int>(0);
      sycl::queue queue{ignore};
      submit_after(before, queue, [&](const sycl::event &event) {
        queue.submit([&](sycl::handler &group) {
          group.depends_on(event);
          group.host_task([held] { *held = 1; });
        });
      });
      EXPECT_EQ(held.use_count(), 1);
      EXPECT_EQ(*held, runs(before));
    }
}

TEST(a_queue_and_an_event_end_in_their_own_host_task) {
  for (const Before before : all_before) {
    const auto has_run = std::make_shared<std::atomic<bool>>(false);
    const auto handled = std::make_shared<std::atomic<int>>(0);
    EXPECT(ends_in_time([=] {
      const sycl::queue other{ignore};
      sycl::event task;
      submit_after(before, const_cast<sycl::queue &>(other), [&](const sycl::event &event) {
        auto queue = std::make_unique<sycl::queue>(
            [handled](sycl::exception_list all) { *handled += int(all.size()); },
            sycl::property::queue::in_order());
        const auto first = std::make_shared<sycl::event>(queue->single_task([] {}));
        sycl::queue &submits = *queue;
        task = submits.submit([&](sycl::handler &group) {
          group.depends_on(event);
          group.host_task([queue = std::shared_ptr(std::move(queue)), first, has_run] {
            first->wait();
            *has_run = true;
          });
        });
      });
      task.wait();
    }));
    EXPECT_EQ(has_run->load(), runs(before));
  }
}

TEST(a_buffer_ends_with_the_handler_of_its_queue) {
  for (const bool in_task : {false, true}) {
    std::atomic<int> *number = new_number(1);
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    EXPECT(ends_in_time([=] {
      auto buffer = buffer_on(number);
      sycl::event last;
      Gate gate;
      {
        auto marks = std::shared_ptr<void>(nullptr, [ended](void *) { *ended = true; });
        sycl::queue queue([marks, buffer](sycl::exception_list) {});
        const sycl::event opened = gate.submit(queue);
        queue.submit([&](sycl::handler &group) {
          group.depends_on(opened);
          if (in_task) {
            sycl::accessor all(buffer, group, sycl::read_write_host_task);
            group.host_task([all] { all[0] = 7; });
          } else {
            sycl::accessor all(buffer, group);
            group.single_task([all] { all[0] = 7; });
          }
        });
      }
      {
        const auto other = std::move(buffer);
      }
      gate.open();
      sycl::queue().single_task([] {}).wait(); // one worker is left
    }));
    EXPECT(soon([&] { return *number == 7 && *ended; }));
  }
}

// The thread that waits for the task holds the mutex that the destruction of the buffer needs.
TEST(a_buffer_with_a_mutex_ends_in_a_host_task) {
  static std::mutex mutex;
  for (const bool uses_buffer : {false, true}) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      sycl::queue queue;
      sycl::buffer<int> buffer(reinterpret_cast<int *>(number), sycl::range<1>(1),
                               {sycl::property::buffer::use_mutex(mutex)});
      queue.submit([&](sycl::handler &group) {
        sycl::accessor all(buffer, group);
        group.single_task([=] { all[0] += 4; });
      });
      queue.wait();
      const std::lock_guard lock(mutex);
      queue.submit([&](sycl::handler &group) {
        if (uses_buffer)
          group.require(
              sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task>(
                  buffer, group, sycl::read_write_host_task));
        group.host_task([owned = std::move(buffer)] {});
      });
      queue.wait();
    }));
    EXPECT(soon([&] { return *number == 5; }));
  }
}

// The graph ends during a replay, so the replay has the last copy.
TEST(a_buffer_ends_in_a_host_task_of_a_graph) {
  for (const Before before : all_before) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      sycl::queue queue{ignore};
      submit_after(before, queue, [&](const sycl::event &event) {
        Gate may_replay;
        sycl::event gate = may_replay.submit(queue);
        auto buffer = buffer_on(number);
        sycl::event replayed;
        {
          exp::command_graph graph(queue);
          graph.add([&](sycl::handler &group) { group.host_task([buffer] {}); });
          auto executable = graph.finalize();
          replayed = queue.submit([&](sycl::handler &group) {
            group.depends_on({gate, event});
            group.ext_oneapi_graph(executable);
          });
        }
        queue.submit([&](sycl::handler &group) {
          group.depends_on(replayed);
          sycl::accessor all(buffer, group);
          group.single_task([=] { all[0] += 8; });
        });
        {
          const auto last = std::move(buffer);
        }
        may_replay.open();
      });
    }));
    EXPECT(soon([&] { return *number == (runs(before) ? 9 : 1); }));
  }
}

TEST(a_command_group_function_has_the_last_copy) {
  for (const Before before : all_before) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      sycl::queue queue{ignore};
      Gate gate;
      sycl::event event = gate.submit(queue);
      if (!runs(before))
        event = fault(queue, event);
      gate.open();
      if (before == Before::failed)
        event.wait();
      queue.submit([&, buffer = buffer_on(number)](sycl::handler &group) mutable {
        group.depends_on(event);
        sycl::accessor all(buffer, group);
        group.single_task([=] { all[0] = 7; });
      });
      EXPECT_EQ(number->load(), runs(before) ? 7 : 1);
    }));
  }
}

TEST(a_host_task_frees_memory_with_the_last_copy_of_its_queue) {
  for (const Before before : all_before)
    EXPECT(ends_in_time([=] {
      sycl::queue other{ignore};
      sycl::event freed;
      submit_after(before, other, [&](const sycl::event &event) {
        auto queue = std::make_shared<sycl::queue>(ignore);
        int *memory = sycl::malloc_shared<int>(100, *queue);
        const sycl::event filled = queue->fill(memory, 3, 100);
        sycl::queue &submits = *queue;
        freed = submits.submit([&](sycl::handler &group) {
          group.depends_on({filled, event});
          group.host_task([owned = std::move(queue), memory] { sycl::free(memory, *owned); });
        });
      });
      freed.wait();
    }));
}

// The buffer ends in the callback of an OpenCL event.
TEST(a_buffer_ends_in_a_callback_of_its_own_command) {
  struct Held {
    sycl::buffer<int> buffer;
    sycl::queue queue;
    sycl::event event;
    std::promise<void> ended;
  };
  for (const cl_int when : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
    std::atomic<int> *number = new_number(1);
    EXPECT(ends_in_time([=] {
      Gate gate;
      std::future<void> ended;
      {
        auto held = new Held{buffer_on(number), sycl::queue(), {}, {}};
        ended = held->ended.get_future();
        const sycl::event opened = gate.submit(held->queue);
        held->event = held->queue.submit([&](sycl::handler &group) {
          group.depends_on(opened);
          sycl::accessor all(held->buffer, group);
          group.single_task([=] { all[0] = 7; });
        });
        const cl_event native = sycl::get_native<sycl::backend::opencl>(held->event)[0];
        const auto callback = [](cl_event, cl_int, void *data) {
          auto *own = static_cast<Held *>(data);
          std::promise<void> done = std::move(own->ended);
          delete own;
          done.set_value();
        };
        EXPECT_EQ(clSetEventCallback(native, when, callback, held), CL_SUCCESS);
        clReleaseEvent(native);
      }
      gate.open();
      ended.wait();
      EXPECT_EQ(number->load(), 7);
    }));
  }
}

} // namespace
