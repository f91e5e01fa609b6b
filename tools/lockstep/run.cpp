// lockstep run: runs one kernel of a file with arguments from the command line, then prints,
// compares or saves the results. It works with any OpenCL platform, so a doubtful result can be
// compared with another implementation.
#include "tools/lockstep/kernel_run.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"
#include "tools/lockstep/value_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

// The texts that CLI11 returns.
struct Texts {
  std::string global, local, offset;
  std::vector<std::string> arguments, prints, comparisons, saves;
};

Error wrong_option(std::string sentence) {
  return {ErrorKind::invalid_argument, std::move(sentence)};
}

Result<Sizes> parse_sizes(const std::string &text, std::string_view option, bool zero_allowed) {
  Sizes sizes;
  if (text.empty())
    return sizes;
  std::vector<std::string> parts = split(text, ',');
  if (parts.size() > 3)
    return wrong_option(fmt::format("{} {}: at most three dimensions", option, text));
  for (const std::string &part : parts) {
    auto size = zero_allowed && part == "0" ? Result<size_t>(size_t(0)) : parse_count(part, "size");
    if (!size)
      return wrong_option(fmt::format("{} {}: {}", option, text, size.error().message));
    sizes.values[sizes.dimensions++] = *size;
  }
  return sizes;
}

Result<PrintRequest> parse_print(const std::string &text) {
  size_t colon = text.find(':');
  PrintRequest request{text.substr(0, colon), std::nullopt};
  if (colon != std::string::npos) {
    auto count = parse_count(std::string_view(text).substr(colon + 1), "number of elements");
    if (!count)
      return wrong_option(fmt::format("--print {}: {}", text, count.error().message));
    request.count = *count;
  }
  return request;
}

Result<void> parse_ranges(const Texts &texts, RunRequest &request) {
  auto global = parse_sizes(texts.global, "--global", false),
       local = parse_sizes(texts.local, "--local", false),
       offset = parse_sizes(texts.offset, "--offset", true);
  for (auto *sizes : {&global, &local, &offset}) {
    if (!*sizes)
      return sizes->take_error();
    if ((*sizes)->dimensions != 0 && (*sizes)->dimensions != global->dimensions)
      return wrong_option(
          fmt::format("--global has {} dimensions; --local and --offset must have as many",
                      global->dimensions));
  }
  request.global = *global;
  request.local = *local;
  request.offset = *offset;
  return {};
}

// Parses each text and appends the result.
template <class T, class Parse>
Result<void> parse_each(const std::vector<std::string> &texts, std::vector<T> &results,
                        Parse parse) {
  for (const std::string &text : texts) {
    auto result = parse(text);
    if (!result)
      return result.take_error();
    results.push_back(std::move(*result));
  }
  return {};
}

Result<void> parse(const Texts &texts, RunRequest &request) {
  LOCKSTEP_TRY(parse_ranges(texts, request));
  LOCKSTEP_TRY(parse_each(texts.arguments, request.arguments,
                          [](auto &text) { return parse_argument(text); }));
  LOCKSTEP_TRY(
      parse_each(texts.prints, request.prints, [](auto &text) { return parse_print(text); }));
  LOCKSTEP_TRY(parse_each(texts.comparisons, request.expectations,
                          [](auto &text) { return parse_expectation(text); }));
  return parse_each(texts.saves, request.saves,
                    [](auto &text) { return split_at_equals(text, "--save"); });
}

Result<void> print_times(KernelRun &run, size_t repeat) {
  std::vector<double> times;
  Progress progress;
  for (size_t i = 0; i < repeat; ++i) {
    if (repeat > 1)
      progress.show(fmt::format("launch {} of {}", i + 1, repeat));
    auto seconds = run.launch();
    if (!seconds)
      return seconds.take_error();
    times.push_back(*seconds);
  }
  progress.clear();
  if (repeat == 1)
    return {};
  std::sort(times.begin(), times.end());
  fmt::print("{}: {} launches, shortest {}, median {}, longest {}\n", run.kernel_name(), repeat,
             time_text(times.front()), time_text(times[times.size() / 2]), time_text(times.back()));
  return {};
}

Result<void> print(const KernelRun &run, const RunRequest &request, const PrintRequest &what) {
  auto index = run.find_argument(what.argument);
  if (!index)
    return index.take_error();
  auto bytes = run.read(*index);
  if (!bytes)
    return bytes.take_error();
  const ElementType &type = request.arguments[*index].type;
  size_t elements = bytes->size() / type.size(),
         shown = std::min(what.count.value_or(64), elements);
  std::string line = fmt::format("{}:", what.argument);
  for (size_t i = 0; i < shown; ++i)
    line += " " + element_text(type, bytes->data() + i * type.size());
  if (shown < elements && !what.count)
    line += fmt::format(" ... ({} more)", elements - shown);
  fmt::print("{}\n", line);
  return {};
}

// Returns true if they are equal.
Result<bool> compare_with(const KernelRun &run, const RunRequest &request,
                          const Expectation &expectation) {
  auto index = run.find_argument(expectation.argument);
  if (!index)
    return index.take_error();
  auto actual = run.read(*index);
  if (!actual)
    return actual.take_error();
  const ElementType &type = request.arguments[*index].type;
  auto expected = make_bytes(type, actual->size() / type.size(), expectation.fill);
  if (!expected)
    return wrong_option(
        fmt::format("--compare {}: {}", expectation.argument, expected.error().message));
  Difference difference = compare(type, *actual, *expected, expectation.tolerance);
  size_t scalars = actual->size() / type.size() * type.width;
  if (difference.count == 0) {
    fmt::print("{} {}: {} values\n", colored(Color::green, "equal"), expectation.argument, scalars);
    return true;
  }
  size_t at =
      difference.first_element * type.size() + difference.first_lane * scalar_size(type.scalar);
  fmt::print("{} {}: {} of {} values; the first at element {}{}: {} instead of {}; largest "
             "difference {:g}\n",
             colored(Color::red, "different"), expectation.argument, difference.count, scalars,
             difference.first_element,
             type.width > 1 ? fmt::format(" lane {}", difference.first_lane) : "",
             number_text(type.scalar, &(*actual)[at]), number_text(type.scalar, &(*expected)[at]),
             difference.largest);
  return false;
}

Result<void> save(const KernelRun &run, const std::pair<std::string, std::string> &what) {
  auto index = run.find_argument(what.first);
  if (!index)
    return index.take_error();
  auto bytes = run.read(*index);
  if (!bytes)
    return bytes.take_error();
  return write_file(what.second, bytes->data(), bytes->size());
}

Result<bool> run_kernel(const Texts &texts, RunRequest &request) {
  LOCKSTEP_TRY(parse(texts, request));
  auto run = KernelRun::prepare(request);
  if (!run)
    return run.take_error();
  // Check --print first, so that an invalid one fails before a long run.
  for (const PrintRequest &what : request.prints)
    if (auto index = run->find_argument(what.argument); !index)
      return index.take_error();
  LOCKSTEP_TRY(print_times(*run, request.repeat));
  for (const PrintRequest &what : request.prints)
    LOCKSTEP_TRY(print(*run, request, what));
  for (const auto &what : request.saves)
    LOCKSTEP_TRY(save(*run, what));
  bool equal = true;
  for (const Expectation &expectation : request.expectations) {
    auto result = compare_with(*run, request, expectation);
    if (!result)
      return result;
    equal &= *result;
  }
  return equal;
}

constexpr const char *argument_help =
    "Arguments, one --arg for each in the kernel's order:\n"
    "  buf:TYPE:COUNT[=FILL]   a buffer: buf:float:1024=iota; the count may be left out if FILL is "
    "a file or a list\n"
    "  TYPE=VALUE[,VALUE...]   by value: int=5, float=1.5, float4=1,2,3,4\n"
    "  local:BYTES             local memory; also local:TYPE:COUNT\n"
    "  hex:BYTES               a struct by value, byte by byte: hex:0100000000008040\n"
    "  null                    a null pointer\n"
    "FILL is zeros, none (not written), iota[:START[:STEP]], random[:SEED[:LOW:HIGH]], "
    "file:PATH (raw bytes) or "
    "VALUE[,VALUE...] (repeated).\n"
    "TYPE is an OpenCL C scalar or vector. ARG is an argument's index, from 0, or its name.\n"
    "\n"
    "Examples:\n"
    "  lockstep run add.cl -k add --global 1024 --local 64 --arg buf:float:1024=iota --arg "
    "buf:float:1024=1 \\\n"
    "      --arg buf:float:1024 --print 2:8 --compare 2=iota:1\n"
    "  lockstep run sum.cl --global 4096 --arg buf:int:4096=random:7 --arg local:int:64 --arg "
    "buf:int:64 --repeat 100\n"
    "  lockstep run a.cl --global 64 --arg buf:float:64=file:in.bin --save 0=out.bin --platform "
    "'Portable Computing Language'\n"
    "Exit code: 0 fine, 1 a comparison or the run failed, 2 the request was wrong.";

} // namespace

// Replaces this process by `lockstep check`, which starts the same command again.
[[noreturn]] static void run_again_with_check() {
  std::ifstream own("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(own, word, '\0');)
    if (word != "--check")
      words.push_back(word);
  std::vector<char *> arguments;
  std::string self = "/proc/self/exe", name = words.front(), check = "check";
  if (char *path = realpath(self.c_str(), nullptr)) {
    words.front() = path;
    std::free(path);
  }
  arguments = {name.data(), check.data()};
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(self.c_str(), arguments.data());
  fmt::print(stderr, "lockstep run: the checker cannot be started: {}\n", std::strerror(errno));
  std::exit(1);
}

void add_run(CLI::App &app, int &exit_code) {
  CLI::App *command =
      app.add_subcommand("run", "run a kernel with arguments described on the command line");
  auto request = std::make_shared<RunRequest>();
  auto texts = std::make_shared<Texts>();
  command->add_option("FILE", request->file, "OpenCL C source, or a SPIR-V module")->required();
  command->add_option("-k,--kernel", request->kernel,
                      "which kernel; not needed if there is only one");
  command->add_option("--global", texts->global, "X[,Y[,Z]]: number of work-items")->required();
  command->add_option("--local", texts->local,
                      "X[,Y[,Z]]: work-group size (default: the platform chooses)");
  command->add_option("--offset", texts->offset, "X[,Y[,Z]]: global offset");
  auto repeated = [&](const char *name, std::vector<std::string> &values, const char *description) {
    command->add_option(name, values, description)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  };
  repeated("--arg", texts->arguments, "an argument; see below");
  repeated("--print", texts->prints, "ARG[:COUNT]: print a buffer afterwards");
  repeated("--compare", texts->comparisons, "ARG=FILL[~TOLERANCE]: compare a buffer afterwards");
  repeated("--save", texts->saves, "ARG=PATH: write a buffer's bytes to a file");
  command->add_option("--repeat", request->repeat, "launch so often and print times")
      ->check(CLI::PositiveNumber);
  command->add_option("--options", request->build_options, "build options, as for clBuildProgram");
  command->add_option("--platform", request->platform, "OpenCL platform to run on")
      ->capture_default_str();
  command
      ->add_option(
          "--device", request->device,
          "which device of the platform: its number from 0, cpu, gpu, or a part of its name "
          "or vendor, such as nvidia")
      ->capture_default_str();
  auto is_checked = std::make_shared<bool>(false);
  command->add_flag("--check", *is_checked, "as `lockstep check lockstep run ...` does");
  command->footer(argument_help);
  command->callback([request, texts, is_checked, &exit_code] {
    if (*is_checked)
      run_again_with_check();
    auto equal = run_kernel(*texts, *request);
    exit_code = !equal ? report(equal.error()) : *equal ? 0 : 1;
  });
}

} // namespace lockstep::cli
