#include "tests/nvidia/fake_device.h"

#include "abi/printf_format.h"
#include "device_lib/nvidia/printf_records.h"
#include "driver/compile.h"
#include "driver/compile_ptx.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::test {
namespace {

using namespace lockstep::compiler;
using runtime::cuda::Status;
using Sizes = std::array<uint64_t, 3>;

// A kernel for which PTX was made. The first line of the PTX has its number.
struct Compiled {
  KernelInfo info;
  std::vector<PtxParameter> parameters;
  std::string printf_format; // the first one
  std::vector<LocalArgument> local_arguments;
  std::vector<uint32_t> images;
  std::shared_ptr<ProgramCode> code;
};

struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Compiled>> all;
  std::map<uint64_t, std::shared_ptr<ProgramCode>> programs; // by hash; kernels share variables
  std::vector<uint64_t> variables;                           // as the last launch saw them
  std::vector<lockstep_group_pool> pools;                    // as launches found them
  std::vector<lockstep_wait> deadlock;
};

Registry &registry() {
  static auto &made = *new Registry;
  return made;
}

CodeOptions options() {
  CodeOptions of_process = code_options_of_process();
  of_process.form = WantedForm::looped; // the card runs one group after the other
  return of_process;
}

CodeOptions options_of_card() {
  auto options = code_options_for_nvidia("sm_90");
  return options ? *options : CodeOptions{};
}

Result<PtxCode> make_ptx(const KernelModule &module, std::string_view kernel,
                         const Specialization &specialization, PtxVariant variant) {
  auto ptx = compile_to_ptx(module, kernel, specialization, options_of_card(), variant);
  LOCKSTEP_TRY(ptx);
  auto made = std::make_shared<Compiled>();
  made->info = *std::ranges::find(module.kernels, kernel, &KernelInfo::name);
  made->parameters = ptx->parameters;
  if (!ptx->printf_formats.empty())
    made->printf_format = ptx->printf_formats.front();
  made->local_arguments = specialization.local_arguments;
  made->images = specialization.images;
  const std::lock_guard lock(registry().mutex);
  std::shared_ptr<ProgramCode> &program = registry().programs[module.hash];
  if (!program) {
    auto code = ProgramCode::create(std::make_shared<KernelModule>(module), options());
    LOCKSTEP_TRY(code);
    program = std::move(*code);
  }
  made->code = program;
  ptx->text = "// number " + std::to_string(registry().all.size()) + "\n" + ptx->text;
  if (const char *folder = std::getenv("FAKE_CUDA_PTX")) // for NVIDIA's assembler
    std::ofstream(fmt::format("{}/{}.ptx", folder, registry().all.size())) << ptx->text;
  registry().all.push_back(std::move(made));
  return ptx;
}

// Three words; the second one has the address of the third.
Result<PtxVariables> make_variables(const KernelModule &) {
  const std::array<uint64_t, 3> words = {11, 16, 33};
  return PtxVariables{{reinterpret_cast<const char *>(words.data()), sizeof words}, {8}};
}

// ---- launches

// The launch that the parameters describe.
struct Described {
  std::vector<std::byte> block; // as the CPU's code has it
  LaunchInfo launch{};
  Sizes group_base{};
  Sizes groups{}; // that the CUDA launch runs
  lockstep_group_pool *pool = nullptr;
  bool has_sizes = false; // persistent_of_sizes: groups of several sizes in blocks of one dimension
  // Those of images whose words are parameters. Members that are none of them have odd values.
  std::map<uint32_t, ImageDescriptor> images; // by argument
};

ImageDescriptor odd_descriptor() {
  ImageDescriptor odd;
  std::memset(static_cast<void *>(&odd), 0x5a, sizeof odd);
  return odd;
}

uint64_t local_begin(const KernelInfo &info) {
  return (info.local_memory_size + 127) / 128 * 128;
}

// Writes a record of the first printf of the kernel by the card's function: for the string "card"
// where the format has one first, else for 42. The CPU's code prints, too.
void print(std::byte *buffer, const std::string &format) {
  const std::vector<PrintfString> found = printf_strings(format);
  std::vector<lockstep_printf_string> strings;
  for (const PrintfString &string : found)
    strings.push_back({string.offset, string.limit});
  const bool has_string = !found.empty() && found[0].offset == 0;
  const char *const text = "card";
  uint64_t argument = 42;
  if (has_string)
    std::memcpy(&argument, &text, sizeof text);
  write_printf_record(reinterpret_cast<lockstep_printf_buffer *>(buffer), 0,
                      reinterpret_cast<const u8 *>(&argument), sizeof argument, strings.data(),
                      has_string ? 1 : 0);
}

Described describe(const Compiled &compiled, const fake_cuda::Launch &seen) {
  Described out;
  out.block.resize(compiled.info.argument_block_size);
  for (int d = 0; d < 3; ++d) {
    out.launch.local_size[d] = seen.block[d];
    out.launch.num_groups[d] = seen.grid[d];
    out.launch.global_size[d] = uint64_t{seen.grid[d]} * seen.block[d];
  }
  std::ranges::copy(seen.grid, out.groups.begin());
  for (std::size_t i = 0; i < compiled.parameters.size(); ++i) {
    const PtxParameter &parameter = compiled.parameters[i];
    const std::byte *value = seen.parameters[i].data();
    const auto word_to = [&](auto &to) { std::memcpy(&to, value, sizeof to); };
    switch (parameter.kind) {
    case PtxParameterKind::value:
    case PtxParameterKind::pointer:
    case PtxParameterKind::image:
      std::memcpy(out.block.data() + compiled.info.args[parameter.index].offset, value,
                  parameter.size);
      break;
    case PtxParameterKind::unused: {
      const ImageDescriptor *image =
          &out.images.try_emplace(parameter.index, odd_descriptor()).first->second;
      std::memcpy(out.block.data() + compiled.info.args[parameter.index].offset, &image,
                  sizeof image);
      break;
    }
    case PtxParameterKind::image_word:
      if (auto image = out.images.find(parameter.index); image != out.images.end())
        std::memcpy(reinterpret_cast<std::byte *>(&image->second) + parameter.offset, value,
                    parameter.size);
      break;
    case PtxParameterKind::local_offset: {
      uint32_t offset = 0;
      word_to(offset);
      const uint64_t place = local_begin(compiled.info) + offset;
      std::memcpy(out.block.data() + compiled.info.args[parameter.index].offset, &place,
                  sizeof place);
      break;
    }
    case PtxParameterKind::global_offset:
      word_to(out.launch.global_offset[parameter.index]);
      break;
    case PtxParameterKind::group_base:
      word_to(out.group_base[parameter.index]);
      break;
    case PtxParameterKind::num_groups:
      word_to(out.launch.num_groups[parameter.index]);
      break;
    case PtxParameterKind::enqueued_local_size:
      word_to(out.launch.local_size[parameter.index]);
      break;
    case PtxParameterKind::global_size:
      word_to(out.launch.global_size[parameter.index]);
      break;
    case PtxParameterKind::work_dim:
      word_to(out.launch.work_dim);
      break;
    case PtxParameterKind::variables: {
      uint64_t address = 0;
      word_to(address);
      const auto *words = reinterpret_cast<const uint64_t *>(address);
      const std::lock_guard lock(registry().mutex);
      registry().variables = {address, words[0], words[1], words[2]};
      break;
    }
    case PtxParameterKind::part_groups:
      word_to(out.groups[parameter.index]);
      break;
    case PtxParameterKind::group_pool: {
      uint64_t address = 0;
      word_to(address);
      out.pool = reinterpret_cast<lockstep_group_pool *>(address);
      const std::lock_guard lock(registry().mutex);
      registry().pools.push_back(*out.pool);
      break;
    }
    case PtxParameterKind::printf_buffer: {
      uint64_t address = 0;
      word_to(address);
      const auto size = [](const auto &all) { return uint64_t{all[0]} * all[1] * all[2]; };
      for (uint64_t item = 0; item < size(seen.grid) * size(seen.block); ++item)
        print(reinterpret_cast<std::byte *>(address), compiled.printf_format);
      break;
    }
    }
  }
  if (out.pool) { // part_groups is there for dimensions 0 and 1 if the kernel asks for its group
    if (std::ranges::equal(seen.grid, out.groups))
      out.groups = {out.pool->groups, 1, 1};
    out.groups[2] = out.pool->groups / (out.groups[0] * out.groups[1]);
    for (int d = 0; d < 3; ++d)
      out.has_sizes |= out.launch.global_size[d] % out.launch.local_size[d] != 0;
  }
  return out;
}

// What the blocks of a launch do if all groups wait. False: they do not.
bool stand_still(lockstep_group_pool &pool) {
  std::vector<lockstep_wait> waits;
  {
    const std::lock_guard lock(registry().mutex);
    waits.swap(registry().deadlock);
  }
  if (waits.empty())
    return false;
  auto *mail = reinterpret_cast<lockstep_group_mail *>(pool.mail);
  for (uint32_t block = 0; block < pool.blocks; ++block)
    __atomic_store_n(&mail->still[block], 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&mail->leave, __ATOMIC_RELAXED))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::ranges::copy(waits, reinterpret_cast<lockstep_wait *>(pool.waits));
  pool.next_slot = uint32_t(waits.size());
  pool.next_group = pool.groups;
  pool.finished = pool.groups - uint32_t(waits.size());
  pool.suspended = uint32_t(waits.size());
  return true;
}

// Groups that may wait for later ones run at once, if they are few; others in their order.
template <class Run>
void run_calls(std::span<const Sizes> calls, bool may_wait, const Run &run_some) {
  constexpr std::size_t most_threads = 64;
  if (!may_wait || calls.size() > most_threads)
    return run_some(calls);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < calls.size(); ++i)
    threads.emplace_back([&run_some, call = calls.subspan(i, 1)] { run_some(call); });
}

Status run(const fake_cuda::Launch &seen) {
  std::shared_ptr<const Compiled> compiled;
  {
    const std::lock_guard lock(registry().mutex);
    compiled = registry().all.at(std::stoul(seen.image.substr(std::string("// number ").size())));
  }
  Described described = describe(*compiled, seen);
  if (described.pool && stand_still(*described.pool))
    return runtime::cuda::success;
  described.launch.args = described.block.data();
  Specialization wanted{{seen.block[0], seen.block[1], seen.block[2]}};
  if (described.has_sizes || !std::ranges::equal(seen.block, described.launch.local_size))
    wanted.local_size = {};                     // code for groups at an edge
  wanted.unprivatized_arguments = ~uint64_t{0}; // all
  wanted.local_arguments = compiled->local_arguments;
  wanted.images = compiled->images;
  auto code = compiled->code->kernel(compiled->info.name, wanted);
  if (!code)
    return runtime::cuda::launch_failed;
  const uint64_t local_bytes =
      std::max(local_begin(compiled->info) + seen.shared_bytes, (*code)->local_memory_size);
  Sizes begin, end;
  for (int d = 0; d < 3; ++d) {
    const uint64_t rows = (*code)->calls_per_group[d];
    begin[d] = described.group_base[d] * rows;
    end[d] = begin[d] + described.groups[d] * rows;
  }
  std::vector<Sizes> calls;
  for (uint64_t z = begin[2]; z < end[2]; ++z)
    for (uint64_t y = begin[1]; y < end[1]; ++y)
      for (uint64_t x = begin[0]; x < end[0]; ++x)
        calls.push_back({x, y, z});
  const auto run_some = [&](std::span<const Sizes> of_thread) {
    std::vector<std::byte> local(local_bytes + 128);
    GroupInfo group{};
    group.local_memory =
        reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(local.data()) + 127) / 128 * 128);
    std::ranges::copy(seen.block, group.local_size);
    for (const Sizes &call : of_thread) {
      std::ranges::copy(call, group.group_id);
      if (described.has_sizes)
        for (int d = 0; d < 3; ++d) {
          const uint64_t whole = described.launch.local_size[d],
                         number = call[d] / (*code)->calls_per_group[d];
          group.local_size[d] = std::min(whole, described.launch.global_size[d] - number * whole);
        }
      (*code)->function(&described.launch, &group);
    }
  };
  run_calls(calls, described.pool != nullptr, run_some);
  if (described.pool)
    described.pool->finished = described.pool->groups;
  return runtime::cuda::success;
}

std::shared_ptr<runtime::NvidiaDevice> make_device(int index) {
  fake_cuda::controls().devices = 2;
  auto driver = runtime::CudaDriver::load(FAKE_CUDA_LIBRARY);
  if (!driver)
    std::abort();
  fake_cuda::set_runner(run);
  auto device =
      runtime::NvidiaDevice::make(*driver, (*driver)->cards()[index], runtime::CpuDevice::root(),
                                  options_of_card(), {make_ptx, make_variables});
  return device ? *device : nullptr;
}

} // namespace

std::vector<uint64_t> variables_of_last_launch() {
  const std::lock_guard lock(registry().mutex);
  return registry().variables;
}

std::vector<lockstep_group_pool> take_group_pools() {
  const std::lock_guard lock(registry().mutex);
  return std::exchange(registry().pools, {});
}

void set_deadlock(std::vector<lockstep_wait> waits) {
  const std::lock_guard lock(registry().mutex);
  registry().deadlock = std::move(waits);
}

const std::shared_ptr<runtime::NvidiaDevice> &fake_device() {
  static const auto &device = *new std::shared_ptr<runtime::NvidiaDevice>(make_device(0));
  return device;
}

const std::shared_ptr<runtime::NvidiaDevice> &second_fake_device() {
  static const auto &device = *new std::shared_ptr<runtime::NvidiaDevice>(make_device(1));
  return device;
}

} // namespace lockstep::test
