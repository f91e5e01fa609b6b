// What cluster_test.py runs on several ranks: ranks host_tasks|fault|units
#include <mpi.h>
#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int rank = 0, ranks = 1;

// Each rank submits all receives before its first send, so 64 host tasks block at once.
int run_host_tasks() {
  constexpr int tasks = 64;
  sycl::queue queue;
  int *in = sycl::malloc_shared<int>(tasks, queue), *out = sycl::malloc_shared<int>(tasks, queue);
  int *sum = sycl::malloc_shared<int>(1, queue);
  const int own = rank * 1000, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  queue.parallel_for(tasks, [=](sycl::id<1> i) { out[i] = own + int(i); }).wait();
  std::vector<sycl::event> received;
  for (int t = 0; t < tasks; ++t)
    received.push_back(queue.submit([&](sycl::handler &handler) {
      handler.host_task(
          [=] { MPI_Recv(in + t, 1, MPI_INT, before, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    }));
  for (int t = 0; t < tasks; ++t)
    queue.submit([&](sycl::handler &handler) {
      handler.host_task([=] { MPI_Ssend(out + t, 1, MPI_INT, next, t, MPI_COMM_WORLD); });
    });
  queue.submit([&](sycl::handler &handler) {
    handler.depends_on(received);
    handler.single_task([=] {
      *sum = 0;
      for (int t = 0; t < tasks; ++t)
        *sum += in[t];
    });
  });
  queue.wait();
  const int expected = tasks * before * 1000 + tasks * (tasks - 1) / 2;
  std::printf("rank %d: %d of %d\n", rank, *sum, expected);
  return *sum != expected;
}

// A kernel of rank 1 writes to the address 0, while the others wait for the rank.
int run_fault() {
  sycl::queue queue;
  int *memory = rank == 1 ? nullptr : sycl::malloc_shared<int>(1000, queue);
  queue.parallel_for(1000, [=](sycl::id<1> i) { memory[i] = int(i); }).wait_and_throw();
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("rank %d is through\n", rank);
  return 0;
}

int print_units() {
  const sycl::device device;
  std::printf("units %u\n", device.get_info<sycl::info::device::max_compute_units>());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = argc > 1 ? argv[1] : "";
  const int code = what == "host_tasks" ? run_host_tasks()
                   : what == "fault"    ? run_fault()
                   : what == "units"    ? print_units()
                                        : 2;
  MPI_Finalize();
  return code;
}
