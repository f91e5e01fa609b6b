// What the programs of the heat equation share: the plate, and the comparison with serial C++.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace heat {

inline float initial(size_t n, size_t row, size_t column) {
  if (row == 0)
    return 100;
  if (column == 0)
    return 50;
  return row == n - 1 || column == n - 1 ? 0 : float((row * 7 + column * 13) % 17);
}

inline float mean(float up, float down, float left, float right) {
  return 0.25f * ((up + down) + (left + right));
}

inline std::vector<float> serial(size_t n, int steps) {
  std::vector<float> from(n * n);
  for (size_t i = 0; i < n * n; ++i)
    from[i] = initial(n, i / n, i % n);
  std::vector<float> to = from;
  for (int step = 0; step < steps; ++step) {
    for (size_t y = 1; y + 1 < n; ++y)
      for (size_t i = y * n + 1; i < y * n + n - 1; ++i)
        to[i] = mean(from[i - n], from[i + n], from[i - 1], from[i + 1]);
    std::swap(from, to);
  }
  return from;
}

// Gathers the rows of all ranks. Rank 0 prints whether each bit is that of serial C++. All ranks
// return this.
inline bool report(const std::vector<float> &rows, size_t n, int steps, const std::string &how,
                   double seconds) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> counts, begins;
  for (int r = 0; r < ranks; ++r) {
    begins.push_back(int(n * r / ranks * n));
    counts.push_back(int(n * (r + 1) / ranks * n) - begins.back());
  }
  std::vector<float> all(rank == 0 ? n * n : 0);
  MPI_Gatherv(rows.data(), counts[rank], MPI_FLOAT, all.data(), counts.data(), begins.data(),
              MPI_FLOAT, 0, MPI_COMM_WORLD);
  int different = 0;
  if (rank == 0) {
    const std::vector<float> expected = serial(n, steps);
    for (size_t i = 0; i < n * n; ++i)
      different += std::memcmp(&expected[i], &all[i], sizeof(float)) != 0;
    std::printf("%d ranks, %zu x %zu points, %d steps, %s: %.3f s; %d values differ from serial "
                "C++: %s\n",
                ranks, n, n, steps, how.c_str(), seconds, different,
                different ? "FAILED" : "PASSED");
  }
  MPI_Bcast(&different, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return different == 0;
}

} // namespace heat
