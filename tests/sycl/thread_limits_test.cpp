// The system has no thread for host tasks: a submission throws. With one thread, further tasks wait
// for it.
#include <sycl/sycl.hpp>

#include "check.h"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

namespace {

constexpr int any_number = 1'000'000;
std::atomic<int> threads_left{any_number};

} // namespace

// Replaces the C library's function, also for the library under test.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*function)(void *), void *data) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_left.fetch_sub(1) <= 0 ? EAGAIN : real(thread, attributes, function, data);
}

namespace {

template <class Function> bool throws_for_want_of_threads(Function function) {
  try {
    function();
  } catch (const sycl::exception &thrown) {
    return thrown.code() == sycl::errc::runtime;
  }
  return false;
}

TEST(queues_and_host_tasks) {
  threads_left = 0;
  EXPECT(throws_for_want_of_threads([] { sycl::queue queue; }));
  threads_left = any_number;
  sycl::queue queue;
  std::atomic<int> done{0};
  auto submit = [&] {
    queue.submit([&](sycl::handler &group) { group.host_task([&] { ++done; }); });
  };
  threads_left = 0;
  EXPECT(throws_for_want_of_threads(submit));
  queue.wait();
  EXPECT_EQ(done, 0);
  threads_left = 1;
  for (int i = 0; i < 50; ++i)
    submit();
  queue.wait();
  EXPECT_EQ(done, 50);
  threads_left = any_number;
  submit();
  queue.wait();
  EXPECT_EQ(done, 51);
}

} // namespace
