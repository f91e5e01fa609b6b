// lockstep doctor: checks that everything is in place, and if not, says what to do. The exit code
// is 1 if there is a problem.
#include "tools/lockstep/doctor_checks.h"
#include "tools/lockstep/opencl_session.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

struct Check {
  const char *what;
  Findings (*run)();
};

// In the order of dependence, so that a reader who starts at the top fixes causes before
// consequences.
constexpr auto checks = std::to_array<Check>({
    {"the OpenCL loader", check_loader},
    {"the platform", check_platform},
    {"the compiler", check_compiler},
    {"the SYCL compiler", check_sycl},
    {"other devices", check_devices},
    {"the disk cache", check_cache},
    {"the environment", check_environment},
    {"a kernel from source to result", check_a_kernel},
});

struct Mark {
  const char *text;
  Color color;
};

Mark mark_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::ok:
    return {"ok", Color::green};
  case Verdict::note:
    return {"note", Color::plain};
  case Verdict::warning:
    return {"warning", Color::yellow};
  case Verdict::problem:
    break;
  }
  return {"PROBLEM", Color::red};
}

Findings all_findings() {
  Findings all;
  Progress progress;
  for (const Check &check : checks) {
    progress.show(fmt::format("looking at {}", check.what));
    for (Finding &finding : check.run())
      all.push_back(std::move(finding));
  }
  return all;
}

void print_text(const Findings &findings, size_t problems) {
  for (const Finding &finding : findings) {
    Mark mark = mark_of(finding.verdict);
    fmt::print("{} {:14} {}\n", colored(mark.color, fmt::format("{:8}", mark.text)), finding.topic,
               finding.text);
    if (!finding.advice.empty())
      fmt::print("{:8} {:14} -> {}\n", "", "", finding.advice);
  }
  if (problems)
    fmt::print("\n{}\n",
               colored(Color::red, fmt::format("{} problem(s); begin with the first", problems)));
  else
    fmt::print("\n{}\n", colored(Color::green, "Lockstep is ready"));
}

void print_json(const Findings &findings) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Finding &finding : findings)
    out.push_back({{"verdict", mark_of(finding.verdict).text},
                   {"topic", finding.topic},
                   {"text", finding.text},
                   {"advice", finding.advice}});
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int run_doctor(bool json) {
  prefer_build_tree();
  Findings findings = all_findings();
  size_t problems = 0;
  for (const Finding &finding : findings)
    problems += finding.verdict == Verdict::problem;
  if (json)
    print_json(findings);
  else
    print_text(findings, problems);
  return problems ? 1 : 0;
}

} // namespace

void add_doctor(CLI::App &app, int &exit_code) {
  CLI::App *doctor = app.add_subcommand(
      "doctor", "find out whether Lockstep can work here, and what to do if not");
  auto json = std::make_shared<bool>(false);
  doctor->add_flag("--json", *json, "as JSON");
  doctor->footer("Looks at the OpenCL loader and its list of platforms, at versions, libraries and "
                 "the disk cache, and\n"
                 "runs a kernel. Exit code 1 if there is a problem.");
  doctor->callback([json, &exit_code] { exit_code = run_doctor(*json); });
}

} // namespace lockstep::cli
