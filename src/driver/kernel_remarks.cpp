#include "driver/kernel_remarks.h"

#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "platform/linux/leaked.h"
#include "platform/linux/output_file.h"
#include "support/environment.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>

namespace lockstep::compiler {
namespace {

struct Counted {
  std::string text;
  unsigned times;
};

void add(std::vector<Counted> &all, const std::vector<std::string> &more) {
  for (const std::string &text : more) {
    auto known = std::ranges::find(all, text, &Counted::text);
    if (known != all.end())
      ++known->times;
    else
      all.push_back({text, 1});
  }
}

std::string summary(const std::string &kernel, const Specialization &specialization,
                    const WorkGroupResult &result) {
  const auto &size = specialization.local_size;
  return fmt::format("kernel {}: sub-groups of {} work-item{}, {} form, compiled for {}; at most "
                     "{} bytes of stack",
                     kernel, result.sub_group_size, result.sub_group_size == 1 ? "" : "s",
                     result.has_coroutine ? "resumable" : "looped",
                     size[0] ? fmt::format("the local size {}x{}x{}", size[0], size[1], size[2])
                             : std::string("any local size"),
                     result.stack_size);
}

} // namespace

std::vector<std::string> kernel_remarks(const std::string &kernel,
                                        const Specialization &specialization,
                                        const WorkGroupResult &result,
                                        const std::vector<std::string> &from_code_generator) {
  std::vector<Counted> counted;
  add(counted, result.remarks);
  add(counted, from_code_generator);
  std::vector<std::string> remarks = {summary(kernel, specialization, result)};
  for (const Counted &remark : counted)
    remarks.push_back(remark.times == 1 ? remark.text
                                        : fmt::format("{} ({} times)", remark.text, remark.times));
  return remarks;
}

void report_remarks(const std::vector<std::string> &remarks) {
  const std::string &where = leaked([] { return environment("REMARKS").value_or("0"); });
  if (where == "0")
    return;
  std::string text;
  for (const std::string &remark : remarks)
    text += fmt::format("lockstep: remark: {}\n", remark);
  std::lock_guard lock( // several threads compile kernels
      leaked<AfterFork::make_again>([] { return new std::mutex; }));
  if (where == "1")
    std::fwrite(text.data(), 1, text.size(), stderr);
  else
    append_output("REMARKS", where, text);
}

} // namespace lockstep::compiler
