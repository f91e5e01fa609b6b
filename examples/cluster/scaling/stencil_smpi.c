/* The messages of ../jacobi.cpp, with computed time in place of its kernels. It runs only in SimGrid's SMPI.
 *
 *   stencil_smpi WIDTH STEPS INNER OUTER
 *
 * A rank exchanges rows of WIDTH points. It computes for INNER seconds while they travel, and then for OUTER seconds.
 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_POINTS 32768

/* All ranks of the simulation share it (-no-privatize), so that 10,000 of them fit into memory. */
static float halo[4 * MOST_POINTS];

static void compute(double seconds) { smpi_execute_flops(seconds * 1e9); } /* hosts have 1 Gflop/s */

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5 || atoi(argv[1]) > MOST_POINTS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int width = atoi(argv[1]), steps = atoi(argv[2]);
  const double inner = atof(argv[3]), outer = atof(argv[4]);
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(halo, width, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halo + width, width, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(halo + 2 * width, width, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(halo + 3 * width, width, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[3]);
    compute(inner);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    compute(outer);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("step: %.3f us\n", (MPI_Wtime() - begin) / steps * 1e6);
  MPI_Finalize();
  return 0;
}
