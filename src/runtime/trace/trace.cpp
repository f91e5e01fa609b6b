#include "runtime/trace/trace.h"

#include "platform/linux/fork.h"
#include "platform/linux/output_file.h"
#include "platform/linux/process_end.h"
#include "runtime/device/kernel.h"
#include "runtime/device/launch_names.h"
#include "runtime/graph/command_queue.h"
#include "runtime/memory/transfer_name.h"
#include "support/environment.h"
#include "support/json.h"
#include "support/message.h"
#include "support/ranks.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <pthread.h>
#include <set>
#include <unistd.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 10;

// Three decimals, so that the precision is that of nanoseconds.
std::string microseconds(uint64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string name_of(const Command &command, bool is_enqueued) {
  Operation *operation = command.operation();
  if (command.is_user_event())
    return "user event";
  if (!operation)
    return is_enqueued ? "marker" : "all so far";
  if (Launch *launch = operation->launch())
    return shown_name(launch->kernel());
  if (operation->is_host_code())
    return "host task";
  if (HostWork *host = operation->host(); host && host->parts() == 0)
    return "nothing to move"; // a map of memory that the host has, or an empty launch
  return transfer_name(operation->accesses());
}

std::string size_text(const Listener::Size &size) {
  return fmt::format("[{},{},{}]", size[0], size[1], size[2]);
}

std::string accesses_of(const Command &command) {
  static constexpr const char *names[] = {"read", "write", "read_write", "overwrite"};
  std::string text;
  if (const Operation *operation = command.operation())
    for (const Access &access : operation->accesses())
      text += fmt::format(R"({}{{"argument":{},"mode":"{}","address":"{}","bytes":{}}})",
                          text.empty() ? "" : ",", access.argument, names[int(access.mode)],
                          fmt::ptr(access.memory.data()), access.memory.size());
  return text;
}

// The sizes of a launch, and the bytes that any other command may read and write.
std::string sizes_of(const Command &command) {
  Operation *operation = command.operation();
  if (!operation)
    return "";
  if (const Launch *launch = operation->launch()) {
    const Listener::Size global = launch->global_size();
    return (global[0] ? fmt::format(R"("global_size":{},)", size_text(global)) : "") +
           fmt::format(R"("local_size":{},)", size_text(launch->local_size()));
  }
  uint64_t bytes = 0;
  for (const Access &access : operation->accesses())
    bytes = std::max<uint64_t>(bytes, access.memory.size());
  return bytes ? fmt::format(R"("bytes":{},)", bytes) : "";
}

// Replaces %p, %h and %r.
std::string with_process(const std::string &pattern) {
  const auto rank = rank_of_process();
  std::string file;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char kind = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (kind == 'p')
      file += std::to_string(getpid());
    else if (kind == 'h')
      file += host_name();
    else if (kind == 'r')
      file += rank ? std::to_string(*rank) : "none"; // mpirun may load Lockstep, too
    else {
      file += pattern[i];
      continue;
    }
    ++i;
  }
  return file;
}

uint64_t time_of_day() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
}

} // namespace

// One of the ranges of memory that a command accesses, for the arrows.
struct Touched {
  const std::byte *begin = nullptr, *end = nullptr;
  bool is_written = false;
  std::string name; // in a kernel; empty: not known
  std::size_t bytes = 0;
};

static std::vector<Touched> touched_by(const Command &command) {
  std::vector<Touched> all;
  Operation *operation = command.operation();
  if (!operation)
    return all;
  const Launch *launch = operation->launch();
  for (const Access &access : operation->accesses()) {
    const std::byte *begin = access.memory.data();
    all.push_back({begin, begin + access.memory.size(), writes(access.mode),
                   launch ? name_of_access(*launch, access) : std::string(), access.memory.size()});
  }
  return all;
}

// "memory of 4096 bytes, accessor 'out' before, accessor 'in' after": what orders two commands.
// Empty: they share no memory that is known here.
static std::string shared_by(const std::vector<Touched> &before,
                             const std::vector<Touched> &after) {
  std::string text;
  for (const Touched &first : before)
    for (const Touched &second : after)
      if (first.begin < second.end && second.begin < first.end &&
          (first.is_written || second.is_written)) {
        const auto name = [](const Touched &one) {
          return one.name.empty() ? std::string("memory") : one.name;
        };
        text += fmt::format("{}{} -> {}", text.empty() ? "" : ", ", name(first), name(second));
      }
  return text;
}

struct Trace::Node {
  uint64_t number = 0;
  const CommandQueue *queue = nullptr;
  uint64_t made = 0, ready = 0, begun = 0, ended = 0;
  Row *row = nullptr; // row while the command runs; null before
  unsigned row_number = 0;
  std::vector<std::pair<std::shared_ptr<const Node>, EdgeKind>> before; // cleared at its end
  std::vector<Touched> touched;                                         // set at its end
};

Trace::Trace(const std::string &file, bool with_groups)
    : with_groups_(with_groups), process_(getpid()),
      commands_group_(int(2 * rank_of_process().value_or(0) + 1)),
      threads_group_(commands_group_ + 1), start_(now_nanoseconds()) {
  const std::string name = with_process(file);
  auto opened = open_output(name, OutputMode::replace);
  if (!opened) {
    print_message("LOCKSTEP_TRACE=%s: %s", name.c_str(), opened.error().message.c_str());
    return;
  }
  file_ = opened->release();
  add_process();
  add_listener(*this);
}

// `lockstep trace merge` puts traces of several processes on one time axis by the time of day.
void Trace::add_process() {
  const auto rank = rank_of_process();
  const std::string host = host_name();
  const std::string of_rank = rank ? fmt::format("rank {} on {}: ", *rank, host) : std::string();
  for (auto [group, what] : {std::pair(commands_group_, "commands"), {threads_group_, "threads"}}) {
    add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", group,
                    json_string(fmt::format("{}{} of {} ({})", of_rank, what,
                                            program_invocation_short_name, process_))));
    add(fmt::format(
        R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", group,
        group));
  }
  add(fmt::format(
      R"({{"ph":"M","name":"lockstep_process","pid":{},"args":{{"host":{},"process":{},)"
      R"({}"start_unix_ns":"{}"}}}})",
      commands_group_, json_string(host), process_,
      rank ? fmt::format(R"("rank":{},)", *rank) : std::string(), time_of_day()));
}

Trace::~Trace() {
  remove_listener(*this);
  close();
}

void Trace::close() {
  const std::unique_lock lock = lock_at_end(mutex_);
  if (!lock || file_ < 0 || getpid() != process_)
    return;
  write(); // written first, so that adding the end allocates nothing
  text_ += "\n]\n";
  write();
  ::close(std::exchange(file_, -1));
}

// ---- commands

void Trace::command_made(const Command &command) {
  std::lock_guard lock(mutex_);
  auto node = nodes_[&command] = std::make_shared<Node>();
  node->number = ++commands_;
  node->made = now_nanoseconds();
  if (command.is_user_event()) // begins now, and lasts until the program settles it
    begin(*node, node->made);
}

std::shared_ptr<Trace::Node> Trace::node_of(const Command &command) {
  auto found = nodes_.find(&command);
  return found == nodes_.end() ? nullptr : found->second; // made before the listener was added
}

void Trace::command_enqueued(const Command &command, const CommandQueue &queue) {
  std::lock_guard lock(mutex_);
  if (auto node = node_of(command))
    node->queue = &queue;
}

void Trace::edge_added(const Command &before, const Command &after, EdgeKind kind) {
  std::lock_guard lock(mutex_);
  auto from = node_of(before), to = node_of(after);
  if (from && to)
    to->before.emplace_back(std::move(from), kind);
}

void Trace::command_ready(const Command &command) {
  std::lock_guard lock(mutex_);
  if (auto node = node_of(command))
    node->ready = now_nanoseconds();
}

void Trace::command_begun(const Command &command) {
  std::lock_guard lock(mutex_);
  if (auto node = node_of(command))
    begin(*node, now_nanoseconds());
}

void Trace::begin(Node &node, uint64_t time) {
  node.begun = time;
  node.row = &take_row(node.queue);
  node.row_number = node.row->number;
}

Trace::Row &Trace::take_row(const CommandQueue *queue) {
  auto [found, is_new] = queues_.try_emplace(queue);
  auto &[number, rows] = found->second;
  if (is_new)
    number = queue ? unsigned(queues_.size() - queues_.count(nullptr)) : 0;
  for (auto &row : rows)
    if (!std::exchange(row->is_taken, true))
      return *row;
  rows.push_back(std::make_unique<Row>(++rows_, true));
  std::string name = "no queue";
  if (queue)
    name = fmt::format("queue {}, {}", number,
                       queue->order() == QueueOrder::in_order ? "in order" : "out of order");
  name_row(commands_group_, int(rows_), name);
  return *rows.back();
}

void Trace::command_ended(const Command &command, Status status) {
  std::lock_guard lock(mutex_);
  auto node = node_of(command);
  if (!node)
    return;
  node->ended = now_nanoseconds();
  if (!node->row) // failed before it began
    begin(*node, node->ended);
  node->row->is_taken = false;
  if (Operation *operation = command.operation(); operation && operation->launch())
    for (auto &[thread, share] : shares_)
      if (share.launch == operation->launch())
        end_share(thread, share, node->number);
  node->touched = touched_by(command);
  std::string before, because;
  std::set<uint64_t> numbers; // several edges may lead from one command
  for (const auto &[other, kind] : node->before)
    if (numbers.insert(other->number).second) {
      before += fmt::format("{}{}", before.empty() ? "" : ",", other->number);
      if (const std::string shared = shared_by(other->touched, node->touched); !shared.empty())
        because += fmt::format(R"({}"{}":{})", because.empty() ? "" : ",", other->number,
                               json_string(shared));
    }
  Operation *operation = command.operation();
  const std::string waits = operation && operation->launch() ? end_waits(*operation->launch()) : "";
  add(fmt::format(R"({{"ph":"X","cat":"command","name":{},"pid":{},"tid":{},"ts":{},"dur":{},)"
                  R"("args":{{"command":{},{}{}"status":{},"made":{},"ready":{},"after":[{}],)"
                  R"("because":{{{}}},"accesses":[{}]}}}})",
                  json_string(name_of(command, node->queue)), commands_group_, node->row_number,
                  microseconds(node->begun - start_), microseconds(node->ended - node->begun),
                  node->number, sizes_of(command), waits, status, microseconds(node->made - start_),
                  microseconds(node->ready ? node->ready - start_ : 0), before, because,
                  accesses_of(command)));
  add_arrows(*node);
}

// An arrow must begin inside a bar, so it begins one nanosecond before the bar's end.
void Trace::add_arrows(Node &node) {
  for (const auto &[other, kind] : std::exchange(node.before, {})) {
    const char *name = kind == EdgeKind::needs ? "needs" : "after";
    const uint64_t from = std::max(other->begun, std::max<uint64_t>(other->ended, 1) - 1);
    const std::string shared = shared_by(other->touched, node.touched);
    const std::string arguments =
        shared.empty() ? "" : fmt::format(R"(,"args":{{"memory":{}}})", json_string(shared));
    add(fmt::format(R"({{"ph":"s","cat":"edge","name":"{}","id":{},"pid":{},"tid":{},"ts":{}{}}})",
                    name, ++arrows_, commands_group_, other->row_number,
                    microseconds(from - start_), arguments));
    add(fmt::format(R"({{"ph":"f","bp":"e","cat":"edge","name":"{}","id":{},"pid":{},"tid":{},)"
                    R"("ts":{}{}}})",
                    name, arrows_, commands_group_, node.row_number,
                    microseconds(node.begun - start_), arguments));
  }
}

void Trace::command_gone(const Command &command) {
  std::lock_guard lock(mutex_);
  nodes_.erase(&command);
}

void Trace::command_awaited(const Command &) {
  std::lock_guard lock(mutex_);
  write();
}

// ---- work-groups

void Trace::groups_begun(const Launch &launch, const Size &id, const Size &count) {
  std::lock_guard lock(mutex_);
  const int thread = gettid();
  add_thread(thread);
  if (!with_groups_) {
    Share &share = shares_[thread];
    if (share.launch != &launch) {
      end_share(thread, share, 0);
      const uint64_t now = now_nanoseconds();
      share = {&launch, shown_name(launch.kernel()), now, now};
    }
    share.groups += count[0] * count[1] * count[2];
    return;
  }
  runs_[{&launch, id}] = {now_nanoseconds(), threads_[thread] = ++serial_, thread};
}

// Waiting groups overlap others in the same thread, and bars of a thread must not overlap. So they
// become asynchronous bars.
void Trace::groups_ended(const Launch &launch, const Size &id, const Size &count) {
  std::lock_guard lock(mutex_);
  if (!with_groups_) {
    Share &share = shares_[gettid()];
    if (share.launch == &launch)
      share.ended = now_nanoseconds();
    return;
  }
  auto found = runs_.find({&launch, id});
  if (found == runs_.end())
    return;
  const Run run = found->second;
  runs_.erase(found);
  const uint64_t ended = now_nanoseconds();
  const std::string name = json_string(shown_name(launch.kernel()));
  const std::string arguments =
      fmt::format(R"("args":{{"group":{},"count":{}}})", size_text(id), size_text(count));
  if (run.thread == gettid() && threads_[run.thread] == run.serial) {
    add(fmt::format(R"({{"ph":"X","cat":"group","name":{},"pid":{},"tid":{},"ts":{},"dur":{},{}}})",
                    name, threads_group_, run.thread, microseconds(run.begun - start_),
                    microseconds(ended - run.begun), arguments));
    return;
  }
  for (auto [phase, time] : {std::pair('b', run.begun), {'e', ended}})
    add(fmt::format(R"({{"ph":"{}","cat":"group","name":{},"id":{},"pid":{},"tid":{},"ts":{},{}}})",
                    phase, name, run.serial, threads_group_, run.thread,
                    microseconds(time - start_), arguments));
}

// ---- waits of work-groups

void Trace::group_waits(const Launch &launch, const Size &id, const Place &place) {
  std::lock_guard lock(mutex_);
  Waits &waits = waits_[&launch];
  if (waits.kernel.empty())
    waits.kernel = shown_name(launch.kernel());
  const uint64_t now = now_nanoseconds();
  Wait &wait = waits.now[id];
  wait = {now, ++serial_,
          place.file.empty() ? std::string("unknown place")
                             : fmt::format("{}:{}:{}", place.file, place.line, place.column)};
  count_waits(waits, now, false);
}

void Trace::group_goes_on(const Launch &launch, const Size &id) {
  std::lock_guard lock(mutex_);
  const auto of_launch = waits_.find(&launch);
  if (of_launch == waits_.end())
    return;
  Waits &waits = of_launch->second;
  const auto found = waits.now.find(id);
  if (found == waits.now.end())
    return;
  const Wait wait = std::move(found->second);
  waits.now.erase(found);
  const uint64_t now = now_nanoseconds();
  auto &[count, time] = waits.all[wait.place];
  ++count;
  time += now - wait.begun;
  count_waits(waits, now, false);
  if (!with_groups_)
    return;
  // Asynchronous bars, since another thread may have resumed the group.
  for (auto [phase, at] : {std::pair('b', wait.begun), {'e', now}})
    add(fmt::format(R"({{"ph":"{}","cat":"wait","name":{},"id":{},"pid":{},"tid":0,"ts":{},)"
                    R"("args":{{"kernel":{},"group":{}}}}})",
                    phase, json_string("waits at " + wait.place), wait.serial, threads_group_,
                    microseconds(at - start_), json_string(waits.kernel), size_text(id)));
}

// A counter of the groups that wait. Some microseconds lie between its values.
void Trace::count_waits(Waits &waits, uint64_t time, bool is_last) {
  constexpr uint64_t least = 10'000; // nanoseconds
  if (!is_last && time < waits.counted + least)
    return;
  waits.counted = time;
  add(fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"groups":{}}}}})",
                  json_string("waiting groups of " + waits.kernel), threads_group_,
                  microseconds(time - start_), is_last ? 0 : waits.now.size()));
}

std::string Trace::end_waits(const Launch &launch) {
  const auto found = waits_.find(&launch);
  if (found == waits_.end())
    return "";
  Waits &waits = found->second;
  count_waits(waits, now_nanoseconds(), true);
  std::string text;
  for (const auto &[place, of_place] : waits.all)
    text += fmt::format(R"({}{{"place":{},"waits":{},"microseconds":{}}})", text.empty() ? "" : ",",
                        json_string(place), of_place.first, microseconds(of_place.second));
  waits_.erase(found);
  return fmt::format(R"("waits":[{}],)", text);
}

// `command`: its number; 0: the launch goes on, and this thread began with another one.
void Trace::end_share(int thread, Share &share, uint64_t command) {
  if (!share.launch)
    return;
  add(fmt::format(R"({{"ph":"X","cat":"worker","name":{},"pid":{},"tid":{},"ts":{},"dur":{},)"
                  R"("args":{{"groups":{}{}}}}})",
                  json_string(share.name), threads_group_, thread,
                  microseconds(share.begun - start_), microseconds(share.ended - share.begun),
                  share.groups, command ? fmt::format(R"(,"command":{})", command) : ""));
  share = {};
}

// ---- threads of the program

void Trace::thread_worked(const char *kind, std::string_view name, uint64_t begun, uint64_t ended) {
  constexpr uint64_t least = 1000; // nanoseconds
  if (ended - begun < least || begun < start_)
    return;
  const bool of_kernel = kind == std::string_view("compile") || kind == std::string_view("load");
  std::lock_guard lock(mutex_);
  const int thread = gettid();
  add_thread(thread);
  add(fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{}}})", kind,
                  json_string((of_kernel ? kind + std::string(" ") : "") + std::string(name)),
                  threads_group_, thread, microseconds(begun - start_),
                  microseconds(ended - begun)));
}

void Trace::add_thread(int thread) {
  if (!threads_.try_emplace(thread).second)
    return;
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  name_row(threads_group_, thread, name);
}

// ---- the file

void Trace::name_row(int process, int row, const std::string &name) {
  add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                  process, row, json_string(name)));
}

void Trace::add(std::string_view event) {
  if (file_ < 0)
    return;
  text_ += std::exchange(is_empty_, false) ? "[\n" : ",\n";
  text_ += event;
  if (text_.size() > block_bytes)
    write();
}

void Trace::write() {
  std::string_view rest = text_;
  // a forked child must not write the text again
  while (!rest.empty() && file_ >= 0 && getpid() == process_) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR)
      break; // the disk is full; the file stays readable
    rest.remove_prefix(std::max<ssize_t>(written, 0));
  }
  text_.clear();
}

void start_trace_if_wanted() {
  auto file = environment("TRACE");
  if (!file)
    return;
  // A child would write into its parent's file, unless the name contains %p.
  if (fork_generation() != 0 && file->find("%p") == file->npos)
    return;
  static constinit std::atomic<Trace *> trace{nullptr};
  trace = new Trace(*file, environment_number("TRACE_GROUPS").value_or(0) != 0);
  // Threads may still run while the process ends, so the trace is closed but not destroyed.
  at_end_of_process([] { trace.load()->close(); });
}

} // namespace lockstep::runtime
