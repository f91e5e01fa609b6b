// fork() and the end of a process while SYCL objects are alive (docs/process_life.md).
#include <sycl/sycl.hpp>

#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using sycl::access_mode;

// The waitpid status of a child that calls `function`; SIGALRM ends a child that hangs.
int status_of_child(const std::function<void()> &function) {
  std::fflush(nullptr); // or the child would print it again
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    function();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool has_exit_code(int status, int code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

// Computes 10, 11, 12, 13 through a buffer of its own.
bool computes(sycl::queue queue) {
  int values[4] = {};
  {
    sycl::buffer<int> buffer(values, 4);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(buffer, group, sycl::write_only);
      group.parallel_for(4, [=](sycl::id<1> i) { all[i] = 10 + int(i[0]); });
    });
  }
  return values[0] == 10 && values[3] == 13;
}

bool says_fork(const std::function<void()> &function) {
  try {
    function();
  } catch (const sycl::exception &error) {
    return error.code() == sycl::errc::invalid &&
           std::string(error.what()).find("fork()") != std::string::npos;
  }
  return false;
}

TEST(a_child_has_queues_of_its_own) {
  sycl::queue queue;
  EXPECT(computes(queue));
  const sycl::device device = queue.get_device();
  EXPECT(has_exit_code(status_of_child([&] {
                         if (!computes(sycl::queue()) || !computes(sycl::queue(device)))
                           _exit(1);
                         std::exit(7);
                       }),
                       7));
  EXPECT(computes(queue));
}

TEST(a_child_cannot_use_what_its_parent_has_made) {
  sycl::queue queue;
  int values[4] = {1, 2, 3, 4};
  int *shared = sycl::malloc_shared<int>(1, queue);
  *shared = 5;
  auto *buffer = new sycl::buffer<int>(values, 4);
  sycl::event event = queue.submit([&](sycl::handler &group) {
    sycl::accessor all(*buffer, group);
    group.parallel_for(4, [=](sycl::id<1> i) { all[i] += 1; });
  });
  EXPECT(has_exit_code(status_of_child([&] {
                         bool is_right = says_fork([&] { queue.wait(); }) &&
                                         says_fork([&] { queue.single_task([] {}); }) &&
                                         says_fork([&] { event.wait(); }) &&
                                         says_fork([&] { sycl::host_accessor all(*buffer); }) &&
                                         *shared == 5;
                         sycl::queue own;
                         is_right &= says_fork([&] {
                           own.submit([&](sycl::handler &group) {
                             sycl::accessor all(*buffer, group);
                             group.single_task([=] { all[0] = 0; });
                           });
                         });
                         delete buffer; // waits for nothing
                         sycl::free(shared, queue);
                         std::exit(is_right ? 0 : 1);
                       }),
                       0));
  delete buffer;
  EXPECT_EQ(values[3], 5);
  sycl::free(shared, queue);
}

class Eleven;

// Contexts and platforms are valid in a child, but these objects are not.
TEST(a_child_cannot_use_kernels_images_graphs_and_sub_devices_of_its_parent) {
  namespace exp = sycl::ext::oneapi::experimental;
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  int *out = sycl::malloc_shared<int>(1, queue);
  auto store = [=] { *out = 11; };
  queue.single_task<Eleven>(store).wait();
  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context);
  const sycl::kernel kernel = bundle.get_kernel(sycl::get_kernel_id<Eleven>());
  exp::command_graph graph(queue);
  graph.add([&](sycl::handler &group) { group.single_task(store); });
  auto executable = graph.finalize();
  sycl::unsampled_image<2> image(sycl::image_format::r32b32g32a32_sint, sycl::range<2>(4, 4));
  const auto halves =
      queue.get_device().create_sub_devices<sycl::info::partition_property::partition_equally>(1);
  EXPECT(has_exit_code(
      status_of_child([&] {
        sycl::queue own;
        bool is_right = computes(sycl::queue(context, own.get_device()));
        auto expect = [&](const char *what, const std::function<void()> &use) {
          if (says_fork(use))
            return;
          std::fprintf(stderr, "the child can use %s\n", what);
          is_right = false;
        };
        expect("a bundle in a launch", [&] {
          own.submit([&](sycl::handler &group) {
            group.use_kernel_bundle(bundle);
            group.single_task<Eleven>(store);
          });
        });
        expect("a bundle", [&] { (void)bundle.get_kernel(sycl::get_kernel_id<Eleven>()); });
        expect("a kernel", [&] {
          (void)kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(
              own.get_device());
        });
        expect("a graph", [&] { (void)graph.finalize(); });
        expect("an executable graph", [&] { own.ext_oneapi_graph(executable); });
        expect("an image", [&] {
          own.submit([&](sycl::handler &group) {
            auto texels = image.get_access<sycl::int4, access_mode::write>(group);
            group.parallel_for(sycl::range<2>(4, 4), [=](sycl::item<2> at) {
              texels.write(sycl::int2(int(at[0]), int(at[1])), sycl::int4(1));
            });
          });
        });
        for (const sycl::device &half : halves)
          expect("a sub-device", [&] { sycl::queue unused(half); });
        std::exit(is_right ? 0 : 1);
      }),
      0));
  sycl::free(out, queue);
}

TEST(exit_does_not_wait_for_a_host_task_that_calls_it) {
  EXPECT(has_exit_code(status_of_child([] {
                         // exit() destroys the static queue while this thread waits
                         static sycl::queue destroyed;
                         sycl::queue queue = destroyed;
                         queue.submit(
                             [](sycl::handler &group) { group.host_task([] { std::exit(4); }); });
                         queue.wait();
                         pause();
                       }),
                       4));
}

} // namespace
