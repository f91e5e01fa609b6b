// A listener that writes a timeline in the Chrome trace format (an array of JSON objects), which
// chrome://tracing and ui.perfetto.dev display.
//
// Each queue is a row, or several if its commands overlap. A command is a bar from its begin to its
// end. It has the command's number, the numbers of its predecessors, the times when it was made and
// became ready, and its accesses. An arrow leads from each command to each command that comes after
// it. Threads have rows, too: with the launches whose work-groups they ran (or, on request, with these
// work-groups), the calls of the interface that took more than a microsecond, and compilations.
//
// If both commands of an arrow access the same memory, the arrow has its name in both: the argument
// of a kernel, or the accessor of SYCL. A counter shows how many work-groups of a launch wait for
// others, and the launch's bar has the places in the source and the times.
//
// The file is written in blocks, and whenever a thread of the program has waited for a command. If
// the process ends abruptly, the array has no end; viewers accept that.
#pragma once

#include "runtime/events/events.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Trace final : public Listener {
public:
  // In the name, "%p" is replaced by the process ID, "%h" by the host and "%r" by the rank. Prints
  // a message on stderr if the file cannot be written.
  Trace(const std::string &file, bool with_groups);
  ~Trace() override; // only while nothing runs
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  // Completes the file; later events are not written.
  void close();

  void command_made(const Command &) override;
  void command_enqueued(const Command &, const CommandQueue &) override;
  void edge_added(const Command &before, const Command &after, EdgeKind) override;
  void command_ready(const Command &) override;
  void command_begun(const Command &) override;
  void command_ended(const Command &, Status) override;
  void command_gone(const Command &) override;
  void command_awaited(const Command &) override;
  void command_polled(const Command &command) override { command_awaited(command); }
  void thread_worked(const char *kind, std::string_view name, uint64_t begun,
                     uint64_t ended) override;
  void groups_begun(const Launch &, const Size &id, const Size &count) override;
  void groups_ended(const Launch &, const Size &id, const Size &count) override;
  void group_waits(const Launch &, const Size &id, const Place &) override;
  void group_goes_on(const Launch &, const Size &id) override;

private:
  struct Node; // state of a command
  struct Row {
    unsigned number;
    bool is_taken = false;
  };
  struct Run { // one run of work-groups
    uint64_t begun, serial;
    int thread;
  };

  // What a thread has done for one launch, from its first work-groups to its last ones.
  struct Share {
    const Launch *launch = nullptr; // null: none
    std::string name;
    uint64_t begun = 0, ended = 0, groups = 0;
  };
  void end_share(int thread, Share &share, uint64_t command);

  // The waits of a launch's work-groups.
  struct Wait {
    uint64_t begun = 0, serial = 0;
    std::string place;
  };
  struct Waits {
    std::map<Size, Wait> now;                                 // by group
    std::map<std::string, std::pair<uint64_t, uint64_t>> all; // by place: count, nanoseconds
    uint64_t counted = 0;                                     // time of the last counter
    std::string kernel;
  };
  void count_waits(Waits &waits, uint64_t time, bool is_last);
  std::string end_waits(const Launch &launch); // the command's field "waits"

  std::shared_ptr<Node> node_of(const Command &command);
  void add_process();
  void begin(Node &node, uint64_t time);
  Row &take_row(const CommandQueue *queue);
  void add_arrows(Node &node);
  void name_row(int process, int row, const std::string &name);
  void add_thread(int thread);
  void add(std::string_view event);
  void write();

  const bool with_groups_;
  const int process_;
  // The format groups rows by process. Commands and threads are groups; ranks have different ones.
  const int commands_group_, threads_group_;
  const uint64_t start_;
  std::mutex mutex_;
  int file_ = -1;
  bool is_empty_ = true;
  std::string text_; // not written yet
  std::unordered_map<const Command *, std::shared_ptr<Node>> nodes_;
  std::map<const CommandQueue *, std::pair<unsigned, std::vector<std::unique_ptr<Row>>>> queues_;
  std::map<std::tuple<const Launch *, Size>, Run> runs_;
  std::map<int, uint64_t> threads_; // by thread: serial number of the groups that it began last
  std::map<int, Share> shares_;     // by thread
  std::map<const Launch *, Waits> waits_;
  uint64_t commands_ = 0, arrows_ = 0, serial_ = 0;
  unsigned rows_ = 0;
};

// Starts a trace if LOCKSTEP_TRACE is set; see also LOCKSTEP_TRACE_GROUPS (docs/environment.md).
void start_trace_if_wanted();

} // namespace lockstep::runtime
