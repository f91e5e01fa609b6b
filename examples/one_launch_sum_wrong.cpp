// The sum in one launch with two common mistakes, and how to find them.
//
// First mistake: only the last of the 256 groups that feed a parent opens its lock. This assumes
// that groups run in order, so that when the last one ends, all have. No platform guarantees that:
// the last group may end while others still run, and then the parent reads partial sums that are
// not yet written. If groups start in ascending order and take equally long, the sum is nearly
// always right, which hides the mistake. LOCKSTEP_SCHEDULE=shuffle:<seed> starts them in a random
// order, and the first run shows it.
//
// Second mistake: the parent locks its own lock when it starts, and then waits for a feeder to open
// it. If the last feeder opened it earlier, the parent waits forever. Elsewhere the program hangs;
// here the launch ends with an error status, and stderr reports which groups wait in which line for
// which element of the buffer.
//
// The shuffled runs are separate processes, because the variable is read once per process.
#include "one_launch_sum.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int exit_code_right = 0, exit_code_wrong = 10;

size_t size_of(const example::Example &e) {
  return e.size(size_t(1) << 22, size_t(1) << 16);
}

bool sum_is_right(example::Example &e) {
  cl::Program program = e.build("one_launch_sum.cl", "-cl-std=CL3.0");
  one_launch_sum::Problem problem(e, size_of(e), 1);
  e.queue.enqueueFillBuffer(problem.results, cl_long(0), 0, problem.groups * sizeof(cl_long));
  cl::Kernel kernel(program, "sum_with_last_one_unlocking");
  kernel.setArg(7, cl_uint(0));
  problem.enqueue_tree(kernel, 1);
  return problem.total() == problem.expected;
}

// Runs the program in a child process and discards its output.
int exit_code_of_shuffled_run(int argc, char **argv, unsigned seed) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LOCKSTEP_SCHEDULE", ("shuffle:" + std::to_string(seed)).c_str(), 1);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    bool is_right = true;
    const int code = example::run(argc, argv, [&](example::Example &e) {
      is_right = !example::may_wait(e, "") || sum_is_right(e);
    });
    _exit(code ? code : is_right ? exit_code_right : exit_code_wrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

int main(int argc, char **argv) {
  constexpr unsigned seeds = 4;
  unsigned wrong = 0, right = 0;
  const auto begin = std::chrono::steady_clock::now();
  const bool lists = argc > 1 && !std::strcmp(argv[1], "--list-platforms");
  for (unsigned seed = 1; seed <= seeds && !lists; ++seed) {
    const int code = exit_code_of_shuffled_run(argc, argv, seed);
    wrong += code == exit_code_wrong;
    right += code == exit_code_right;
  }
  const double shuffled_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return example::run(argc, argv, [&](example::Example &e) {
    if (!example::may_wait(e, "sum with the last group unlocking only"))
      return;
    const bool in_order = sum_is_right(e);
    e.row("wrong protocol: shuffled order finds wrong sums", wrong > 0 && wrong + right == seeds,
          shuffled_seconds, wrong, "wrong sums/s",
          std::to_string(wrong) + " of " + std::to_string(seeds) + "; in ascending order " +
              (in_order ? "it was right" : "it was wrong, too"));

    cl::Program program = e.build("one_launch_sum.cl", "-cl-std=CL3.0");
    one_launch_sum::Problem problem(e, size_t(1) << 16, 1);
    cl::Kernel kernel(program, "sum_with_last_one_unlocking");
    kernel.setArg(7, cl_uint(1));
    cl::Event end;
    auto start = std::chrono::steady_clock::now();
    problem.enqueue_tree(kernel, 0, &end);
    e.queue.finish();
    const auto status = end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    e.row("wrong protocol: lock set after it was opened", status < 0, seconds, 1, "reports",
          status < 0 ? "ended with status " + std::to_string(status) + ", report on stderr"
                     : "the launch ended as if nothing were wrong");
  });
}
