// The host accesses memory of commands: mapped, not mapped, shared.
#include "command_races.h"

const Cases host_cases = {
    {"host_reads_unmapped",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       p.in_order.finish();
       if (mapped[3] != 3) // HOST READS
         std::abort();
     }},
    {"host_writes_unmapped",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_WRITE));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       mapped[3] = 77; // HOST WRITES
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 77)
         std::abort();
     }},
    {"another_thread_reads_unmapped",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_WRITE));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       std::thread([mapped] { mapped[0] = 1; }).join();
     }},
    {"host_reads_before_map_has_ended",
     [](Program &p) {
       cl::UserEvent gate(p.context);
       const Program::Events after{gate};
       auto *mapped = static_cast<volatile cl_int *>(
           p.in_order.enqueueMapBuffer(p.a, CL_FALSE, CL_MAP_READ, 0, bytes, &after));
       p.host[0] = mapped[0];
       gate.setStatus(CL_COMPLETE);
     }},
    {"host_reads_long_after_map_has_ended", // nothing has waited for it
     [](Program &p) {
       cl::Event mapped_event;
       auto *mapped = static_cast<volatile cl_int *>(p.in_order.enqueueMapBuffer(
           p.a, CL_FALSE, CL_MAP_READ, 0, bytes, nullptr, &mapped_event));
       p.in_order.flush();
       std::this_thread::sleep_for(std::chrono::milliseconds(100));
       p.host[0] = mapped[0];
     }},
    {"host_reads_after_polling_of_map",
     [](Program &p) {
       cl::Event mapped_event;
       auto *mapped = static_cast<volatile cl_int *>(p.in_order.enqueueMapBuffer(
           p.a, CL_FALSE, CL_MAP_READ, 0, bytes, nullptr, &mapped_event));
       poll(p.in_order, mapped_event);
       p.host[0] = mapped[0];
     }},
    {"host_writes_what_is_mapped_for_reading",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       mapped[0] = 1;
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
     }},
    {"commands_use_what_is_mapped", // between map and unmap; the program waits for neither
     [](Program &p) {
       cl::UserEvent go(p.context);
       const Program::Events after{go};
       p.run(p.in_order, "number", {p.b});
       void *mapped = p.in_order.enqueueMapBuffer(p.a, CL_FALSE, CL_MAP_WRITE, 0, bytes, &after);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       mapped = p.map(p.in_order, CL_MAP_READ, CL_FALSE);
       p.in_order.enqueueWriteBuffer(p.c, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueWriteBufferRect(p.c, CL_FALSE, {64, 0, 0}, {64, 0, 0},
                                         {64, bytes / 128, 1}, 128, 0, 128, 0, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       go.setStatus(CL_COMPLETE);
       p.in_order.enqueueReadBuffer(p.c, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 3 || p.host[count - 1] != count - 1)
         std::abort();
     }},
    {"read_into_what_is_mapped_for_reading",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"read_into_what_was_unmapped",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
     }},
    {"read_into_more_than_is_mapped",
     [](Program &p) {
       void *mapped = p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_WRITE, 0, bytes / 2);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes / 2 + 4, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"written_from_what_another_queue_unmaps",
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ | CL_MAP_WRITE);
       p.free.enqueueWriteBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.free2.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"read_into_what_kernel_uses", // it may read what is mapped for reading, but not during a write
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ);
       p.run(p.free, "take", {p.a, p.c});
       p.free.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.finish();
       p.free.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"host_copies_unmapped",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       std::memcpy(p.host.data(), mapped, bytes); // HOST COPIES
     }},
    {"host_reads_unmapped_while_stderr_is_locked", // a report needs the lock
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       flockfile(stderr);
       const cl_int read = mapped[3]; // HOST READS LOCKED
       std::fprintf(stderr, "the program has read %d\n", read);
       funlockfile(stderr);
     }},

    // ---- coarse-grained shared virtual memory
    {"shared_is_touched_while_mapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       for (int round = 0; round < 3; ++round) {
         p.map(shared, CL_MAP_READ | CL_MAP_WRITE);
         if (shared[7] != 7 + round)
           std::abort();
         shared[7] = 8 + round;
         p.unmap(shared);
       }
       p.map(shared, CL_MAP_READ);
       std::thread([shared] { // a thread that started while it was mapped
         if (shared[7] != 10 || shared[count - 1] != count - 1)
           std::abort();
       })
           .join();
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_touched_by_commands",
     [](Program &p) {
       auto *shared = const_cast<cl_int *>(p.numbered_shared());
       const cl_int seven = 7;
       clEnqueueSVMMemFill(p.in_order(), shared, &seven, sizeof seven, 64, 0, nullptr, nullptr);
       clEnqueueSVMMemcpy(p.in_order(), CL_TRUE, p.host.data(), shared, bytes, 0, nullptr, nullptr);
       if (p.host[15] != 7 || p.host[16] != 16)
         std::abort();
       p.host[3] = 33;
       clEnqueueSVMMemcpy(p.in_order(), CL_TRUE, shared, p.host.data(), 16, 0, nullptr, nullptr);
       p.in_order.enqueueWriteBuffer(p.a, CL_TRUE, 0, bytes, shared);
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 33 || p.host[count - 1] != count - 1)
         std::abort();
       p.let_go(shared);
     }},
    {"shared_is_read_unmapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       if (shared[3] != 3) // SHARED READS
         std::abort();
       p.let_go(shared);
     }},
    {"shared_is_written_after_unmap",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ | CL_MAP_WRITE);
       shared[3] = 5;
       p.unmap(shared);
       shared[3] = 77; // SHARED WRITES
       p.map(shared, CL_MAP_READ);
       if (shared[3] != 77)
         std::abort();
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_read_before_map_has_ended",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ, CL_FALSE);
       p.host[0] = shared[0]; // SHARED READS EARLY
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_read_where_it_is_not_mapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ, CL_TRUE, 4096);
       p.host[0] = shared[0] + shared[count - 1]; // SHARED READS BESIDE
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_written_while_mapped_for_reading",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ);
       shared[1] = shared[0]; // SHARED WRITES FOR READING
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_written_by_native_kernel",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.in_order.enqueueNativeKernel(
           [](void *given) { **static_cast<cl_int *volatile *>(given) = 5; }, // SHARED NATIVE
           {&shared, sizeof shared});
       p.let_go(shared);
     }},
    {"memory_of_device_is_written",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto allocate = reinterpret_cast<void *(*)(cl_context, cl_device_id, const cl_ulong *,
                                                  size_t, cl_uint, cl_int *)>(
           clGetExtensionFunctionAddressForPlatform(
               cl::Platform(p.device.getInfo<CL_DEVICE_PLATFORM>())(), "clDeviceMemAllocINTEL"));
       auto free = reinterpret_cast<cl_int (*)(cl_context, void *)>(
           clGetExtensionFunctionAddressForPlatform(
               cl::Platform(p.device.getInfo<CL_DEVICE_PLATFORM>())(), "clMemFreeINTEL"));
       auto *memory = static_cast<volatile cl_int *>(
           allocate(p.context(), p.device(), nullptr, bytes, 0, nullptr));
       memory[5] = 6; // DEVICE WRITES
       free(p.context(), const_cast<cl_int *>(memory));
     }},
};
