// Commands in order: nothing is reported.
#include "command_races.h"

const Cases ordered_cases = {
    {"parts_by_event",
     [](Program &p) {
       Parts parts(p.device);
       cl::Event made = parts.run(0, "number", {parts.a});
       parts.run(1, "take", {parts.a, parts.b}, {made});
       parts.finish();
     }},
    {"native_kernel_by_event",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       p.run_native(p.free, {made});
     }},
    {"rows_side_by_side",
     [](Program &p) {
       p.rows(p.free, 0);
       p.rows(p.free2, 64);
     }},
    {"in_order",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order, "add_one", {p.a});
       p.read(p.in_order);
     }},
    {"by_events",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       cl::Event one = p.run(p.free2, "take", {p.a, p.b}, {made});
       cl::Event other = p.run(p.in_order, "take", {p.a, p.c}, {made});
       p.fill(p.free, 0, bytes, {one, other});
     }},
    {"by_barrier",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.free.enqueueBarrierWithWaitList();
       p.read(p.free);
     }},
    {"by_marker",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       cl::Event all;
       p.free.enqueueMarkerWithWaitList(nullptr, &all);
       p.read(p.in_order, {all});
     }},
    {"by_finish",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.free.finish();
       p.read(p.free2);
     }},
    {"by_wait_for_a_later_one",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order, "number", {p.b}).wait();
       p.read(p.free);
     }},
    {"polled_and_waited_for",
     [](Program &p) {
       cl::Event made = p.run(p.in_order, "number", {p.a});
       poll(p.in_order, made);
       made.wait();
       p.read(p.free);
     }},
    {"by_callback",
     [](Program &p) {
       cl::Event made = p.run(p.in_order, "number", {p.a});
       static std::atomic<bool> is_called = false;
       made.setCallback(CL_COMPLETE, [](cl_event, cl_int, void *) { is_called = true; });
       p.in_order.flush();
       while (!is_called)
         std::this_thread::yield();
       p.read(p.free);
     }},
    {"by_user_event",
     [](Program &p) {
       cl::UserEvent go(p.context);
       cl::Event later = p.read(p.free, {go});
       p.run(p.in_order, "number", {p.a}).wait();
       go.setStatus(CL_COMPLETE);
       later.wait();
     }},
    {"two_readers",
     [](Program &p) {
       p.run(p.free, "take", {p.a, p.b});
       p.run(p.free, "take", {p.a, p.c});
       p.read(p.free2);
     }},
    {"halves",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
       p.free.finish();
       p.free2.finish();
       p.fill(p.free, 0, bytes / 2);
       p.fill(p.free, bytes / 2, bytes);
     }},
    {"maps_waited_for",
     [](Program &p) {
       auto map = [&p](cl::CommandQueue &queue, cl::Event &event) {
         return static_cast<volatile cl_int *>(queue.enqueueMapBuffer(
             p.a, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, nullptr, &event));
       };
       auto use = [&p](volatile cl_int *mapped) {
         mapped[7] = mapped[8] + 1;
         p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
         p.in_order.finish();
       };
       cl::Event event;
       auto *mapped = map(p.in_order, event);
       p.in_order.finish();
       use(mapped);
       mapped = map(p.in_order, event);
       event.wait();
       use(mapped);
       mapped = map(p.free, event);
       cl::Event marker;
       const Program::Events after{event};
       p.free2.enqueueMarkerWithWaitList(&after, &marker);
       marker.wait();
       use(mapped);
       mapped = map(p.in_order, event);
       static std::atomic<bool> is_called = false;
       event.setCallback(CL_COMPLETE, [](cl_event, cl_int, void *) { is_called = true; });
       p.in_order.flush();
       while (!is_called)
         std::this_thread::yield();
       use(mapped);
       mapped = map(p.in_order, event);
       p.in_order.enqueueReadBuffer(p.b, CL_TRUE, 0, bytes, p.host.data());
       use(mapped);
     }},
    {"gathered_beside",
     [](Program &p) {
       p.run(p.free, "sort_out", {p.a, p.b}, {}, 0, count / 4);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
       p.free.finish();
       p.free2.finish();
     }},
    {"constant_memory_by_event",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       cl::Event used = p.run(p.free2, "look_up", {p.a, p.b}, {made});
       p.fill(p.free, 0, bytes, {used});
     }},
    {"constant_memory_beside",
     [](Program &p) {
       p.run(p.free, "look_up", {p.a, p.b});
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
     }},
    {"steps_of_stencil_by_events",
     [](Program &p) {
       const cl::Event first = p.run(p.free, "smooth", {p.a, p.b});
       p.run(p.free, "smooth", {p.b, p.c}, {first});
       p.free.finish();
     }},
    {"counted_in_copies_beside", // each worker has a private copy of some words
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.run(p.free2, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 128 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"counted_in_copies_and_filled",
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 126 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"word_between_counters_is_filled",
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 63 * sizeof(cl_int), 64 * sizeof(cl_int));
       p.finish();
     }},
    {"filled_beside_long_rows", // the launch knows its own footprint
     [](Program &p) {
       p.run(p.free, "rows", {p.a}, {}, 0, 30 * 64);
       cl::Event before = p.fill(p.free2, 0, 129 * sizeof(cl_int));
       for (size_t row = 1; row != 31; ++row)
         before = p.fill(p.free2, (128 * row + 65) * sizeof(cl_int),
                         (128 * row + 129) * sizeof(cl_int), {before});
       p.finish();
     }},
    {"filled_in_a_long_row",
     [](Program &p) {
       p.run(p.free, "rows", {p.a}, {}, 0, 30 * 64);
       p.fill(p.free, (128 * 5 + 64) * sizeof(cl_int), (128 * 5 + 65) * sizeof(cl_int));
       p.finish();
     }},
    {"filled_between_what_is_copied", // every third word
     [](Program &p) {
       p.run(p.free, "spread", {p.a}, {}, 0, count / 4);
       p.fill(p.free, 4, 12);
       p.fill(p.free, count / 256 * 192 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"filled_where_it_is_copied",
     [](Program &p) {
       p.run(p.free, "spread", {p.a}, {}, 0, count / 4);
       p.fill(p.free, 187 * sizeof(cl_int), 190 * sizeof(cl_int));
       p.finish();
     }},
    {"atomics", // both add to one word at the same time
     [](Program &p) {
       p.fill(p.free, 0, bytes).wait();
       p.run(p.free, "tally", {p.a});
       p.run(p.free2, "tally", {p.a});
       p.finish();
       p.read(p.free).wait();
       if (p.host[0] != cl_int(7 + 2 * count)) {
         std::fprintf(stderr, "the sum is %d\n", p.host[0]);
         std::exit(1);
       }
     }},
    {"halves_of_a_child", // the first launch covers all that it enqueues
     [](Program &p) {
       p.let_number(p.free);
       p.fill(p.free2, bytes / 2, bytes);
       p.finish();
     }},
    {"child_by_event",
     [](Program &p) {
       const auto event = p.let_number(p.free);
       p.read(p.free2, {event});
       p.finish();
     }},
    {"other_buffers_later", // memory may be at an address that another buffer had before
     [](Program &p) {
       for (int i = 0; i < 200; ++i) {
         p.a = cl::Buffer(p.context, CL_MEM_READ_WRITE, bytes);
         p.run(p.free, "number", {p.a});
       }
     }},
    {"unmapped_before",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       static_cast<cl_int *>(mapped)[0] = 7;
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.run(p.in_order, "take", {p.a, p.b});
     }},
    {"unmapped_by_event",
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ | CL_MAP_WRITE);
       cl::Event unmapped;
       p.free.enqueueUnmapMemObject(p.a, mapped, nullptr, &unmapped);
       p.run(p.free2, "number", {p.a}, {unmapped});
     }},
    {"read_while_mapped_for_reading",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.run(p.in_order, "take", {p.a, p.b});
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"runs_when_it_is_unmapped", // although it was enqueued before
     [](Program &p) {
       cl::UserEvent go(p.context);
       void *mapped = p.map(p.free, CL_MAP_WRITE);
       p.run(p.free2, "number", {p.a}, {go});
       cl::Event unmapped;
       p.free.enqueueUnmapMemObject(p.a, mapped, nullptr, &unmapped);
       unmapped.wait();
       go.setStatus(CL_COMPLETE);
     }},
    {"mapped_again",
     [](Program &p) {
       for (int i = 0; i < 3; ++i) {
         void *mapped = p.map(p.in_order, CL_MAP_WRITE, CL_FALSE);
         p.in_order.enqueueUnmapMemObject(p.a, mapped);
         p.run(p.in_order, "add_one", {p.a});
       }
     }},
    {"touched_while_mapped",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto *mapped = static_cast<cl_int *>(p.map(p.in_order, CL_MAP_READ | CL_MAP_WRITE));
       if (mapped[7] != 7)
         std::abort();
       mapped[count - 1] = 5;
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.run(p.in_order, "add_one", {p.a});
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[7] != 8 || p.host[count - 1] != 6)
         std::abort();
     }},
    {"other_part_stays_mapped",
     [](Program &p) {
       auto *one = p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_READ, 0, 64);
       auto *other =
           static_cast<cl_int *>(p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_WRITE, 64, 64));
       p.in_order.enqueueUnmapMemObject(p.a, one);
       other[0] = 1;
       p.in_order.enqueueUnmapMemObject(p.a, other);
     }},
    {"shared_is_unmapped_before",
     [](Program &p) { p.run_on_shared("number", CL_MAP_READ | CL_MAP_WRITE, true); }},
    {"shared_is_read_while_mapped_for_reading",
     [](Program &p) { p.run_on_shared("take", CL_MAP_READ, false); }},
};
