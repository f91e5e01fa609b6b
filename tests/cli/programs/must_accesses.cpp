// Random kernels that write at affine indices, some by conditions, some by async copies:
// must_accesses FIRST COUNT.
// Each runs beside unordered commands that fill the words it does not write, and then its words.
// It prints the number of words; check_commands_test.py compares that with the reports.
#include "one_device.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

constexpr size_t words = 1024, most_rows = 60; // not all rows of more are known

class Writer {
public:
  explicit Writer(unsigned seed) : random_(seed) {}
  // A launch may reach bytes from 256 on: an index may go down from there.
  std::string kernel(const std::string &name) {
    std::string body;
    for (int parts = any(1, 2); parts != 0; --parts)
      body += part(0);
    return "kernel void " + name +
           "(global int *a, global const int *read, uint n, int m) {\n"
           "  const uint l = get_local_id(0), g = get_group_id(0), i = get_global_id(0), j = "
           "get_global_id(1), w = get_global_size(0);\n" +
           copies() + body + "}\n";
  }
  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

private:
  template <class... Words> std::string one_of(Words... all) {
    const std::array<const char *, sizeof...(all)> list{all...};
    return list[size_t(any(0, int(list.size()) - 1))];
  }
  std::string number(unsigned depth) {
    const std::string id = depth && any(0, 1) ? "k" + std::to_string(any(0, int(depth) - 1))
                                              : one_of("i", "j", "l", "g", "i", "n", "(int)i", "m");
    return any(0, 1) ? id : id + " * " + one_of("2", "3", "4", "n");
  }
  std::string place(unsigned depth) {
    std::string sum = one_of("0", "j * w + i", "i", "3", "(w - 1 - i)", "i * n");
    for (int more = any(0, 2); more != 0; --more)
      sum += one_of(" + ", " + ", " - ") + number(depth);
    return "256 + (int)(" + sum + ")";
  }
  std::string condition(unsigned depth) {
    return number(depth) + one_of(" < ", " >= ", " == ", " != ", " > ", " <= ") +
           one_of("n", "3", "0", "w - 1", "5", "m", "read[i]");
  }
  std::string part(unsigned depth) {
    const std::string k = "k" + std::to_string(depth), pad(2 * depth + 2, ' ');
    const int what = any(0, depth == 3 ? 1 : 6);
    if (what <= 1)
      return pad + "a[" + place(depth) + "] = 1;\n";
    if (what <= 3)
      return pad + "if (" + condition(depth) + ") {\n" + inner(depth) + pad + "}\n";
    if (what == 4 && any(0, 2) == 0)
      return pad + "if (" + condition(depth) + ")\n" + pad + "  return;\n" + inner(depth);
    const std::string type = one_of("uint", "int", "ulong");
    std::string loop = pad + "for (" + type + " " + k + " = " +
                       one_of("0", "0", "1", "n / 2", "l", "i", "i") + "; " + k +
                       one_of(" < ", " <= ") + one_of("n", "4", "5", "w", "max(m, 0)") + "; " + k +
                       one_of(" += 1", " += 2", " += 3", " += w", " += get_global_size(0)",
                              " += get_local_size(0)") +
                       ") {\n" + body_of_loop(depth, k, pad) + pad + "}\n";
    return loop;
  }
  // All work-items of a group copy the same elements, by conditions and loops that are the same for
  // all of them.
  std::string copies() {
    if (any(0, 2))
      return "";
    std::string text = "  local int tile[64];\n"
                       "  for (uint t = l; t < 64; t += get_local_size(0)) tile[t] = 1;\n"
                       "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    for (int many = any(1, 2); many != 0; --many)
      text += any(0, 3) ? copy("0") : loop_of_copies();
    return text;
  }
  std::string loop_of_copies() {
    return std::string("  for (uint k = 0; k < ") + one_of("n", "3", "w") +
           "; k += " + one_of("1", "2") + ")\n" + copy("k");
  }
  std::string copy(const std::string &round) {
    const std::string condition =
        any(0, 2)
            ? ""
            : std::string("    if (") + one_of("g", "n", "m", "j", "g * 2") +
                  one_of(" < ", " == ", " != ", " >= ") + one_of("2", "n", "m", "read[g]") + ")\n";
    const std::string first = std::string("a + 256 + (int)(") +
                              one_of("g * 4", "g * n", "j * w * 2", "(w - g) * 3", "m", "0") +
                              one_of(" + ", " - ") + round + one_of("", " * 2", " * n") + ")",
                      count = one_of("4", "n", "n + 1", "7", "get_local_size(0)", "g + 1",
                                     "(size_t)max(m, 0)");
    const std::string call = any(0, 1)
                                 ? "async_work_group_copy(" + first + ", tile, " + count + ", 0)"
                                 : "async_work_group_strided_copy(" + first + ", tile, " + count +
                                       ", " + one_of("1", "2", "n", "5") + ", 0)";
    return condition + "    {\n      event_t event = " + call +
           ";\n      wait_group_events(1, &event);\n    }\n";
  }
  std::string inner(unsigned depth) {
    std::string text = part(depth);
    return any(0, 2) ? text : text + part(depth);
  }
  std::string body_of_loop(unsigned depth, const std::string &k, const std::string &pad) {
    std::string text = part(depth + 1);
    if (any(0, 4) == 0)
      text += pad + "  if (" + k + " == " + one_of("2", "n", "i") + ")\n" + pad + "    " +
              one_of("break", "continue", "return") + ";\n" + part(depth + 1);
    return text;
  }
  std::mt19937 random_;
};

struct Runner : OneDevice {
  Runner(const std::string &source) : OneDevice(source.c_str()), in_order(context, device) {
    for (cl::CommandQueue *queue : {&free, &free2})
      *queue = cl::CommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  struct Size {
    cl::NDRange global, local;
    cl_uint n;
    cl_int m;
  };
  cl::Buffer buffer() {
    cl::Buffer made(context, CL_MEM_READ_WRITE, words * sizeof(cl_int));
    in_order.enqueueFillBuffer(made, cl_int(0), 0, words * sizeof(cl_int));
    in_order.finish();
    return made;
  }
  void run(cl::CommandQueue &queue, const std::string &name, const Size &size, cl::Buffer &to,
           cl::Buffer &read) {
    cl::Kernel kernel(program, name.c_str());
    kernel.setArg(0, to);
    kernel.setArg(1, read);
    kernel.setArg(2, size.n);
    kernel.setArg(3, size.m);
    queue.enqueueNDRangeKernel(kernel, {}, size.global, size.local);
  }
  // False: the footprint has too many pieces.
  bool compare(const std::string &name, const Size &size) {
    cl::Buffer read = buffer(), first = buffer();
    std::vector<cl_int> touched(words);
    run(in_order, name + "_first", size, first, read);
    in_order.enqueueReadBuffer(first, CL_TRUE, 0, words * sizeof(cl_int), touched.data());
    size_t count = 0, rows = 0;
    for (size_t i = 0; i != words; ++i) {
      count += touched[i] != 0;
      rows += touched[i] && (i == 0 || !touched[i - 1]);
    }
    if (rows > most_rows)
      return false;
    for (const bool is_touched : {false, true}) {
      cl::Buffer to = buffer();
      run(free, name + (is_touched ? "_touched" : "_beside"), size, to, read);
      for (size_t i = 0; i != words; ++i)
        if (is_touched == (touched[i] != 0))
          free2.enqueueFillBuffer(to, cl_int(2), i * sizeof(cl_int), sizeof(cl_int));
      free.finish();
      free2.finish();
    }
    std::printf("%s %zu\n", name.c_str(), count);
    return true;
  }

  cl::CommandQueue in_order, free, free2;
};

} // namespace

int main(int, char **arguments) {
  const unsigned first = unsigned(std::atoi(arguments[1])),
                 count = unsigned(std::atoi(arguments[2]));
  for (unsigned seed = first; seed != first + count; ++seed) {
    std::string source;
    const std::string name = "k" + std::to_string(seed);
    for (const char *each : {"_first", "_beside", "_touched"})
      source += Writer(seed).kernel(name + each);
    if (std::getenv("SHOW"))
      std::fputs(source.c_str(), stderr);
    Runner runner(source);
    Writer sizes(seed + 1000000);
    const size_t local = size_t(1) << sizes.any(0, 2), height = size_t(sizes.any(1, 3));
    const size_t global = local * size_t(sizes.any(1, 3)) + (sizes.any(0, 7) == 0);
    runner.compare(name, {cl::NDRange(global, height), cl::NDRange(local, 1),
                          cl_uint(sizes.any(0, 6)), cl_int(sizes.any(-1, 6))});
  }
}
