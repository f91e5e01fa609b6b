// The heat equation in Celerity, which distributes the kernels over the ranks and sends the halo
// rows by itself.
//
//   heat_celerity [POINTS=512] [STEPS=100]
#include "heat.h"

#include <celerity.h>

#include <cstdlib>

namespace {

using Field = celerity::buffer<float, 2>;

void fill(celerity::queue &queue, Field &field) {
  queue.submit([&](celerity::handler &handler) {
    celerity::accessor to{field, handler, celerity::access::one_to_one{}, celerity::write_only,
                          celerity::no_init};
    handler.parallel_for(field.get_range(), [=, n = field.get_range()[0]](celerity::item<2> at) {
      to[at] = heat::initial(n, at[0], at[1]);
    });
  });
}

void relax(celerity::queue &queue, Field &old, Field &next) {
  queue.submit([&](celerity::handler &handler) {
    celerity::accessor from{
        old, handler,
        celerity::access::neighborhood{{1, 1}, celerity::neighborhood_shape::along_axes},
        celerity::read_only};
    celerity::accessor to{next, handler, celerity::access::one_to_one{}, celerity::write_only,
                          celerity::no_init};
    handler.parallel_for(old.get_range(), [=, n = old.get_range()[0]](celerity::item<2> at) {
      const size_t y = at[0], x = at[1];
      const bool is_edge = y == 0 || x == 0 || y == n - 1 || x == n - 1;
      to[at] = is_edge ? from[at]
                       : heat::mean(from[{y - 1, x}], from[{y + 1, x}], from[{y, x - 1}],
                                    from[{y, x + 1}]);
    });
  });
}

} // namespace

int main(int argc, char **argv) {
  const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  celerity::queue queue;
  Field old({n, n}), next({n, n});
  fill(queue, old);
  queue.wait();
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    relax(queue, old, next);
    std::swap(old, next);
  }
  queue.wait();
  const double seconds = MPI_Wtime() - begin;
  const auto all = queue.fence(old).get();
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const float *values = all.get_data();
  const std::vector<float> rows(values + n * rank / ranks * n, values + n * (rank + 1) / ranks * n);
  return heat::report(rows, n, steps, "Celerity", seconds) ? 0 : 1;
}
