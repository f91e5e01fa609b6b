#include "runtime/check/commands/command_order.h"

#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/host/host_views.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/device/launch_names.h"
#include "runtime/graph/command.h"
#include "runtime/memory/map_change.h"
#include "runtime/memory/transfer_name.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace lockstep::runtime {

namespace {

void join(std::map<uint32_t, uint32_t> &to, uint32_t chain, uint32_t position) {
  uint32_t &mine = to[chain];
  mine = std::max(mine, position);
}

// For an operation that is not a launch.
std::string name_of(const Operation &operation) {
  if (operation.is_host_code())
    return "host task";
  if (const MapChange *change = operation.map_change())
    return change->kind() == MapChange::Kind::begins ? "map" : "unmap";
  return transfer_name(operation.accesses());
}

bool covers(const std::map<uint32_t, uint32_t> &positions, uint32_t chain, uint32_t position) {
  const auto found = positions.find(chain);
  return found != positions.end() && found->second >= position;
}

} // namespace

bool CommandOrder::Node::knows(const Node &other) const {
  return covers(host->positions, other.chain, other.position) ||
         covers(positions, other.chain, other.position);
}

std::string CommandOrder::Node::name() const {
  if (kernel.empty())
    return title.empty() ? operation : title;
  return fmt::format("kernel '{}'", title.empty() ? kernel : title);
}

// ---- the graph

std::shared_ptr<CommandOrder::Node> CommandOrder::node_of(const Command &command) {
  return std::static_pointer_cast<Node>(command.beside());
}

void CommandOrder::end(Node &node) {
  if (const auto made = std::exchange(node.made, nullptr))
    --made->unended;
}

void CommandOrder::command_made(const Command &command) {
  const auto node = std::allocate_shared<Node>(NodeAllocator<Node>());
  if (command.operation())
    node->enqueued_at = std::make_unique<CallSite>(CallSite::here());
  node->number = ++commands_;
  {
    std::lock_guard lock(host_lock_);
    node->made = host_;
    ++host_->unended;
  }
  node->host = node->made;
  command.keep_beside(node);
}

void CommandOrder::command_enqueued(const Command &command, const CommandQueue &queue) {
  const std::shared_ptr<Node> node = node_of(command);
  if (!node)
    return;
  node->queue = &queue;
  const Operation *operation = command.operation();
  if (const MapChange *change = operation ? operation->map_change() : nullptr) {
    std::lock_guard lock(mutex_);
    record_mapping(*change, node);
  }
}

void CommandOrder::edge_added(const Command &before, const Command &after, EdgeKind) {
  const std::shared_ptr<Node> one = node_of(before), other = node_of(after);
  if (one && other)
    other->before.push_back(one);
}

// Some commands are destroyed without having ended.
void CommandOrder::command_gone(const Command &command) {
  if (const std::shared_ptr<Node> node = node_of(command))
    end(*node);
}

void CommandOrder::command_awaited(const Command &command) {
  std::lock_guard lock(mutex_);
  const std::shared_ptr<Node> found = node_of(command);
  if (!found || !found->has_ended)
    return;
  const Node &node = *found;
  std::shared_ptr<HostKnowledge> known;
  auto add = [&](uint32_t chain, uint32_t position) {
    if (covers(host_->positions, chain, position))
      return;
    if (!known) {
      known = std::make_shared<HostKnowledge>(host_->version + 1, host_->positions);
    }
    join(known->positions, chain, position);
    if (tails_[chain] == position)
      reusable_.insert(chain);
  };
  for (const auto &[chain, position] : node.positions)
    add(chain, position);
  if (node.position)
    add(node.chain, node.position);
  if (known) {
    std::lock_guard guard(host_lock_);
    if (host_->unended == 0)
      known_.pop_back();
    known_.push_back(known);
    host_ = std::move(known);
  }
  open_mapped();
}

void CommandOrder::command_polled(const Command &command) {
  std::lock_guard lock(mutex_);
  if (const std::shared_ptr<Node> node = node_of(command))
    node->was_polled = true;
}

// The end of a map does not allow the program to access the memory before the program has waited
// for the map.
void CommandOrder::open_mapped() {
  for (Mapping &mapping : mappings_)
    if (const Node &node = *mapping.access.node;
        node.has_ended && !mapping.is_open && !mapping.end &&
        covers(host_->positions, node.chain, node.position)) {
      mapping.is_open = true;
      HostViews::instance().open({reinterpret_cast<const std::byte *>(mapping.access.begin),
                                  mapping.access.end - mapping.access.begin,
                                  mapping.access.writes});
    }
}

// A node continues a chain whose last command precedes it. Commands without an operation, such as
// markers, are in no chain: they pass on their predecessors.
void CommandOrder::place(Node &node, const Command &command) {
  if (command.is_user_event()) // the program has completed it now
    node.host = host_;
  for (const auto &before : node.before)
    if (before->has_ended && before->host->version > node.host->version)
      node.host = before->host;
  for (const auto &before : std::exchange(node.before, {})) {
    if (!before->has_ended)
      continue; // cancels the edge
    for (const auto &[chain, position] : before->positions)
      join(node.positions, chain, position);
    if (before->position)
      join(node.positions, before->chain, before->position);
  }
  if (command.operation())
    find_chain(node);
  node.has_ended = true;
  end(node);
  std::erase_if(node.positions, [&](const auto &each) {
    return covers(node.host->positions, each.first, each.second);
  });
}

void CommandOrder::find_chain(Node &node) {
  auto go_on = [&](uint32_t chain) {
    node.chain = chain;
    node.position = ++tails_[chain];
    reusable_.erase(chain);
  };
  for (const auto &[chain, position] : node.positions)
    if (tails_[chain] == position)
      return go_on(chain);
  for (const uint32_t chain : reusable_)
    if (covers(node.host->positions, chain, tails_[chain]))
      return go_on(chain);
  node.chain = uint32_t(tails_.size());
  node.position = 1;
  tails_.push_back(1);
}

void CommandOrder::command_ended(const Command &command, Status status) {
  const std::shared_ptr<Node> node = node_of(command);
  if (!node)
    return;
  const bool has_accessed =
      command.operation() && !is_failure(status) && !has_missed_something_.load();
  std::vector<RangeAccess> accesses;
  if (has_accessed)
    accesses = accesses_of(command);
  std::lock_guard lock(mutex_);
  place(*node, command);
  std::erase_if(mappings_, [&](const Mapping &mapping) {
    return mapping.end == node || (mapping.access.node == node && is_failure(status));
  });
  if (!has_accessed)
    return;
  if (const Launch *launch = command.operation()->launch()) {
    node->kernel = launch->kernel().name;
    node->title = launch->kernel().title;
  } else {
    node->operation = name_of(*command.operation());
    if (const char *title = command.operation()->title())
      node->title = title;
  }
  Findings::instance().was_checked();
  for (RangeAccess &access : accesses) {
    access.node = node;
    if (access.is_of_host)
      find_mapped(access);
  }
  compare(accesses);
  for (const RangeAccess &access : accesses)
    compare_with_mappings(access);
  for (RangeAccess &access : accesses)
    keep(std::move(access));
}

// ---- memory

unsigned CommandOrder::RangeAccesses::size_class(const RangeAccess &access) {
  return unsigned(std::bit_width(access.end - access.begin));
}

template <class Function>
void CommandOrder::RangeAccesses::erase_from(ByBegin &all, uintptr_t first,
                                             const RangeAccess &access, std::size_t &most,
                                             Function is_gone) {
  auto each = all.lower_bound(first);
  for (; most && each != all.end() && each->first < access.end; --most, ++looked_at_)
    if (is_gone(std::as_const(each->second))) {
      each = all.erase(each);
      --size_;
    } else {
      ++each;
    }
}

template <class Function>
void CommandOrder::RangeAccesses::erase_in(const RangeAccess &access, std::size_t most,
                                           Function is_gone) {
  for (const bool writes : {false, true})
    for (const bool is_exact : {false, true})
      if ((access.writes || !writes) && (access.is_exact || !is_exact))
        for (auto &[number, all] : of(writes, is_exact))
          if (number <= size_class(access))
            erase_from(all, access.begin, access, most, is_gone);
}

template <class Function>
void CommandOrder::RangeAccesses::for_all_that_may_conflict(const RangeAccess &access,
                                                            Function function) {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const bool writes : {false, true})
    for (const bool is_exact : {false, true})
      if (writes || access.writes)
        for (auto &[number, all] : of(writes, is_exact)) {
          const uintptr_t longest = (uintptr_t(1) << number) - 1;
          erase_from(all, access.begin - std::min(access.begin, longest), access, most,
                     [&](const RangeAccess &each) {
                       function(each);
                       return false;
                     });
        }
}

template <class Function> void CommandOrder::RangeAccesses::erase_if(Function is_gone) {
  for (auto &kind : by_size_)
    for (auto &[number, all] : kind)
      size_ -= std::erase_if(all, [&](const auto &each) { return is_gone(each.second); });
}

void CommandOrder::RangeAccesses::add(RangeAccess access) {
  ByBegin &all = of(access.writes, access.is_exact)[size_class(access)];
  const uintptr_t begin = access.begin;
  all.emplace(begin, std::move(access));
  ++size_;
}

std::vector<CommandOrder::RangeAccess> CommandOrder::accesses_of(const Command &command) {
  std::vector<RangeAccess> accesses;
  auto add = [&](const Access &given, std::size_t begin, std::size_t end) -> RangeAccess & {
    RangeAccess &access = accesses.emplace_back();
    access.object_begin = reinterpret_cast<uintptr_t>(given.memory.data());
    access.object_end = access.object_begin + given.memory.size();
    access.begin = access.object_begin + begin;
    access.end = access.object_begin + end;
    access.buffer = given.memory.buffer();
    access.is_of_host = !given.memory.buffer();
    access.argument = given.argument;
    return access;
  };
  Operation &operation = *command.operation();
  if (const Launch *launch = operation.launch()) {
    for (const ReachedBytes &bytes : reached_by(*launch)) {
      RangeAccess &access = add(*bytes.access, bytes.begin, bytes.end);
      access.writes = bytes.writes;
      access.is_atomic = bytes.is_atomic;
      access.is_exact = bytes.is_exact;
      access.is_kernel = true;
    }
    return accesses;
  }
  if (const MapChange *change = operation.map_change())
    return {access_of(*change)};
  for (const Access &given : operation.accesses()) {
    RangeAccess &access = add(given, 0, given.memory.size());
    access.writes = writes(given.mode);
    access.is_exact = true;
    if (given.row_bytes != 0)
      access.box = {given.row_bytes, given.rows, given.row_pitch, given.slices, given.slice_pitch};
  }
  return accesses;
}

// A map for writing may write until the unmap.
CommandOrder::RangeAccess CommandOrder::access_of(const MapChange &change) {
  const auto &[memory, for_writing, is_box, is_shared] = change.region();
  RangeAccess access;
  access.begin = access.object_begin = reinterpret_cast<uintptr_t>(memory.data());
  access.end = access.object_end = access.begin + memory.size();
  access.buffer = memory.buffer();
  access.writes = for_writing;
  access.is_exact = !is_box;
  access.is_of_map = true;
  return access;
}

// In the order of the calls; mapped_regions.h pairs unmaps with maps the same way.
void CommandOrder::record_mapping(const MapChange &change, const std::shared_ptr<Node> &node) {
  const void *memory = change.region().memory.buffer().get();
  if (change.kind() == MapChange::Kind::begins) {
    std::erase_if(mappings_, [](const Mapping &each) { return each.access.buffer.expired(); });
    mappings_.push_back({memory, change.region().is_shared, access_of(change), nullptr});
    mappings_.back().access.node = node;
    return;
  }
  const RangeAccess ends = access_of(change);
  for (Mapping &mapping : mappings_)
    if (!mapping.end && mapping.memory == memory && mapping.access.begin == ends.begin &&
        (mapping.access.writes == ends.writes || change.region().is_shared)) {
      mapping.end = node;
      return;
    }
}

bool CommandOrder::may_conflict(const RangeAccess &access, const RangeAccess &other) {
  if (other.begin >= access.end || access.begin >= other.end || (!access.writes && !other.writes) ||
      (access.is_atomic && other.is_atomic) || (access.is_of_map && other.is_of_map) ||
      other.node == access.node)
    return false;
  if ((access.box.row_bytes || other.box.row_bytes) && !have_common_bytes(access, other))
    return false;
  // Otherwise the memory was freed and belongs to another buffer now.
  return other.is_of_host == access.is_of_host && (other.is_of_host || !other.buffer.expired());
}

uintptr_t CommandOrder::Box::row(uintptr_t begin, std::size_t number) const {
  return begin + number / rows * slice_pitch + number % rows * row_pitch;
}

// Requires ascending rows in both.
bool CommandOrder::have_common_bytes(const RangeAccess &access, const RangeAccess &other) {
  const auto box_of = [](const RangeAccess &each) {
    return each.box.row_bytes ? each.box : Box{each.end - each.begin, 1, 0, 1, 0};
  };
  const Box one = box_of(access), another = box_of(other);
  for (std::size_t i = 0, j = 0;
       i != one.rows * one.slices && j != another.rows * another.slices;) {
    const uintptr_t first = one.row(access.begin, i), second = another.row(other.begin, j);
    if (first < second + another.row_bytes && second < first + one.row_bytes)
      return true;
    ++(first < second ? i : j);
  }
  return false;
}

bool CommandOrder::surely_conflict(const RangeAccess &access, const RangeAccess &other) {
  // `one` covers everything that `other` accesses
  auto is_all = [](const RangeAccess &one, const RangeAccess &other) {
    return one.is_exact && one.box.row_bytes == 0 && one.begin <= other.object_begin &&
           other.object_end <= one.end;
  };
  return (access.is_exact && other.is_exact) || is_all(access, other) || is_all(other, access);
}

bool CommandOrder::is_after_all(const Node &node) const {
  return std::all_of(last_of_accesses_.begin(), last_of_accesses_.end(), [&node](const auto &each) {
    return covers(node.positions, each.first, each.second) ||
           covers(node.host->positions, each.first, each.second);
  });
}

// Compares the accesses of one command. A possible conflict is not reported in addition to a
// certain one.
void CommandOrder::compare(const std::vector<RangeAccess> &accesses) {
  if (accesses.empty() || is_after_all(*accesses.front().node)) // as in a queue in order
    return;
  std::set<const Node *> met;
  for (const bool is_certain : {true, false})
    for (const RangeAccess &access : accesses)
      accesses_.for_all_that_may_conflict(access, [&](const RangeAccess &other) {
        if (may_conflict(access, other) && surely_conflict(access, other) == is_certain &&
            !access.node->knows(*other.node) && !other.node->knows(*access.node) &&
            (is_certain || !met.contains(other.node.get()))) {
          report(other, access, is_certain);
          met.insert(other.node.get());
        }
      });
}

// Reports accesses ordered after the map, but not after its unmap. compare() reports those without
// an order to either.
void CommandOrder::compare_with_mappings(const RangeAccess &access) const {
  for (const Mapping &mapping : mappings_)
    if (access.is_kernel && may_conflict(access, mapping.access) &&
        mapping.access.node->has_ended && access.node->knows(*mapping.access.node))
      report_mapped(mapping, access, surely_conflict(access, mapping.access));
}

const CommandOrder::Mapping *CommandOrder::mapping_at(const RangeAccess &access, uintptr_t byte,
                                                      bool for_writing) const {
  const auto found = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping &mapping) {
    return mapping.access.begin <= byte && byte < mapping.access.end &&
           (!for_writing || mapping.access.writes) && !mapping.access.buffer.expired() &&
           mapping.access.node->has_ended && access.node->knows(*mapping.access.node);
  });
  return found == mappings_.end() ? nullptr : &*found;
}

// By one map, or by several together.
bool CommandOrder::is_mapped(const RangeAccess &access, bool for_writing) const {
  for (uintptr_t byte = access.begin; byte < access.end;) {
    const Mapping *mapping = mapping_at(access, byte, for_writing);
    if (!mapping)
      return false;
    byte = mapping->access.end;
  }
  return true;
}

// The command may have ended before the unmap without being ordered before it: compare() reports
// that.
void CommandOrder::find_mapped(RangeAccess &access) const {
  const auto *memory = reinterpret_cast<const std::byte *>(access.begin);
  const auto shown = HostViews::instance().shown_at(memory);
  if (!shown)
    return;
  access.shown_by = shown->by_accessors ? "host_accessor" : "map";
  access.object_begin = reinterpret_cast<uintptr_t>(shown->begin);
  access.object_end = access.object_begin + shown->size;
  if (const Mapping *mapping = mapping_at(access, access.begin, false)) {
    access.buffer = mapping->access.buffer;
    access.is_of_host = false;
  }
  const auto is_lent = [&](bool for_writing) {
    return is_mapped(access, for_writing) ||
           (shown->by_accessors &&
            HostViews::instance().is_open(memory, access.end - access.begin, for_writing));
  };
  if (!is_lent(access.writes))
    report_not_lent(access, access.writes && is_lent(false));
}

// A read visits only some other accesses: there may be many reads without an order between them,
// and comparing those is useless.
void CommandOrder::keep(RangeAccess access) {
  constexpr std::size_t most_of_read = 256, all = std::numeric_limits<std::size_t>::max();
  accesses_.erase_in(access, access.writes ? all : most_of_read, [&](const RangeAccess &other) {
    return other.end <= access.end && access.box.row_bytes == 0 &&
           (!access.is_atomic || other.is_atomic) && (!access.is_of_map || other.is_of_map) &&
           access.node->knows(*other.node);
  });
  join(last_of_accesses_, access.node->chain, access.node->position);
  accesses_.add(std::move(access));
  if (accesses_.size() >= forget_at_)
    forget();
}

// Drops accesses that are ordered before all commands in progress, by what these know from the
// host.
void CommandOrder::forget() {
  {
    std::lock_guard guard(host_lock_);
    std::erase_if(known_, [this](const auto &each) { return each != host_ && each->unended == 0; });
  }
  const HostKnowledge *oldest = known_.front().get();
  last_of_accesses_.clear();
  accesses_.erase_if([&](const RangeAccess &access) {
    const bool is_gone = covers(oldest->positions, access.node->chain, access.node->position) ||
                         (!access.is_of_host && access.buffer.expired());
    if (!is_gone)
      join(last_of_accesses_, access.node->chain, access.node->position);
    return is_gone;
  });
  forget_at_ = std::max<std::size_t>(64, 2 * accesses_.size());
}

std::string CommandOrder::text_of(const RangeAccess &access) {
  const Node &node = *access.node;
  const auto object = node.title.empty() ? std::nullopt : shared_memory_at(access.begin, {});
  const std::string place = node.enqueued_at ? node.enqueued_at->text() : "";
  return fmt::format(
      "command {}, {}{} {} bytes {} to {}{}{}", node.number, node.name(),
      access.argument >= 0 ? fmt::format(", argument {}", access.argument) : "",
      access.is_of_map ? (access.writes ? "for writing, of" : "for reading, of")
      : access.writes  ? "writes"
                       : "reads",
      access.begin - access.object_begin, access.end - access.object_begin,
      access.shown_by
          ? fmt::format(" of a buffer, where a {} has shown it to the program", access.shown_by)
      : access.is_of_host ? " of the host's memory"
      : object            ? " of " + object->text
                          : "",
      place.empty() ? ""
                    : fmt::format(", enqueued {} {}", place.front() == '\'' ? "by" : "at", place));
}

void CommandOrder::report_not_lent(const RangeAccess &access, bool is_for_reading) {
  if (!Findings::instance().is_first("commands", std::hash<std::string>()(access.node->name()),
                                     std::hash<std::string>()("not lent") + is_for_reading))
    return;
  const bool by_accessors = access.shown_by == std::string_view("host_accessor");
  Finding finding;
  finding.kind = "commands";
  finding.kernel = access.node->operation;
  finding.title = access.node->title;
  finding.explanation = {text_of(access)};
  if (is_for_reading) {
    finding.headline = by_accessors ? "it writes what a host_accessor gave the program to read"
                                    : "it writes what the program has mapped for reading only";
  } else {
    finding.headline = fmt::format(
        "it {} memory of a buffer that {}, as the host's", access.writes ? "writes" : "reads",
        by_accessors ? "no host_accessor gives the program any more" : "is not mapped");
    finding.explanation.push_back(
        by_accessors
            ? "no host_accessor that lives has all of these bytes: a pointer of one was kept"
            : "no map that is ordered before it, and whose unmap is not, has all of these bytes");
  }
  Findings::instance().report(finding);
}

void CommandOrder::report_mapped(const Mapping &mapping, const RangeAccess &access,
                                 bool is_certain) {
  if (!Findings::instance().is_first(is_certain ? "commands" : "note",
                                     std::hash<std::string>()(access.node->name()),
                                     uint64_t(access.argument + 1)))
    return;
  Finding finding;
  finding.is_note = !is_certain;
  finding.kind = "commands";
  finding.kernel = access.node->kernel;
  finding.title = access.node->title;
  finding.headline =
      fmt::format("it {} what the program has mapped{}{}", access.writes ? "writes" : "reads",
                  mapping.access.writes ? " for writing" : "",
                  is_certain ? "" : ", perhaps not the same bytes of it");
  finding.explanation = {text_of(mapping.access), text_of(access),
                         mapping.end ? "its unmap comes later, or is not ordered before the kernel"
                         : mapping.is_shared
                             ? "it is not unmapped: clEnqueueSVMUnmap belongs before the kernel "
                               "(OpenCL API 5.6.1)"
                             : "it is not unmapped: clEnqueueUnmapMemObject belongs before the "
                               "kernel (OpenCL API 5.5.3)"};
  Findings::instance().report(finding);
}

void CommandOrder::report(const RangeAccess &one, const RangeAccess &other, bool is_certain) const {
  const bool in_order = one.node->number < other.node->number;
  const RangeAccess &before = in_order ? one : other, &after = in_order ? other : one;
  const auto key = [](const RangeAccess &access) {
    return std::hash<std::string>()(access.node->name()) * 31 + uint64_t(access.argument + 1);
  };
  if (!Findings::instance().is_first(is_certain ? "commands" : "note",
                                     std::min(key(before), key(after)),
                                     std::max(key(before), key(after))))
    return;
  Finding finding;
  finding.is_note = !is_certain;
  finding.kind = "commands";
  finding.kernel = after.node->kernel.empty() ? after.node->operation : after.node->kernel;
  finding.title = after.node->title;
  finding.headline =
      fmt::format("nothing orders it with {}, and both use the same memory{}", before.node->name(),
                  is_certain ? "" : ", perhaps not the same bytes of it");
  for (const RangeAccess *access : {&before, &after})
    finding.explanation.push_back(text_of(*access));
  const bool one_queue = before.node->queue == after.node->queue;
  if (!before.node->title.empty() && !after.node->title.empty())
    finding.explanation.push_back(fmt::format(
        "{}: command {} needs depends_on with the event of command {}, or {}",
        one_queue ? "both are in one queue, which is not in order" : "they are in different queues",
        after.node->number, before.node->number,
        one_queue ? "the queue property::queue::in_order"
                  : "the program must wait for that one before it submits this one"));
  else
    finding.explanation.push_back(fmt::format(
        "{}: the event of command {} belongs into the wait list of command {}{}",
        one_queue ? "both are in one out-of-order queue" : "they are in different queues",
        before.node->number, after.node->number,
        one_queue ? " (in SYCL: depends_on), or a barrier between them"
                  : ", or the program must wait for it before"));
  if (before.node->was_polled)
    finding.explanation.push_back(fmt::format(
        "the program queried the status of command {}, which orders nothing: clWaitForEvents does "
        "(OpenCL API 5.11)",
        before.node->number));
  Findings::instance().report(finding);
}

} // namespace lockstep::runtime
