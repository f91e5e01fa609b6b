// Random kernels that access a buffer or local memory at indices of ids, quotients and counters,
// some by conditions: in_bounds_accesses FIRST COUNT. Each runs with just enough memory, with one
// word less at the end, and at the front. It prints whether an access is outside: the kernel counts
// that in another run, with equal words. check_in_bounds_accesses_test.py compares it with the
// reports.
#include "one_device.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

constexpr cl_int words = 4096, middle = 2048; // of the counting kernel

// Generates the kernel that counts its accesses to each index, and the kernel that makes them.
class Writer {
public:
  Writer(unsigned seed, bool counts) : random_(seed), counts_(counts) {}
  std::string kernel(const std::string &name) {
    is_local_ = any(0, 2) == 0;
    std::string body;
    for (int parts = any(1, 3); parts != 0; --parts)
      body += part(0);
    const bool is_copied = is_local_ && !counts_;
    const std::string before =
                          "  for (uint c = l; c < size; c += get_local_size(0))\n    a[c] = 0;\n"
                          "  barrier(CLK_LOCAL_MEM_FENCE);\n",
                      after = "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "  for (uint c = l; c < size; c += get_local_size(0))\n"
                              "    if (a[c])\n      atomic_or(&all[c], 1);\n";
    return "kernel void " + name + "(global int *" + (is_copied ? "all" : "a") +
           (is_local_ ? ", local int *" + std::string(is_copied ? "a" : "unused") : "") +
           ", global const int *read, uint n, int m, uint size, int b) {\n"
           "  const uint l = get_local_id(0), g = get_group_id(0), i = get_global_id(0), j = "
           "get_global_id(1), w = get_global_size(0);\n" +
           (is_copied ? before : "") + body + (is_copied ? after : "") + "}\n";
  }
  bool is_local() { return Writer(*this).any(0, 2) == 0; } // call before kernel()
  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

private:
  template <class... Words> std::string one_of(Words... all) {
    const std::array<const char *, sizeof...(all)> list{all...};
    return list[size_t(any(0, int(list.size()) - 1))];
  }
  std::string number(unsigned depth) {
    const std::string id = depth && any(0, 1) ? "k" + std::to_string(any(0, int(depth) - 1))
                                              : one_of("i", "j", "l", "g", "i", "n", "(int)i", "m");
    const int what = any(0, 5);
    return what <= 2 ? id
           : what <= 4
               ? id + " * " + one_of("2", "3", "4", "n")
               : "(" + id + one_of(" / ", " % ", " & ", " >> ") + one_of("2", "4", "1", "3") + ")";
  }
  std::string place(unsigned depth) {
    std::string sum = one_of("0", "j * w + i", "i", "3", "(w - 1 - i)", "i * n", "(i - 1)");
    for (int more = any(0, 2); more != 0; --more)
      sum += one_of(" + ", " + ", " - ") + number(depth);
    return one_of("b + (int)(", "b + (int)(", "b + (short)(", "b + (long)(int)(") + sum + ")";
  }
  std::string condition(unsigned depth) {
    return number(depth) + one_of(" < ", " >= ", " == ", " != ", " > ", " <= ") +
           one_of("n", "3", "0", "w - 1", "5", "m", "read[i]", "1");
  }
  std::string conditions(unsigned depth) {
    std::string all = condition(depth);
    while (any(0, 2) == 0)
      all += one_of(" && ", " && ", " || ") + condition(depth);
    return all;
  }
  std::string access(unsigned depth) {
    const bool writes = any(0, 2) != 0;
    const std::string at = place(depth);
    if (counts_) // a read finds 0
      return "{ const long p = " + at + " + " + std::to_string(middle) + "; if (p >= 0 && p < " +
             std::to_string(words) + ") atomic_or(&a[p], " + (writes ? "1" : "2") + "); else a[" +
             std::to_string(words) + "] = 1; }\n";
    return writes ? "a[" + at + "] = 1;\n" : "if (a[" + at + "] == 77) a[b] = 5;\n"; // never
  }
  std::string part(unsigned depth) {
    const std::string k = "k" + std::to_string(depth), pad(2 * depth + 2, ' ');
    const int what = any(0, depth == 3 ? 1 : 6);
    if (what <= 1)
      return pad + access(depth);
    if (what <= 3)
      return pad + "if (" + conditions(depth) + ") {\n" + inner(depth) + pad + "}\n";
    if (what == 4 && !is_local_ && any(0, 2) == 0) // all work-items reach a barrier
      return pad + "if (" + condition(depth) + ")\n" + pad + "  return;\n" + inner(depth);
    const std::string type = one_of("uint", "int", "ulong");
    if (any(0, 3) == 0) // a decreasing counter
      return pad + "for (" + type + " " + k + " = " + one_of("n", "i", "l", "4", "w") + "; " + k +
             one_of(" > 0", " != 0", " >= 1") + "; " + k + one_of("--", " -= 1", " /= 2") +
             ") {\n" + body_of_loop(depth, k, pad) + pad + "}\n";
    return pad + "for (" + type + " " + k + " = " + one_of("0", "0", "1", "n / 2", "l") + "; " + k +
           one_of(" < ", " <= ") + one_of("n", "4", "5", "w", "max(m, 0)") + "; " + k +
           one_of(" += 1", " += 2", " += 3", " += w") + ") {\n" + body_of_loop(depth, k, pad) +
           pad + "}\n";
  }
  std::string inner(unsigned depth) {
    std::string text = part(depth);
    return any(0, 2) ? text : text + part(depth);
  }
  std::string body_of_loop(unsigned depth, const std::string &k, const std::string &pad) {
    std::string text = part(depth + 1);
    if (any(0, 4) == 0)
      text += pad + "  if (" + k + " == " + one_of("2", "n", "i") + ")\n" + pad + "    " +
              one_of("break", "continue") + ";\n" + part(depth + 1);
    return text;
  }
  std::mt19937 random_;
  bool counts_, is_local_ = false;
};

struct Size {
  cl::NDRange global, local;
  cl_uint n;
  cl_int m;
};

struct Runner : OneDevice {
  explicit Runner(const std::string &source)
      : OneDevice(source.c_str(), "-cl-std=CL3.0"), queue(context, device),
        read(context, CL_MEM_READ_WRITE, 256 * sizeof(cl_int)) {
    queue.enqueueFillBuffer(read, cl_int(0), 0, 256 * sizeof(cl_int));
  }
  // Runs the kernel with memory for words from `begin` on.
  std::vector<cl_int> run(const std::string &name, const Size &size, bool is_local, cl_int begin,
                          cl_int count) {
    cl::Buffer memory(context, CL_MEM_READ_WRITE, size_t(count) * sizeof(cl_int));
    queue.enqueueFillBuffer(memory, cl_int(0), 0, size_t(count) * sizeof(cl_int));
    cl::Kernel kernel(program, name.c_str());
    cl_uint argument = 0;
    kernel.setArg(argument++, memory);
    if (is_local)
      kernel.setArg(argument++, cl::Local(size_t(count) * sizeof(cl_int)));
    kernel.setArg(argument++, read);
    kernel.setArg(argument++, size.n);
    kernel.setArg(argument++, size.m);
    kernel.setArg(argument++, cl_uint(count));
    kernel.setArg(argument++, -begin);
    queue.enqueueNDRangeKernel(kernel, {}, size.global, size.local);
    std::vector<cl_int> found(size_t(count), 0);
    queue.enqueueReadBuffer(memory, CL_TRUE, 0, size_t(count) * sizeof(cl_int), found.data());
    return found;
  }
  void compare(const std::string &name, const Size &size, bool is_local) {
    std::vector<cl_int> all = run(name + "_counts", size, is_local, 0, words + 1);
    const bool is_beyond_all = all[words] != 0;
    all.pop_back();
    cl_int begin = 0, end = 1; // of the kernel's own memory
    for (cl_int i = 0; i != words; ++i)
      if (all[size_t(i)]) {
        begin = std::min(begin, i - middle);
        end = std::max(end, i - middle + 1);
      }
    struct Run {
      const char *name;
      cl_int begin, end;
    };
    for (const auto &[run_name, from, to] :
         {Run{"_inside", begin, end}, {"_above", begin, end - 1}, {"_below", begin + 1, end}}) {
      if (to <= std::max(from, 0) || from > 0)
        continue;
      const auto words_of = run(name + run_name, size, is_local, from, to - from);
      bool is_outside = is_beyond_all, is_right = true;
      for (cl_int i = 0; i != words; ++i)
        if (const cl_int at = i - middle; at >= from && at < to)
          is_right &= words_of[size_t(at - from)] == (all[size_t(i)] & 1);
        else
          is_outside |= all[size_t(i)] != 0;
      std::printf("%s%s %s %s\n", name.c_str(), run_name, is_outside ? "outside" : "inside",
                  is_right ? "right" : "wrong");
    }
  }

  cl::CommandQueue queue;
  cl::Buffer read;
};

} // namespace

int main(int, char **arguments) {
  const unsigned first = unsigned(std::atoi(arguments[1])),
                 count = unsigned(std::atoi(arguments[2]));
  for (unsigned seed = first; seed != first + count; ++seed) {
    std::string source =
        "#line " + std::to_string(seed * 1000 + 1) + "\n"; // other locations than others
    const std::string name = "k" + std::to_string(seed);
    for (const char *each : {"_counts", "_inside", "_above", "_below"})
      source += Writer(seed, each == std::string("_counts")).kernel(name + each);
    if (std::getenv("SHOW"))
      std::fputs(source.c_str(), stderr);
    Runner runner(source);
    Writer sizes(seed + 1000000, false);
    const size_t local = size_t(1) << sizes.any(0, 4), height = size_t(sizes.any(1, 3));
    const size_t global = local * size_t(sizes.any(1, 3)) + (sizes.any(0, 7) == 0);
    runner.compare(name,
                   {cl::NDRange(global, height), cl::NDRange(local, 1), cl_uint(sizes.any(0, 6)),
                    cl_int(sizes.any(-1, 6))},
                   Writer(seed, false).is_local());
  }
}
