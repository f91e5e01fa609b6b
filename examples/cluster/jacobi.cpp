// The heat equation in two dimensions by Jacobi's method. The rows of a square plate are distributed
// over the ranks of MPI, and the kernels are SYCL. MPI reads and writes the halo rows in unified
// shared memory.
//
//   jacobi [POINTS=1024] [STEPS=200] [host|shared|device] [waits|tasks]
//
// "waits": the host waits for each kernel, and calls MPI in between. "tasks": host tasks call MPI,
// while kernels compute the inner rows. Rank 0 compares the result with serial C++.
#include "heat.h"

#include <mpi.h>
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

// The rows of one rank. Row 0 and row rows + 1 of the arrays are the halo.
class Part {
public:
  Part(sycl::queue queue, const std::string &kind, size_t points, int rank, int ranks)
      : queue_(std::move(queue)), n_(points), first_(points * rank / ranks),
        rows_(points * (rank + 1) / ranks - first_), up_(rank > 0 ? rank - 1 : MPI_PROC_NULL),
        down_(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL), from_(allocate(kind)),
        to_(allocate(kind)) {
    queue_
        .parallel_for(sycl::range(rows_, n_),
                      [n = n_, first = first_, a = from_, b = to_](sycl::id<2> at) {
                        const float value = heat::initial(n, first + at[0], at[1]);
                        a[(at[0] + 1) * n + at[1]] = value;
                        b[(at[0] + 1) * n + at[1]] = value;
                      })
        .wait();
  }
  Part(const Part &) = delete;
  Part &operator=(const Part &) = delete;
  ~Part() {
    sycl::free(from_, queue_);
    sycl::free(to_, queue_);
  }

  void run_by_waits(int steps) {
    for (int step = 0; step < steps; ++step) {
      exchange_halo();
      relax(0, rows_, {}).wait();
      std::swap(from_, to_);
    }
  }

  void run_by_host_tasks(int steps) {
    std::vector<sycl::event> last;
    for (int step = 0; step < steps; ++step) {
      const sycl::event halo = queue_.submit([&](sycl::handler &handler) {
        handler.depends_on(last);
        handler.host_task([this, from = from_] { exchange_halo(from); });
      });
      std::vector<sycl::event> next = {relax(1, rows_ > 1 ? rows_ - 1 : 1, last),
                                       relax(0, 1, {halo})};
      if (rows_ > 1)
        next.push_back(relax(rows_ - 1, rows_, {halo}));
      last = std::move(next);
      std::swap(from_, to_);
    }
    queue_.wait();
  }

  std::vector<float> rows() {
    std::vector<float> values(rows_ * n_);
    queue_.memcpy(values.data(), from_ + n_, values.size() * sizeof(float)).wait();
    return values;
  }

private:
  float *allocate(const std::string &kind) const {
    const size_t count = (rows_ + 2) * n_;
    return kind == "host"     ? sycl::malloc_host<float>(count, queue_)
           : kind == "device" ? sycl::malloc_device<float>(count, queue_)
                              : sycl::malloc_shared<float>(count, queue_);
  }

  void exchange_halo() const { exchange_halo(from_); }
  void exchange_halo(float *field) const {
    const int count = int(n_);
    MPI_Request requests[4];
    MPI_Irecv(field, count, MPI_FLOAT, up_, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(field + (rows_ + 1) * n_, count, MPI_FLOAT, down_, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(field + n_, count, MPI_FLOAT, up_, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(field + rows_ * n_, count, MPI_FLOAT, down_, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }

  // Computes the rows from `low` to `high`, except the edge of the plate.
  sycl::event relax(size_t low, size_t high, const std::vector<sycl::event> &after) {
    return queue_.submit([&](sycl::handler &handler) {
      handler.depends_on(after);
      if (first_ == 0 && low == 0)
        low = 1;
      if (first_ + high == n_)
        --high;
      if (low >= high)
        return;
      const sycl::range size(high - low, n_ - 2);
      handler.parallel_for(size, [n = n_, low, from = from_, to = to_](sycl::id<2> at) {
        const size_t i = (low + at[0] + 1) * n + at[1] + 1;
        to[i] = heat::mean(from[i - n], from[i + n], from[i - 1], from[i + 1]);
      });
    });
  }

  sycl::queue queue_;
  const size_t n_, first_, rows_;
  const int up_, down_;
  float *from_, *to_;
};

} // namespace

int main(int argc, char **argv) {
  int provided = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<std::string> args(argv + 1, argv + argc);
  const size_t points = args.size() > 0 ? std::stoul(args[0]) : 1024;
  const int steps = args.size() > 1 ? std::stoi(args[1]) : 200;
  const std::string kind = args.size() > 2 ? args[2] : "shared";
  const bool by_tasks = args.size() > 3 && args[3] == "tasks";
  if (by_tasks && provided < MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  bool is_right = true;
  {
    Part part(sycl::queue(), kind, points, rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    by_tasks ? part.run_by_host_tasks(steps) : part.run_by_waits(steps);
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - begin;
    is_right = heat::report(part.rows(), points, steps, kind + (by_tasks ? ", tasks" : ", waits"),
                            seconds);
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
