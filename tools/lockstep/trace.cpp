// lockstep trace merge: puts the traces of several processes (LOCKSTEP_TRACE) on one time axis.
#include "platform/linux/output_file.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
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
  return std::ranges::all_of(trace.events, [](const Json &event) {
    return event.is_object() && event.value("ph", "") == "M";
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

} // namespace

void add_trace(CLI::App &app, int &exit_code) {
  CLI::App *trace =
      app.add_subcommand("trace", "work with timelines that LOCKSTEP_TRACE has written");
  trace->require_subcommand(1);
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
