// How many work-items execute in lockstep? Four measurements answer this, and need not agree.
//
// - By query. Every device reports CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE. With sub-groups,
//   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE is more precise.
// - By order. Each work-item draws two tickets from an atomic counter. Items that run one after the
//   other draw 0,1 2,3 4,5; w items in lockstep draw 0..w-1 first, then w..2w-1. The result is the
//   largest w for which, in every aligned block of w items, all first tickets precede all second
//   ones. It guarantees nothing: an implementation may serialize only the atomics.
// - By time. Blocks of b neighbors alternate between two branches. If w items share a program
//   counter, smaller blocks pay for both branches, so the time halves at b = w. A flat line means w
//   = 1, or cheap masking. Noise and branches converted to selects make this the weakest evidence.
// - By waiting. A work-item polls a flag that another one sets; the result is the smallest distance
//   at which it sees the flag. Where work-items make progress independently, as in Lockstep, it is
//   1 (docs/forward_progress.md, "Polls that end by themselves"). The flag is a data race: OpenCL
//   does not define what is seen.
//
// Verified: every poll reports a result, the tickets of each group are a permutation, each item's
// first precedes its second, and the branches compute what plain C++ computes.
#include "example.h"

#include <algorithm>

namespace {

constexpr size_t group_size = 256;

// Returns the largest power of two w such that all first tickets precede all second ones in each
// aligned block of w items. Returns 0 if the tickets are impossible.
size_t width_by_order(const std::vector<cl_uint> &first, const std::vector<cl_uint> &second) {
  size_t width = group_size;
  for (size_t group = 0; group < first.size(); group += group_size) {
    std::vector<bool> drawn(2 * group_size);
    for (size_t i = group; i < group + group_size; ++i) {
      if (first[i] >= second[i] || second[i] >= drawn.size() || drawn[first[i]] || drawn[second[i]])
        return 0;
      drawn[first[i]] = drawn[second[i]] = true;
    }
    auto in_step = [&](size_t start) {
      return *std::max_element(&first[start], &first[start] + width) <
             *std::min_element(&second[start], &second[start] + width);
    };
    for (size_t start = group; start < group + group_size;)
      if (in_step(start)) {
        start += width;
      } else {
        width /= 2; // w = 1 always fulfills it
        start = group;
      }
  }
  return width;
}

bool verify_sides(const std::vector<cl_uint> &result, size_t block, cl_uint steps) {
  for (size_t i = 0; i < result.size(); i += 61) {
    bool odd = i % group_size / block % 2;
    cl_uint value = cl_uint(i);
    for (cl_uint step = 0; step < steps; ++step)
      value = odd ? (value ^ value >> 15) * 0x2c1b3c6du : (value ^ value >> 12) * 0x297a2d39u;
    if (value != result[i])
      return false;
  }
  return true;
}

// Returns CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, or 0 if the device has no sub-groups.
size_t sub_group_size(example::Example &e, const cl::Kernel &kernel) {
  cl_uint most = 0;
  if (clGetDeviceInfo(e.device(), CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, nullptr) !=
          CL_SUCCESS ||
      most == 0)
    return 0;
  size_t local = group_size, size = 0;
  cl_int status =
      clGetKernelSubGroupInfo(kernel(), e.device(), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                              sizeof local, &local, sizeof size, &size, nullptr);
  return status == CL_SUCCESS ? size : 0;
}

void by_order(example::Example &e, const cl::Program &program) {
  const size_t items = 64 * group_size;
  cl::Kernel kernel(program, "draw_tickets");
  cl::Buffer first(e.context, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
  cl::Buffer second(e.context, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
  kernel.setArg(0, first);
  kernel.setArg(1, second);
  double seconds = e.seconds([&] {
    e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items),
                                 cl::NDRange(group_size));
  });
  size_t width = width_by_order(example::read<cl_uint>(e, first, items),
                                example::read<cl_uint>(e, second, items));
  size_t queried = kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(e.device);
  size_t sub_group = sub_group_size(e, kernel);
  e.row("items in step, by order of atomics", width > 0, seconds, items * 1e-9, "Gitem/s",
        "in step " + std::to_string(width) + ", preferred multiple says " +
            std::to_string(queried) + ", sub-group " +
            (sub_group ? std::to_string(sub_group) : "none"));
}

void by_time(example::Example &e, const cl::Program &program) {
  const size_t items = 64 * group_size;
  const cl_uint steps = cl_uint(e.size(2000, 50));
  cl::Kernel kernel(program, "take_sides");
  cl::Buffer result(e.context, CL_MEM_WRITE_ONLY, items * sizeof(cl_uint));
  kernel.setArg(1, steps);
  kernel.setArg(2, result);
  bool verified = true;
  std::vector<std::pair<size_t, double>> times;
  for (size_t block = 1; block <= group_size / 2; block *= 2) {
    kernel.setArg(0, cl_uint(block));
    double seconds = e.seconds([&] {
      e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items),
                                   cl::NDRange(group_size));
    });
    verified = verified && verify_sides(example::read<cl_uint>(e, result, items), block, steps);
    times.emplace_back(block, seconds);
  }
  // The smallest block whose time is near the fastest, as are those of all larger blocks.
  const double fastest = times.back().second;
  size_t width = group_size;
  for (auto it = times.rbegin(); it != times.rend() && it->second < 1.4 * fastest; ++it)
    width = it->first;
  char note[100];
  std::snprintf(note, sizeof note,
                "in step %zu (blocks of 1 take %.2f times as long as blocks of %zu)", width,
                times.front().second / fastest, times.back().first);
  e.row("items in step, by time of branches", verified, fastest, items * double(steps) * 1e-9,
        "Gstep/s", note);
}

void by_waiting(example::Example &e, const cl::Program &program) {
  const size_t groups = 16;
  cl::Kernel kernel(program, "look_for_a_while");
  cl::Buffer seen(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
  kernel.setArg(1, cl_uint(e.size(20'000, 2'000)));
  kernel.setArg(2, seen);
  bool verified = true;
  size_t width = 0; // not seen at any distance
  double seconds = 0;
  for (size_t distance = group_size / 2; distance >= 1; distance /= 2) {
    kernel.setArg(0, cl_uint(distance));
    e.queue.enqueueFillBuffer(seen, cl_uint(2), 0, groups * sizeof(cl_uint));
    seconds = e.seconds([&] {
      e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group_size),
                                   cl::NDRange(group_size));
    });
    const auto answers = example::read<cl_uint>(e, seen, groups);
    verified = verified && *std::max_element(answers.begin(), answers.end()) <= 1;
    if (*std::min_element(answers.begin(), answers.end()) == 0)
      break; // a work-item did not see it
    width = distance;
  }
  e.row("items in step, by waiting", verified, seconds, double(groups * group_size) * 1e-9,
        "Gitem/s",
        width ? "in step " + std::to_string(width)
              : "the flag is never seen: in step " + std::to_string(group_size) +
                    ", or one after the other");
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    cl::Program program = e.build("items_in_step.cl");
    by_order(e, program);
    by_time(e, program);
    by_waiting(e, program);
  });
}
