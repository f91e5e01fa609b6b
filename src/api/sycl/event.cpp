#include "api/sycl/event.h"

#include "api/sycl/host_access.h"
#include "api/sycl/of_process.h"
#include "api/sycl/queries.h"
#include "api/sycl/queue.h"

namespace lockstep::sycl_api {
namespace {

using sycl::info::event_command_status;

event_command_status status_of(const Event &event) {
  if (!event.command())
    return event_command_status::complete;
  const runtime::Status status = event.command()->status_for_program();
  if (runtime::is_settled(status))
    return event_command_status::complete;
  return status == runtime::status::running ? event_command_status::running
                                            : event_command_status::submitted;
}

constexpr QueryRow<Event> rows[] = {
    query_row<sycl::info::event::command_execution_status, Event, status_of>(),
};

} // namespace

void Event::check_runs() const {
  check_process("this event");
  if (node_)
    raise(sycl::errc::invalid,
          "an event of a command that a queue recorded is waited for or asked; "
          "the command runs as part of its graph (sycl_ext_oneapi_graph, event "
          "limitations)");
}

void Event::wait() {
  check_runs();
  if (command_)
    wait_on_host(command_);
}

void Event::throw_asynchronous() {
  check_process("this event");
  if (errors_)
    errors_->deliver();
}

std::vector<sycl::detail::event_pointer> Event::wait_list() {
  check_process("this event");
  std::vector<sycl::detail::event_pointer> all;
  for (const runtime::CommandRef &command : after_)
    all.push_back(make_of_process<Event>(command, std::vector<runtime::CommandRef>(), errors_,
                                         has_times_, context_));
  return all;
}

std::uint64_t Event::profiling_time(int number) {
  check_runs();
  if (!has_times_)
    raise(sycl::errc::invalid, "profiling information is asked of an event whose queue was made "
                               "without enable_profiling (SYCL 2020 section 4.6.6.1)");
  command_->wait();
  const runtime::CommandTimes &times = command_->times();
  if (number == sycl::info::event_profiling::command_submit::number)
    return times.queued;
  // A command without work starts and ends when it is settled.
  const std::uint64_t ended = times.ended ? times.ended : times.completed;
  if (number == sycl::info::event_profiling::command_start::number)
    return times.started ? times.started : ended;
  return ended;
}

void Event::get_info(int number, void *to) const {
  check_runs();
  answer_query<Event>(rows, *this, number, to);
}

} // namespace lockstep::sycl_api
