// Commands that nothing orders, although they access the same bytes.
#include "command_races.h"

const Cases unordered_cases = {
    {"shared_is_read_while_mapped_for_writing",
     [](Program &p) { p.run_on_shared("take", CL_MAP_WRITE, false); }},
    {"shared_is_written_while_mapped",
     [](Program &p) { p.run_on_shared("number", CL_MAP_READ, false); }},
    {"read_while_mapped_for_writing",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       p.run(p.in_order, "take", {p.a, p.b});
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"written_while_mapped",
     [](Program &p) {
       p.map(p.in_order, CL_MAP_READ);
       p.run(p.in_order, "number", {p.a});
     }},
    {"unmapped_without_event",
     [](Program &p) {
       cl::UserEvent go(p.context);
       void *mapped = p.map(p.free, CL_MAP_WRITE);
       const Program::Events wait = {go};
       p.free.enqueueUnmapMemObject(p.a, mapped, &wait);
       p.run(p.free, "number", {p.a}).wait();
       go.setStatus(CL_COMPLETE);
     }},
    {"parts_without_event",
     [](Program &p) {
       Parts parts(p.device);
       parts.run(0, "number", {parts.a});
       parts.run(1, "take", {parts.a, parts.b});
       parts.finish();
     }},
    {"native_kernel_without_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.run_native(p.free);
     }},
    {"rows_that_overlap",
     [](Program &p) {
       p.rows(p.free, 0);
       p.fill(p.free2, 0, bytes);
     }},
    {"read_without_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.read(p.free);
     }},
    {"child_without_event",
     [](Program &p) {
       p.let_number(p.free);
       p.read(p.free2);
       p.finish();
     }},
    {"read_long_after",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.in_order.flush();
       std::this_thread::sleep_for(std::chrono::milliseconds(300));
       p.read(p.free);
     }},
    {"read_after_polling", // a query of the status is not a synchronization point
     [](Program &p) {
       cl::Event made = p.run(p.in_order, "number", {p.a});
       poll(p.in_order, made);
       p.read(p.free);
     }},
    {"two_queues",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order2, "take", {p.a, p.b});
     }},
    {"waits_for_the_wrong_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       cl::Event other = p.run(p.free, "number", {p.b});
       p.read(p.free, {other});
     }},
    {"written_while_read",
     [](Program &p) {
       p.run(p.free, "take", {p.a, p.b});
       p.fill(p.free2, 0, bytes);
     }},
    {"fills_that_overlap",
     [](Program &p) {
       p.fill(p.free, 0, bytes / 2 + 4);
       p.fill(p.free, bytes / 2, bytes);
     }},
    {"rows_that_meet_rows",
     [](Program &p) {
       p.rows(p.free, 0);
       p.rows(p.free2, 32);
     }},
    {"rest_is_read_and_written", // neither accesses all of the buffer
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run(p.free, "take", {p.a, p.b}, {}, 0, count / 2);
     }},
    {"steps_of_stencil",
     [](Program &p) {
       p.run(p.free, "smooth", {p.a, p.b});
       p.run(p.free, "smooth", {p.b, p.c});
     }},
    {"constant_memory_while_written",
     [](Program &p) {
       p.run(p.free, "look_up", {p.a, p.b});
       p.run(p.free2, "number", {p.a}, {}, 0, count / 4);
     }},
    {"gathered_while_written",
     [](Program &p) {
       p.run(p.free, "sort_out", {p.a, p.b}, {}, 0, count / 4);
       p.run(p.free2, "sort_out", {p.c, p.a}, {}, 0, count / 2);
     }},
    {"native_kernel_beside_a_half",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run_native(p.free);
     }},
    {"halves_that_overlap",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2 + 64);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
     }},
};
