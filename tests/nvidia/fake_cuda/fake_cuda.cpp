#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include "tests/nvidia/fake_cuda/fake_memory.h"
#include "tests/nvidia/fake_cuda/fake_module.h"
#include "tests/nvidia/fake_cuda/fake_stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace lockstep::runtime::cuda {

struct Context {};

struct Link {
  std::string image;
  char *log = nullptr;
  std::size_t log_bytes = 0;
};

struct Graph {
  std::unique_ptr<GraphNode> node;
};

// The only one of its graph.
struct GraphNode {
  KernelNode launch; // without parameters
  std::vector<std::vector<std::byte>> parameters;
};

struct GraphExec {
  const GraphNode *node;
  GraphNode current;
};

} // namespace lockstep::runtime::cuda

namespace lockstep::fake_cuda {
namespace {

using namespace lockstep::runtime::cuda;

constexpr unsigned multiprocessors = 4, blocks_per_multiprocessor = 2;

// All of a process. Never destroyed, because the threads of streams use it until the end.
struct State {
  Controls controls;
  std::atomic<pid_t> process = 0; // that has called cuInit
  std::atomic<Status> fault = success;
  std::mutex mutex;
  Runner runner;
  Context context;
  Stream null_stream{5000};
};

long long number(const char *variable, long long otherwise) {
  const char *value = std::getenv(variable);
  return value ? std::atoll(value) : otherwise;
}

State &state() {
  static State &made = *[] {
    auto *all = new State;
    all->controls.version = int(number("FAKE_CUDA_VERSION", 12080));
    all->controls.devices = int(number("FAKE_CUDA_DEVICES", 1));
    all->controls.capability = int(number("FAKE_CUDA_CAPABILITY", 90));
    all->controls.init_status = int(number("FAKE_CUDA_INIT_STATUS", 0));
    all->controls.memory_bytes = number("FAKE_CUDA_MEMORY_BYTES", 1 << 30);
    all->controls.is_late = true;
    return all;
  }();
  return made;
}

// Without a destructor: programs unload modules as they end, when objects of the thread are gone.
struct CurrentContexts {
  std::array<Context *, 16> all;
  std::size_t count;
};
thread_local constinit CurrentContexts current_contexts{};

Stream &stream_of(Stream *stream) {
  return stream ? *stream : state().null_stream;
}

// What every call but cuInit and the texts needs.
Status check_process() {
  return state().process == getpid() ? success : not_initialized;
}

Status check_context() {
  if (const Status status = check_process())
    return status;
  if (const Status fault = state().fault)
    return fault;
  return current_contexts.count == 0 ? invalid_context : success;
}

void set_fault(Status status) {
  Status none = success;
  state().fault.compare_exchange_strong(none, status);
}

Status take_status(std::atomic<Status> &planted) {
  return planted.exchange(success);
}

Status check_launch(const Launch &launch, const Function &function) {
  uint64_t threads = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] == 0 || launch.block[d] == 0 || (d > 0 && launch.grid[d] > 65535))
      return invalid_value;
    threads *= launch.block[d];
  }
  return threads > 1024 || launch.shared_bytes > uint32_t(function.dynamic_shared_bytes)
             ? invalid_value
             : success;
}

std::atomic<int> running_kernels = 0;

void run_launch(const Launch &launch) {
  if (state().fault)
    return;
  Runner runner;
  {
    const std::lock_guard lock(state().mutex);
    runner = state().runner;
  }
  Status status = take_status(controls().fault_status);
  if (!status && !runner)
    status = launch_failed;
  if (!status) {
    const Memory::Open open;
    ++running_kernels;
    status = runner(launch);
    --running_kernels;
  }
  ++state().controls.launches;
  if (status)
    set_fault(status);
}

} // namespace

Controls &controls() {
  return state().controls;
}

void set_runner(Runner runner) {
  const std::lock_guard lock(state().mutex);
  state().runner = std::move(runner);
}

void repair() {
  state().fault = success;
}

namespace api {

#define CUDA_FUNCTION(name, symbol, ...)                                                           \
  extern "C" __attribute__((visibility("default"))) Status symbol(__VA_ARGS__);
#include "runtime/launch/nvidia/cuda_functions.def"
#undef CUDA_FUNCTION

Status cuInit(unsigned) {
  ++controls().inits;
  if (const Status status = controls().init_status)
    return status;
  pid_t none = 0;
  state().process.compare_exchange_strong(none, getpid());
  return check_process();
}

Status cuDriverGetVersion(int *version) {
  *version = controls().version;
  return success;
}

Status cuGetErrorName(Status status, const char **name) {
  *name = status == out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : status == no_device       ? "CUDA_ERROR_NO_DEVICE"
          : status == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                      : nullptr;
  return *name ? success : invalid_value;
}

Status cuGetErrorString(Status status, const char **text) {
  *text = status == out_of_memory     ? "out of memory"
          : status == no_device       ? "no CUDA-capable device is detected"
          : status == illegal_address ? "an illegal memory access was encountered"
                                      : nullptr;
  return *text ? success : invalid_value;
}

Status cuDeviceGetCount(int *count) {
  *count = controls().devices;
  return check_process();
}

Status cuDeviceGet(DeviceNumber *device, int index) {
  *device = index;
  return index < controls().devices ? check_process() : invalid_value;
}

Status cuDeviceGetName(char *name, int bytes, DeviceNumber) {
  std::strncpy(name, "Fake Card", size_t(bytes));
  return check_process();
}

Status cuDeviceGetAttribute(int *value, int attribute, DeviceNumber device) {
  switch (attribute) {
  case compute_capability_major:
    *value = controls().capability / 10;
    break;
  case compute_capability_minor:
    *value = controls().capability % 10;
    break;
  case pinned_pages_keep_their_address:
    *value = 1;
    break;
  case max_threads_per_block:
  case max_block_dim_x:
  case max_block_dim_y:
    *value = 1024;
    break;
  case max_block_dim_z:
    *value = 64;
    break;
  case max_shared_memory_per_block:
    *value = 48 << 10;
    break;
  case max_shared_memory_per_block_optin:
    *value = 96 << 10;
    break;
  case multiprocessor_count:
    *value = multiprocessors;
    break;
  case clock_rate_khz:
    *value = 1'500'000;
    break;
  case l2_cache_bytes:
    *value = 1 << 20;
    break;
  case pci_domain_id:
    *value = 1;
    break;
  case pci_bus_id:
    *value = 0x65 + device;
    break;
  case pci_device_id:
    *value = 0;
    break;
  default:
    return invalid_value;
  }
  return check_process();
}

Status cuDeviceTotalMem_v2(std::size_t *bytes, DeviceNumber) {
  *bytes = std::size_t(controls().memory_bytes);
  return check_process();
}

Status cuDeviceGetUuid(unsigned char *sixteen_bytes, DeviceNumber device) {
  std::memset(sixteen_bytes, 0xfa, 16);
  sixteen_bytes[15] = static_cast<unsigned char>(device);
  return check_process();
}

Status cuDevicePrimaryCtxRetain(Context **context, DeviceNumber) {
  ++controls().contexts;
  *context = &state().context;
  return check_process();
}

Status cuCtxPushCurrent_v2(Context *context) {
  if (current_contexts.count == current_contexts.all.size())
    return invalid_context;
  current_contexts.all[current_contexts.count++] = context;
  return check_process();
}

Status cuCtxPopCurrent_v2(Context **context) {
  if (current_contexts.count == 0)
    return invalid_context;
  *context = current_contexts.all[--current_contexts.count];
  return success;
}

Status cuDeviceCanAccessPeer(int *can_access, DeviceNumber device, DeviceNumber peer) {
  *can_access = device != peer;
  return check_process();
}

// All devices have one memory here.
Status cuCtxEnablePeerAccess(Context *peer, unsigned flags) {
  return peer && flags == 0 ? check_context() : invalid_value;
}

Status cuStreamCreate(Stream **stream, unsigned flags) {
  if (const Status status = check_context())
    return status;
  if (flags != non_blocking_stream) // it would wait for the NULL stream, which this one does not
    return invalid_value;
  *stream = new Stream(200);
  return success;
}

Status cuStreamSynchronize(Stream *stream) {
  if (const Status status = check_context())
    return status;
  stream_of(stream).synchronize();
  return state().fault;
}

Status cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
  if (const Status status = check_context())
    return status;
  stream_of(stream).wait_for(*event);
  return success;
}

Status cuEventCreate(Event **event, unsigned flags) {
  if (const Status status = check_context())
    return status;
  *event = new Event;
  (*event)->is_timed = !(flags & event_without_timing);
  return success;
}

Status cuEventDestroy_v2(Event *event) {
  if (const Status status = check_context())
    return status;
  delete event;
  return success;
}

Status cuEventElapsedTime(float *milliseconds, Event *begin, Event *end) {
  if (const Status status = check_context())
    return status;
  std::chrono::steady_clock::time_point times[2];
  for (int i : {0, 1}) {
    Event &event = i ? *end : *begin;
    const std::lock_guard lock(event.mutex);
    if (!event.is_timed || !event.recorded)
      return invalid_handle;
    if (event.reached < event.recorded)
      return not_ready;
    times[i] = event.reached_at;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
  return success;
}

Status cuEventRecord(Event *event, Stream *stream) {
  if (const Status status = check_context())
    return status;
  ++controls().recorded_events;
  stream_of(stream).record(*event);
  return success;
}

Status cuEventQuery(Event *event) {
  if (const Status status = check_context())
    return status;
  const std::lock_guard lock(event->mutex);
  return event->reached < event->recorded ? not_ready : state().fault.load();
}

Status cuEventSynchronize(Event *event) {
  if (const Status status = check_context())
    return status;
  uint64_t record;
  {
    const std::lock_guard lock(event->mutex);
    record = event->recorded;
  }
  event->wait(record);
  return state().fault;
}

Status cuMemAlloc_v2(Address *address, std::size_t bytes) {
  if (const Status status = check_context())
    return status;
  if (const Status planted = take_status(controls().allocation_status))
    return planted;
  *address = Memory::instance().allocate(bytes, std::size_t(controls().memory_bytes));
  controls().allocations = Memory::instance().blocks();
  return *address ? success : out_of_memory;
}

// A real driver waits for all kernels first.
Status cuMemFree_v2(Address address) {
  if (const Status status = check_context())
    return status;
  const bool is_freed = Memory::instance().free(address);
  controls().allocations = Memory::instance().blocks();
  return is_freed ? success : invalid_value;
}

Status cuMemHostAlloc(void **memory, std::size_t bytes, unsigned) {
  if (const Status status = check_context())
    return status;
  *memory = Memory::instance().allocate_pinned(bytes);
  return *memory ? success : out_of_memory;
}

Status cuMemFreeHost(void *memory) {
  if (const Status status = check_context())
    return status;
  return Memory::instance().free_pinned(memory) ? success : invalid_value;
}

Status cuMemHostRegister_v2(void *memory, std::size_t bytes, unsigned) {
  if (const Status status = check_context())
    return status;
  if (const Status planted = take_status(controls().pin_status))
    return planted;
  if (reinterpret_cast<uintptr_t>(memory) % 4096 != 0 || bytes % 4096 != 0 || bytes == 0)
    return invalid_value; // stricter than the driver
  ++controls().pins;
  return Memory::instance().pin_pages(memory, bytes) ? success : already_pinned;
}

Status cuMemHostUnregister(void *memory) {
  if (const Status status = check_context())
    return status;
  return Memory::instance().unpin_pages(memory) ? success : invalid_value;
}

static Status check_copy(const void *host, Address address, std::size_t bytes) {
  if (const Status status = check_context())
    return status;
  if (const Status planted = take_status(controls().copy_status))
    return planted;
  return Memory::instance().is_pinned(host, bytes) &&
                 Memory::instance().is_in_a_block(address, bytes)
             ? success
             : invalid_value;
}

Status cuMemcpyHtoDAsync_v2(Address to, const void *from, std::size_t bytes, Stream *stream) {
  if (const Status status = check_copy(from, to, bytes))
    return status;
  stream_of(stream).add([=] {
    const Memory::Open open;
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    controls().bytes_to_device += bytes;
    ++controls().transfers;
  });
  return success;
}

Status cuMemcpyDtoHAsync_v2(void *to, Address from, std::size_t bytes, Stream *stream) {
  if (const Status status = check_copy(to, from, bytes))
    return status;
  stream_of(stream).add([=] {
    const Memory::Open open;
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    controls().bytes_to_host += bytes;
    ++controls().transfers;
  });
  return success;
}

// The host never reads or writes the memory itself.
static Status on_device(Address address, std::size_t bytes, std::size_t alignment) {
  if (const Status status = check_context())
    return status;
  return address % alignment == 0 && Memory::instance().is_in_a_block(address, bytes)
             ? success
             : invalid_value;
}

Status cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream *stream) {
  if (const Status status = on_device(to, bytes, 1))
    return status;
  if (const Status status = on_device(from, bytes, 1))
    return status;
  stream_of(stream).add([=] {
    const Memory::Open open;
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  });
  return success;
}

Status cuMemcpyPeerAsync(Address to, Context *to_context, Address from, Context *from_context,
                         std::size_t bytes, Stream *stream) {
  if (!to_context || !from_context)
    return invalid_context;
  ++state().controls.copies_between_devices;
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

Status cuMemcpy3DAsync_v2(const Copy3D *given, Stream *stream) {
  const Copy3D box = *given;
  const bool to_host = box.target_kind == Copy3D::host_memory,
             from_host = box.source_kind == Copy3D::host_memory;
  if ((!to_host && box.target_kind != Copy3D::device_memory) ||
      (!from_host && box.source_kind != Copy3D::device_memory) || (to_host && from_host) ||
      box.width > box.source_pitch || box.width > box.target_pitch ||
      (box.depth > 1 && (box.height > box.source_height || box.height > box.target_height)))
    return invalid_value;
  const auto target = [=](std::size_t y, std::size_t z) {
    return (to_host ? reinterpret_cast<Address>(box.target_host) : box.target) +
           (z * box.target_height + y) * box.target_pitch;
  };
  const auto source = [=](std::size_t y, std::size_t z) {
    return (from_host ? reinterpret_cast<Address>(box.source_host) : box.source) +
           (z * box.source_height + y) * box.source_pitch;
  };
  const auto check_row = [&](Address address, bool is_host) {
    if (!is_host)
      return on_device(address, box.width, 1);
    const bool is_pinned =
        Memory::instance().is_pinned(reinterpret_cast<const void *>(address), box.width);
    return is_pinned ? success : invalid_value;
  };
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y) {
      if (const Status status = check_row(target(y, z), to_host))
        return status;
      if (const Status status = check_row(source(y, z), from_host))
        return status;
    }
  stream_of(stream).add([=] {
    const Memory::Open open;
    for (std::size_t z = 0; z < box.depth; ++z)
      for (std::size_t y = 0; y < box.height; ++y)
        std::memcpy(reinterpret_cast<void *>(target(y, z)),
                    reinterpret_cast<const void *>(source(y, z)), box.width);
  });
  return success;
}

template <class Value>
static Status set(Address to, Value value, std::size_t count, Stream *stream) {
  if (const Status status = on_device(to, count * sizeof value, sizeof value))
    return status;
  stream_of(stream).add([=] {
    const Memory::Open open;
    std::fill_n(reinterpret_cast<Value *>(to), count, value);
  });
  return success;
}

Status cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream *stream) {
  return set(to, value, count, stream);
}

Status cuMemsetD16Async(Address to, unsigned short value, std::size_t count, Stream *stream) {
  return set(to, value, count, stream);
}

Status cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream *stream) {
  return set(to, value, count, stream);
}

// Machine code is the text, with these bytes in front of it.
static const std::string code_begins = "FAKE CODE\n";

Status cuLinkCreate_v2(unsigned count, int *options, void **values, Link **link) {
  if (const Status status = check_context())
    return status;
  *link = new Link;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == error_log_buffer)
      (*link)->log = static_cast<char *>(values[i]);
    if (options[i] == error_log_buffer_bytes)
      (*link)->log_bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  return success;
}

Status cuLinkAddData_v2(Link *link, int kind, void *data, std::size_t bytes, const char *, unsigned,
                        int *, void **) {
  if (const Status status = check_context())
    return status;
  const char *text = static_cast<const char *>(data);
  if (kind != ptx_input || bytes == 0 || text[bytes - 1] != 0)
    return invalid_value;
  ++controls().assembled_texts;
  std::string log;
  if (!read_module(text, controls().capability, log)) {
    if (link->log)
      std::strncpy(link->log, log.c_str(), link->log_bytes - 1);
    return invalid_ptx;
  }
  link->image = code_begins + text;
  return success;
}

Status cuLinkComplete(Link *link, void **image, std::size_t *bytes) {
  if (const Status status = check_context())
    return status;
  *image = link->image.data();
  *bytes = link->image.size();
  return success;
}

Status cuLinkDestroy(Link *link) {
  delete link;
  return success;
}

Status cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options,
                          void **values) {
  if (const Status status = check_context())
    return status;
  while (running_kernels != 0) // as the driver does, it seems
    std::this_thread::yield();
  std::string log;
  std::string_view text = static_cast<const char *>(image);
  if (text.starts_with(code_begins))
    text.remove_prefix(code_begins.size());
  auto made = read_module(text, controls().capability, log);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == error_log_buffer)
      for (unsigned j = 0; j < count; ++j)
        if (options[j] == error_log_buffer_bytes)
          std::strncpy(static_cast<char *>(values[i]), log.c_str(),
                       reinterpret_cast<std::size_t>(values[j]) - 1);
  *module = made.release();
  return *module ? success : invalid_ptx;
}

Status cuModuleUnload(Module *module) {
  if (const Status status = check_context())
    return status;
  delete module;
  return success;
}

Status cuModuleGetFunction(Function **function, Module *module, const char *name) {
  if (const Status status = check_context())
    return status;
  const auto found = module->functions.find(std::string_view(name));
  if (found == module->functions.end())
    return not_found;
  *function = &found->second;
  return success;
}

Status cuFuncGetAttribute(int *value, int attribute, Function *function) {
  if (const Status status = check_context())
    return status;
  if (attribute != function_max_threads_per_block && attribute != function_max_dynamic_shared_bytes)
    return invalid_value;
  *value = attribute == function_max_threads_per_block ? 1024 : function->dynamic_shared_bytes;
  return success;
}

Status cuFuncSetAttribute(Function *function, int attribute, int value) {
  if (const Status status = check_context())
    return status;
  if (attribute != function_max_dynamic_shared_bytes || value > (96 << 10))
    return invalid_value;
  function->dynamic_shared_bytes = value;
  return success;
}

Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *, int threads,
                                                   std::size_t) {
  if (const Status status = check_context())
    return status;
  *blocks = blocks_per_multiprocessor;
  return threads > 0 && threads <= 1024 ? success : invalid_value;
}

// The driver copies the values during the call.
static GraphNode copy_of(const KernelNode &given) {
  GraphNode copy{given, {}};
  copy.launch.parameters = nullptr;
  for (std::size_t i = 0; i < given.function->parameters.size(); ++i) {
    const auto *begin = static_cast<const std::byte *>(given.parameters[i]);
    copy.parameters.emplace_back(begin, begin + given.function->parameters[i]);
  }
  return copy;
}

static Status launch(const GraphNode &node, Stream *stream) {
  if (const Status status = check_context())
    return status;
  if (const Status planted = take_status(controls().launch_status))
    return planted;
  const KernelNode &given = node.launch;
  Launch launch{.image = given.function->module->image,
                .function = given.function->name,
                .grid = {given.grid_x, given.grid_y, given.grid_z},
                .block = {given.block_x, given.block_y, given.block_z},
                .shared_bytes = given.shared_bytes,
                .parameters = node.parameters};
  if (const Status status = check_launch(launch, *given.function))
    return status;
  ++controls().submitted_launches;
  stream_of(stream).add([launch = std::move(launch)] { run_launch(launch); });
  return success;
}

Status cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      Stream *stream, void **parameters, void **) {
  return launch(copy_of({function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                         parameters, nullptr}),
                stream);
}

Status cuGraphCreate(Graph **graph, unsigned) {
  if (const Status status = check_context())
    return status;
  *graph = new Graph;
  return success;
}

Status cuGraphDestroy(Graph *graph) {
  if (const Status status = check_context())
    return status;
  delete graph;
  return success;
}

Status cuGraphAddKernelNode(GraphNode **node, Graph *graph, GraphNode *const *, std::size_t,
                            const KernelNode *launch) {
  if (const Status status = check_context())
    return status;
  graph->node = std::make_unique<GraphNode>(copy_of(*launch));
  *node = graph->node.get();
  return success;
}

Status cuGraphInstantiate_v2(GraphExec **exec, Graph *graph, GraphNode **, char *, std::size_t) {
  if (const Status status = check_context())
    return status;
  if (const Status planted = take_status(controls().graph_status))
    return planted;
  *exec = new GraphExec{graph->node.get(), *graph->node};
  ++controls().graphs;
  return success;
}

Status cuGraphExecKernelNodeSetParams(GraphExec *exec, GraphNode *node, const KernelNode *launch) {
  if (const Status status = check_context())
    return status;
  if (node != exec->node)
    return invalid_value;
  exec->current = copy_of(*launch);
  return success;
}

Status cuGraphLaunch(GraphExec *exec, Stream *stream) {
  const Status status = launch(exec->current, stream);
  controls().graph_launches += status == success;
  return status;
}

Status cuGraphExecDestroy(GraphExec *exec) {
  if (const Status status = check_context())
    return status;
  delete exec;
  --controls().graphs;
  return success;
}

} // namespace api
} // namespace lockstep::fake_cuda

std::size_t fake_cuda_inits() {
  return lockstep::fake_cuda::controls().inits;
}
std::size_t fake_cuda_contexts() {
  return lockstep::fake_cuda::controls().contexts;
}
std::size_t fake_cuda_pins() {
  return lockstep::fake_cuda::controls().pins;
}
bool fake_cuda_is_pinned(const void *memory, std::size_t bytes) {
  return lockstep::fake_cuda::Memory::instance().is_pinned(memory, bytes);
}
