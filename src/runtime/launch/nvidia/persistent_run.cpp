#include "runtime/launch/nvidia/persistent_run.h"

#include "platform/linux/output_file.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "runtime/threads/host_threads.h"
#include "support/environment.h"
#include "support/json.h"
#include "support/location_text.h"
#include "support/message.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <unordered_set>

namespace lockstep::runtime {
namespace {

constexpr uint64_t least_stillness = 200'000'000; // nanoseconds; blocks ask all groups meanwhile
constexpr std::size_t most_dependants = 10'000, most_ranges = 8, most_rows = 20,
                      most_rows_in_json = 1000;

std::size_t aligned(std::size_t size) {
  return (size + 255) / 256 * 256;
}

std::size_t host_bytes_of(const PersistentRun::Size &size) {
  return aligned(sizeof(lockstep_group_pool)) +
         aligned(sizeof(lockstep_group_mail) + size.blocks * sizeof(uint32_t));
}

// Where the parts of a pool are, by bytes from its begin.
struct Places {
  explicit Places(uint64_t slots)
      : waits(aligned(sizeof(lockstep_group_pool))),
        frames(waits + aligned(slots * sizeof(lockstep_wait))) {}
  std::size_t waits, frames;
};

uint32_t read_word(const unsigned &word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

} // namespace

// ---- the run

Result<std::unique_ptr<PersistentRun>> PersistentRun::make(std::shared_ptr<const LoadedKernel> code,
                                                           std::shared_ptr<NvidiaMemory> memory,
                                                           Size size, uint64_t slot_bytes,
                                                           uint64_t limit, Names names) {
  const std::size_t host_bytes = host_bytes_of(size);
  const auto bytes_for = [&](uint64_t slots) { return Places(slots).frames + slots * slot_bytes; };
  const uint64_t least = std::min(size.groups, size.blocks),
                 wanted = std::clamp<uint64_t>(limit / slot_bytes, least, size.groups);
  std::unique_ptr<PersistentRun> run(
      new PersistentRun(std::move(code), std::move(memory), size, std::move(names)));
  auto pool = run->memory_->group_pools().take(bytes_for(wanted), bytes_for(least), host_bytes);
  LOCKSTEP_TRY(pool);
  run->pool_ = *pool;
  uint64_t slots = wanted;
  while (bytes_for(slots) > run->pool_.bytes)
    slots -= std::max<uint64_t>(1, slots / 64);
  const Places places(slots);
  std::memset(run->pool_.on_host, 0, host_bytes);
  lockstep_group_pool &header = run->header();
  header.groups = size.groups;
  header.slots = unsigned(slots);
  header.blocks = size.blocks;
  header.slot_bytes = slot_bytes;
  header.waits = run->pool_.on_card + places.waits;
  header.frames = run->pool_.on_card + places.frames;
  header.mail = reinterpret_cast<uint64_t>(&run->mail()); // with unified addressing
  return run;
}

PersistentRun::~PersistentRun() {
  if (pool_.on_card)
    memory_->group_pools().give_back(pool_);
}

lockstep_group_pool &PersistentRun::header() const {
  return *reinterpret_cast<lockstep_group_pool *>(pool_.on_host);
}

lockstep_group_mail &PersistentRun::mail() const {
  return *reinterpret_cast<lockstep_group_mail *>(pool_.on_host +
                                                  aligned(sizeof(lockstep_group_pool)));
}

Result<uint64_t> PersistentRun::begin(cuda::Stream *stream) {
  const CudaContext &context = *code_->context;
  LOCKSTEP_TRY(context.checked(
      context.cuda().copy_to_device(pool_.on_card, &header(), sizeof(lockstep_group_pool), stream),
      "cuMemcpyHtoD"));
  LOCKSTEP_TRY(context.checked(
      context.cuda().set_words(header().waits, 0,
                               header().slots * (sizeof(lockstep_wait) / sizeof(uint32_t)), stream),
      "cuMemsetD32"));
  return pool_.on_card;
}

Result<void> PersistentRun::end(cuda::Stream *stream) {
  const CudaContext &context = *code_->context;
  return context.checked(
      context.cuda().copy_to_host(&header(), pool_.on_card, sizeof(lockstep_group_pool), stream),
      "cuMemcpyDtoH");
}

// ---- leaving the card

void PersistentRun::leave() {
  is_leaving_ = true;
  __atomic_store_n(&mail().leave, 1, __ATOMIC_RELAXED);
}

bool PersistentRun::has_left() const {
  return is_leaving_ && !is_ending_ && header().finished != header().groups;
}

uint64_t PersistentRun::begin_again() {
  is_leaving_ = false;
  still_since_ = 0;
  std::memset(&mail(), 0, host_bytes_of(size_) - aligned(sizeof(lockstep_group_pool)));
  return pool_.on_card;
}

// ---- the deadlock

bool PersistentRun::all_are_still() const {
  for (uint32_t block = 0; block < size_.blocks; ++block)
    if (!read_word(mail().still[block]))
      return false;
  return true;
}

void PersistentRun::look(Command &command, bool others_run) {
  if (is_ending_ || is_leaving_)
    return;
  if (!all_are_still()) {
    still_since_ = 0;
    return;
  }
  const uint64_t now = now_nanoseconds();
  if (!still_since_)
    still_since_ = now;
  if (now - still_since_ >= least_stillness && WaitingLaunches::instance().gives_reports())
    judge(command, others_run);
}

void PersistentRun::judge(Command &command, bool others_run) {
  std::unordered_set<const Command *> dead = {&command};
  uint64_t tasks_taken = 0;
  if (others_run || !WorkerPool::instance().is_quiet(tasks_taken) ||
      !command.for_all_dependants(most_dependants, [&](Command &each) { dead.insert(&each); }))
    return;
  const HostThreads host =
      count_host_threads([&](const Command &each) { return dead.contains(&each); });
  WaitingLaunches &launches = WaitingLaunches::instance();
  const uint64_t still = now_nanoseconds() - still_since_;
  const bool no_thread_acts =
      (host.others == 0 || host.others_sleep) && open_callbacks() == 0 && host.user_events == 0;
  const bool some_thread_waits = host.blocked > 0 && host.user_events == 0;
  if (no_thread_acts || (some_thread_waits && still >= launches.patience_until_end())) {
    is_ending_ = true;
    __atomic_store_n(&mail().leave, 1, __ATOMIC_RELAXED);
  } else if (still >= launches.patience() && !std::exchange(has_warned_, true)) {
    const std::string warning = fmt::format(
        "warning: kernel '{}' stands still: all of its work-groups that run wait, and no command "
        "that was enqueued can change what they wait for\n  The program may still enqueue a "
        "command that changes that, so they go on waiting",
        names_.kernel);
    print_message("%s", warning.c_str());
    command.warn(warning);
  }
}

// ---- the report

Result<void> PersistentRun::read_waits() {
  const lockstep_group_pool &pool = header();
  waits_.resize(std::min(pool.slots, pool.next_slot));
  LOCKSTEP_TRY(memory_->read(reinterpret_cast<std::byte *>(waits_.data()),
                             reinterpret_cast<const std::byte *>(pool.waits),
                             waits_.size() * sizeof waits_[0]));
  std::erase_if(waits_, [](const lockstep_wait &wait) { return !wait.is_suspended; });
  std::ranges::sort(waits_, {}, &lockstep_wait::group);
  return {};
}

Result<void> PersistentRun::finish(Command &) {
  const lockstep_group_pool &pool = header();
  if (!is_ending_ || pool.finished == pool.groups) // the last groups may have ended meanwhile
    return {};
  LOCKSTEP_TRY(read_waits());
  if (pool.next_group < pool.groups && pool.next_slot >= pool.slots)
    return Error{ErrorKind::out_of_resources,
                 fmt::format("kernel '{}' has {} work-groups that wait and needs more of them to "
                             "run at the same time, {} are not started; each takes {} bytes of the "
                             "card's memory, which has room for {}",
                             names_.kernel, pool.suspended, pool.groups - pool.next_group,
                             pool.slot_bytes, pool.slots)};
  const DeadlockText text = describe();
  if (auto path = environment("DEADLOCK_FILE"))
    append_output("DEADLOCK_FILE", *path, text.json + "\n");
  return Error{ErrorKind::kernel_fault, text.message};
}

namespace {

// Groups that wait at one place for one value.
struct Row {
  lockstep_wait example{};
  std::vector<std::pair<uint64_t, uint64_t>> groups; // first, last
  uint64_t count = 0;
};

std::string groups_text(const Row &row) {
  std::string text = row.count == 1 ? "work-group " : "work-groups ";
  std::size_t shown = 0;
  for (const auto &[first, last] : row.groups) {
    if (shown++ == most_ranges)
      return text + fmt::format(" and more, {} in all", row.count);
    text += shown > 1 ? ", " : "";
    text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
  }
  return text;
}

std::string groups_json(const Row &row) {
  std::string text;
  for (const auto &[first, last] : row.groups)
    text += fmt::format("{}[{},{}]", text.empty() ? "" : ",", first, last);
  return '[' + text + ']';
}

} // namespace

PersistentRun::DeadlockText PersistentRun::describe() const {
  std::map<std::array<uint64_t, 3>, Row> rows;
  for (const lockstep_wait &wait : waits_) {
    Row &row = rows[{wait.site, wait.address, wait.value}];
    const uint64_t group = wait.group;
    if (row.count++ == 0)
      row.example = wait;
    if (!row.groups.empty() && row.groups.back().second + 1 == group)
      row.groups.back().second = group;
    else
      row.groups.emplace_back(group, group);
  }
  const lockstep_group_pool &pool = header();
  const uint64_t unstarted = pool.groups - std::min(pool.groups, pool.next_group),
                 waiting = pool.groups - pool.finished - unstarted;
  DeadlockText text;
  text.message = fmt::format(
      "kernel '{}' is deadlocked: all of its work-groups that run wait ({} wait, {} are done, {} "
      "are not started), and no command can change what they wait for",
      names_.kernel, waiting, pool.finished, unstarted);
  std::string json;
  std::size_t shown = 0;
  for (const auto &[key, row] : rows) {
    if (shown == most_rows_in_json)
      break;
    const bool is_in_text = shown++ < most_rows;
    const lockstep_wait &wait = row.example;
    std::string place;
    if (wait.site < code_->code.wait_sites.size()) {
      const compiler::SuspensionSite &at = code_->code.wait_sites[wait.site];
      place = location_text(at.file, at.line, at.column);
    }
    const std::string memory = wait.address ? names_.memory(wait.address) : std::string();
    if (is_in_text)
      text.message += fmt::format(
          "\n  {} (work-item {}{}) wait{}{}", groups_text(row), wait.item,
          row.count > 1 ? fmt::format(" of work-group {}", row.groups[0].first) : "",
          place.empty() ? "" : " at " + place,
          memory.empty() ? "" : fmt::format(" for {}, which holds {}", memory, wait.value));
    json += fmt::format(
        "{}{{\"doing\":\"waits\",\"place\":{},\"reads\":[{}],\"reads_more\":{},\"groups\":{},"
        "\"group_count\":{},\"example_group\":{},\"example_items\":[[{},{}]]}}",
        json.empty() ? "" : ",", json_string(place),
        memory.empty()
            ? ""
            : fmt::format("{{\"memory\":{},\"place\":{},\"seen\":{},\"value\":\"{}\"}}",
                          json_string(memory), json_string(place), wait.value, wait.value),
        memory.empty() ? "true" : "false", groups_json(row), row.count, row.groups[0].first,
        wait.item, wait.item);
  }
  text.json = fmt::format("{{\"kind\":\"deadlock\",\"kernel\":{},\"waiting_groups\":{},"
                          "\"done_groups\":{},\"unstarted_groups\":{},\"other_launches\":0,"
                          "\"rows\":[{}]}}",
                          json_string(names_.kernel), waiting, pool.finished, unstarted, json);
  if (rows.size() > most_rows)
    text.message += fmt::format("\n  and {} more places or values", rows.size() - most_rows);
  return text;
}

} // namespace lockstep::runtime
