// lockstep trace: runs a program with LOCKSTEP_TRACE, draws the graph of commands in a trace, and puts
// the traces of several processes on one time axis.
#include "platform/linux/output_file.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ProcessTrace {
  Json events;
  uint64_t start_ns = 0; // time of day
  uint64_t rank = 0, process = 0;
  std::string host;
  int first_group = 0; // the number of its commands in "pid"; that of its threads follows
};

// A process that was killed leaves an array without an end, and perhaps half an event.
Json parse_events(const std::string &text) {
  Json events = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (events.is_discarded())
    events = Json::parse(text + "\n]", nullptr, false);
  if (const auto last = text.rfind(",\n"); events.is_discarded() && last != text.npos)
    events = Json::parse(text.substr(0, last) + "\n]", nullptr, false);
  return events;
}

Result<ProcessTrace> read_trace(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof())
    return Error{ErrorKind::io_failure, fmt::format("{} cannot be read", file)};
  const Error other{ErrorKind::invalid_argument,
                    fmt::format("{} is not a trace of Lockstep (LOCKSTEP_TRACE)", file)};
  ProcessTrace trace;
  trace.events = parse_events(text);
  if (!trace.events.is_array())
    return other;
  try {
    for (const Json &event : trace.events)
      if (event.at("name") == "lockstep_process") {
        const Json &of = event.at("args");
        trace.first_group = event.at("pid");
        trace.start_ns = std::stoull(of.at("start_unix_ns").get<std::string>());
        trace.host = of.at("host");
        trace.process = of.at("process");
        trace.rank = of.value("rank", uint64_t{0});
        return trace;
      }
  } catch (const std::exception &) { // of nlohmann::json and std::stoull: other types of values
    return other;
  }
  return other;
}

// Moves an event of the process number `index` to the time axis that begins at `begin_ns`.
void move_event(Json &event, const ProcessTrace &from, std::size_t index, uint64_t begin_ns) {
  const double later = double(from.start_ns - begin_ns) / 1000;
  const int group = int(2 * index) + 1 + event.at("pid").get<int>() - from.first_group;
  event["pid"] = group;
  if (event.contains("ts"))
    event["ts"] = event["ts"].get<double>() + later;
  if (event.contains("id")) // arrows and asynchronous bars are matched by it
    event["id"] = fmt::format("{}.{}", index, event["id"].dump());
  if (!event.contains("args"))
    return;
  Json &args = event["args"];
  if (args.contains("sort_index"))
    args["sort_index"] = group;
  for (const char *time : {"made", "ready"})
    if (args.contains(time))
      args[time] = args[time].get<double>() + later;
}

bool ran_nothing(const ProcessTrace &trace) {
  return std::ranges::none_of(trace.events, [](const Json &event) {
    return event.is_object() && event.value("cat", "") == "command";
  });
}

int merge(const std::vector<std::string> &files, const std::string &output) {
  std::vector<ProcessTrace> traces;
  for (const std::string &file : files) {
    auto trace = read_trace(file);
    if (!trace)
      return report(trace.error());
    traces.push_back(std::move(*trace));
  }
  // Such as mpirun, which may load Lockstep to look at the host's devices.
  const std::size_t idle = std::erase_if(traces, ran_nothing);
  if (traces.empty())
    return report({ErrorKind::invalid_argument, "none of the processes ran a command"});
  std::ranges::sort(traces, {}, [](const ProcessTrace &trace) {
    return std::tuple(trace.rank, trace.host, trace.start_ns, trace.process);
  });
  const uint64_t begin = std::ranges::min(traces, {}, &ProcessTrace::start_ns).start_ns;
  std::string text = "[";
  try {
    for (std::size_t i = 0; i < traces.size(); ++i)
      for (Json &event : traces[i].events) {
        move_event(event, traces[i], i, begin);
        text += text.size() == 1 ? "\n" : ",\n";
        text += event.dump(-1, ' ', false, Json::error_handler_t::replace);
      }
  } catch (const Json::exception &problem) {
    return report({ErrorKind::invalid_argument,
                   fmt::format("an event is not one of Lockstep: {}", problem.what())});
  }
  text += "\n]\n";
  if (output == "-") {
    fmt::print("{}", text);
    return 0;
  }
  const auto file = open_output(output, OutputMode::replace);
  const auto written = file ? write_all(file->get(), text) : Result<void>(file.error());
  if (!written)
    return report({ErrorKind::io_failure,
                   fmt::format("{} cannot be written: {}", output, written.error().message)});
  fmt::print("{} process{} in {}{}\n", traces.size(), traces.size() == 1 ? "" : "es", output,
             idle ? fmt::format("; {} more ran no command", idle) : "");
  return 0;
}

// The graph of commands in the language of Graphviz.
int print_graph(const std::string &file) {
  const auto trace = read_trace(file);
  if (!trace)
    return report(trace.error());
  std::string text = "digraph commands {\n  node [shape=box];\n";
  try {
    for (const Json &event : trace->events) {
      if (event.value("ph", "") != "X" || event.value("cat", "") != "command")
        continue;
      const Json &args = event.at("args");
      const auto number = args.at("command").get<uint64_t>();
      const std::string name = event.at("name"),
                        sizes = args.contains("global_size") ? args["global_size"].dump()
                                : args.contains("bytes")     ? args["bytes"].dump() + " bytes"
                                                             : "";
      text += fmt::format(
          "  c{} [label={}];\n", number,
          Json(fmt::format("{} {}{}{}\n{:.3f} ms", number, name, sizes.empty() ? "" : "\n", sizes,
                           event.at("dur").get<double>() / 1000))
              .dump());
      const Json because = args.value("because", Json::object());
      for (const Json &before : args.at("after")) {
        const std::string memory = because.value(before.dump(), "");
        text += fmt::format("  c{} -> c{}{};\n", before.get<uint64_t>(), number,
                            memory.empty() ? "" : fmt::format(" [label={}]", Json(memory).dump()));
      }
    }
  } catch (const Json::exception &problem) {
    return report({ErrorKind::invalid_argument,
                   fmt::format("an event is not one of Lockstep: {}", problem.what())});
  }
  fmt::print("{}}}\n", text);
  return 0;
}

// Returns the status of the program.
int trace_program(const std::vector<std::string> &app, const std::string &output) {
  std::vector<char *> arguments;
  for (const std::string &argument : app)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::error_code failed;
  const auto written_before = std::filesystem::last_write_time(output, failed);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LOCKSTEP_TRACE", std::filesystem::absolute(output).c_str(), 1);
    execvp(arguments[0], arguments.data());
    fmt::print(stderr, "lockstep trace: '{}' cannot be run: {}\n", app[0], std::strerror(errno));
    _exit(127);
  }
  signal(SIGINT, SIG_IGN); // the program gets it from the terminal
  signal(SIGQUIT, SIG_IGN);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return report({ErrorKind::out_of_resources, "no process can be started"});
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const auto written = std::filesystem::last_write_time(output, failed);
  const bool is_traced = output.find('%') != output.npos || (!failed && written != written_before);
  if (code != 127 && !is_traced)
    fmt::print(stderr, "lockstep trace: nothing was traced: the program did not use Lockstep\n");
  else if (code != 127)
    fmt::print(stderr, "lockstep trace: {}; ui.perfetto.dev and chrome://tracing show it\n",
               output);
  return code;
}

} // namespace

void add_trace(CLI::App &app, int &exit_code) {
  CLI::App *trace = app.add_subcommand("trace", "write a timeline of what a program runs");
  trace->require_subcommand(0, 1);
  struct Wanted {
    std::vector<std::string> app;
    std::string output = "trace.json", graph_of;
  };
  auto wanted = std::make_shared<Wanted>();
  trace->add_option("-o,--output", wanted->output, "the timeline; %p in the name is the process")
      ->capture_default_str();
  trace->add_option("--dot", wanted->graph_of,
                    "print the graph of commands in this timeline, for Graphviz; no program runs");
  trace->add_option("app", wanted->app, "the program and its arguments");
  trace->positionals_at_end();
  trace->prefix_command();
  trace->footer("Examples:\n"
                "  lockstep trace ./app its arguments          # trace.json, for ui.perfetto.dev\n"
                "  lockstep trace --dot trace.json | dot -Tsvg > graph.svg");
  trace->callback([trace, wanted, &exit_code] {
    if (!trace->get_subcommands().empty())
      return;
    if (!wanted->graph_of.empty())
      exit_code = print_graph(wanted->graph_of);
    else if (!wanted->app.empty())
      exit_code = trace_program(wanted->app, wanted->output);
    else
      exit_code = report(
          {ErrorKind::invalid_argument, "trace: which program? See `lockstep trace --help`"});
  });
  CLI::App *merging =
      trace->add_subcommand("merge", "put the traces of several processes into one");
  auto files = std::make_shared<std::vector<std::string>>();
  auto output = std::make_shared<std::string>("-");
  merging->add_option("file", *files, "traces of Lockstep, one for each process")
      ->required()
      ->check(CLI::ExistingFile);
  merging->add_option("-o,--output", *output, "the file to write; - is the standard output")
      ->capture_default_str();
  merging->footer(
      "Processes are aligned by the clocks of their hosts, which differ by milliseconds without\n"
      "care (NTP, PTP).\n\n"
      "Example:\n"
      "  LOCKSTEP_TRACE=trace-%h-%r.json mpirun -n 4 ./program\n"
      "  lockstep trace merge trace-*.json -o all.json   # for ui.perfetto.dev");
  merging->callback([files, output, &exit_code] { exit_code = merge(*files, *output); });
}

} // namespace lockstep::cli
