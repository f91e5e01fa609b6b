/* StarPU over MPI with tasks in OpenCL: in each step, a block becomes three times itself plus the
   next block, reversed. The next block is on another rank, and StarPU moves it.

     ring_starpu [STEPS=20]

   StarPU uses CPU devices of OpenCL only if STARPU_OPENCL_ON_CPUS=1 and
   STARPU_OPENCL_ONLY_ON_CPUS=1 are set. */
#include <starpu.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>
#include <stdio.h>
#include <stdlib.h>

enum { blocks = 8, length = 4096 };
static struct starpu_opencl_program program;
static const char source[] =
    "kernel void add(global unsigned *to, global const unsigned *from, unsigned n) {"
    "  size_t i = get_global_id(0);"
    "  if (i < n) to[i] = to[i] * 3 + from[n - 1 - i];"
    "}";

static void add_opencl(void *buffers[], void *arguments) {
  (void)arguments;
  cl_mem to = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
  cl_mem from = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
  cl_kernel kernel;
  cl_command_queue queue;
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  cl_int error = starpu_opencl_load_kernel(&kernel, &queue, &program, "add", device);
  if (error)
    STARPU_OPENCL_REPORT_ERROR(error);
  const unsigned n = length;
  clSetKernelArg(kernel, 0, sizeof to, &to);
  clSetKernelArg(kernel, 1, sizeof from, &from);
  clSetKernelArg(kernel, 2, sizeof n, &n);
  const size_t global = length;
  error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
  if (error)
    STARPU_OPENCL_REPORT_ERROR(error);
  clFinish(queue);
  starpu_opencl_release_kernel(kernel);
}

static struct starpu_codelet add = {.where = STARPU_OPENCL,
                                    .opencl_funcs = {add_opencl},
                                    .nbuffers = 2,
                                    .modes = {STARPU_RW, STARPU_R},
                                    .name = "add"};
static unsigned data[blocks][length], expected[blocks][length];
static starpu_data_handle_t handles[blocks];

static void register_blocks(int rank, int ranks) {
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < length; ++i)
      expected[b][i] = data[b][i] = b * 7919u + i * 31u;
    const int is_mine = b % ranks == rank;
    starpu_vector_data_register(&handles[b], is_mine ? STARPU_MAIN_RAM : -1,
                                is_mine ? (uintptr_t)data[b] : 0, length, sizeof(unsigned));
    starpu_mpi_data_register(handles[b], b, b % ranks);
  }
}

static int wrong_values(int rank, int ranks, int steps) {
  for (int s = 0; s < steps; ++s)
    for (int b = 0; b < blocks; ++b)
      for (int i = 0; i < length; ++i)
        expected[b][i] = expected[b][i] * 3 + expected[(b + 1) % blocks][length - 1 - i];
  int wrong = 0, all = 0;
  for (int b = rank; b < blocks; b += ranks)
    for (int i = 0; i < length; ++i)
      wrong += data[b][i] != expected[b][i];
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  int rank, ranks;
  if (starpu_init(NULL))
    return 1;
  starpu_mpi_init(&argc, &argv, 1);
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
  if (starpu_opencl_load_opencl_from_string(source, &program, NULL)) {
    fprintf(stderr, "StarPU has no OpenCL worker\n");
    return 1;
  }
  register_blocks(rank, ranks);
  const double begin = starpu_timing_now();
  for (int s = 0; s < steps; ++s)
    for (int b = 0; b < blocks; ++b)
      starpu_mpi_task_insert(MPI_COMM_WORLD, &add, STARPU_RW, handles[b], STARPU_R,
                             handles[(b + 1) % blocks], 0);
  starpu_task_wait_for_all();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  const double seconds = (starpu_timing_now() - begin) * 1e-6;
  for (int b = 0; b < blocks; ++b)
    starpu_data_unregister(handles[b]);
  const int wrong = wrong_values(rank, ranks, steps);
  if (rank == 0)
    printf("%d ranks, StarPU, %d steps of %d tasks: %.3f s; %d values differ from serial C: %s\n",
           ranks, steps, blocks, seconds, wrong, wrong ? "FAILED" : "PASSED");
  starpu_opencl_unload_opencl(&program);
  starpu_mpi_shutdown();
  starpu_shutdown();
  return wrong != 0;
}
