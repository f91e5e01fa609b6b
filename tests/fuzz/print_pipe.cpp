// Prints pipes as OpenCL C: code that draws packets from one pipe and writes to another, and the
// host's own kernels that fill and drain pipes.
#include "printer.h"

#include <iterator>

namespace lockstep::fuzz {

namespace {

const PipePacket packets[] = {
    {"uint", "", "x", "p", 4},
    {"ulong", "", "(ulong)x << 20 | 5", "(uint)(p >> 20)", 8},
    {"uint4", "", "(uint4)(x, 2 * x, 7, x)", "p.x + p.y - p.s3 - p.w", 16},
    {"char16", "", "as_char16((uint4)(9, x, 3, ~x))", "as_uint4(p).y", 16},
    {"struct Packet", "struct Packet { uchar tag; uint rest; short3 more; };\n",
     "(struct Packet){(uchar)x, x - (uchar)x, (short3)(1, 2, 3)}", "p.tag + p.rest + p.more.z - 3",
     16},
};

} // namespace

int pipe_packet_count() {
  return int(std::size(packets));
}
const PipePacket &pipe_packet(int number) {
  return packets[number];
}

namespace {

std::string pipe_name(const Array &array, uint32_t slot) {
  return array.name + (array.space == Space::tickets ? "_" + number(slot) : "");
}

std::string pipe_list(const Array &array, const std::string &before) {
  std::string text;
  const uint32_t count = array.space == Space::tickets ? array.slots : 1;
  for (uint32_t slot = 0; slot < count; ++slot)
    text += (slot ? ", " : "") + before + pipe_name(array, slot);
  return text;
}

} // namespace

std::string pipe_names(const Program &, const Array &array) {
  return pipe_list(array, "");
}

std::string pipe_parameters(const Program &program, const Array &array) {
  const std::string access = array.space == Space::tickets ? "read_only" : "write_only";
  return pipe_list(array, access + " pipe " + pipe_packet(program.pipes.packet).type + " ");
}

std::string Printer::pipe_prelude() const {
  const PipePacket &packet = pipe_packet(program_.pipes.packet);
  const std::string type = packet.type;
  return packet.declaration + type + " packet_of(uint x) { return " + packet.made_of_number +
         "; }\nuint number_of(" + type + " p) { return " + packet.number +
         "; }\nkernel void fill_pipe(write_only pipe " + type +
         " to, uint count) {\n  for (uint x = 0; x < count; ++x) {\n    " + type +
         " packet = packet_of(x);\n    write_pipe(to, &packet);\n  }\n}\n"
         "kernel void drain_pipe(read_only pipe " +
         type +
         " from, global uint *numbers, global uint *count, uint most) {\n  uint found = 0;\n  " +
         type +
         " packet;\n  for (uint i = 0; i < most; ++i)\n    if (read_pipe(from, &packet) == 0)\n"
         "      numbers[found++] = number_of(packet);\n  *count = found;\n}\n";
}

// The use of a packet is printed at the point where the packet was read.
void Printer::pipe_ticket(const Stmt &s, const std::string &change, int depth) {
  std::string from = pipe_name(program_.arrays[s.source], uint32_t(s.style)), to;
  for (const Array &array : program_.arrays)
    if (array.space == Space::packets)
      to = array.name;
  const std::string type = pipe_packet(program_.pipes.packet).type,
                    ticket = function_->variables[s.ref].name,
                    goes_on = "packet_of((" + ticket + " * 8 + " + number(uint64_t(s.style)) +
                              ") ^ (uint)(" + expression(*s.expr[1]) + ") << 16)";
  line(depth, "{");
  if (s.pipe_way == PipeWay::plain) {
    line(depth + 1, type + " packet;");
    line(depth + 1, "if (read_pipe(" + from + ", &packet) == 0) {");
    line(depth + 2, "uint " + ticket + " = number_of(packet);");
    line(depth + 2, change);
    line(depth + 2, "packet = " + goes_on + ";");
    line(depth + 2, "write_pipe(" + to + ", &packet);");
  } else {
    const bool of_group = s.pipe_way == PipeWay::group,
               of_sub_group = s.pipe_way == PipeWay::sub_group, two = s.pipe_way == PipeWay::two;
    const std::string scope = of_group       ? "work_group_"
                              : of_sub_group ? "sub_group_"
                                             : "",
                      count = of_group       ? "local_count()"
                              : of_sub_group ? "get_sub_group_size()"
                                             : "1",
                      index = of_group       ? "local_linear()"
                              : of_sub_group ? "get_sub_group_local_id()"
                                             : "0";
    line(depth + 1, type + " packet" + (two ? "s[2], packet;" : ";"));
    line(depth + 1, "reserve_id_t reservation = " + scope + "reserve_read_pipe(" + from + ", " +
                        (two ? "2" : count) + ");");
    line(depth + 1, "if (is_valid_reserve_id(reservation)) {");
    if (two) {
      line(depth + 2, "read_pipe(" + from + ", reservation, 1, &packets[1]);");
      line(depth + 2, "read_pipe(" + from + ", reservation, 0, &packets[0]);");
    } else {
      line(depth + 2, "read_pipe(" + from + ", reservation, " + index + ", &packet);");
    }
    line(depth + 2, scope + "commit_read_pipe(" + from + ", reservation);");
    line(depth + 2,
         "uint " + ticket + " = " +
             (two ? "(number_of(packets[0]) + number_of(packets[1])) / 4" : "number_of(packet)") +
             ";");
    line(depth + 2, change);
    line(depth + 2, "packet = " + goes_on + ";");
    line(depth + 2, "reservation = " + scope + "reserve_write_pipe(" + to + ", " + count + ");");
    line(depth + 2, "if (is_valid_reserve_id(reservation)) {");
    line(depth + 3, "write_pipe(" + to + ", reservation, " + index + ", &packet);");
    line(depth + 3, scope + "commit_write_pipe(" + to + ", reservation);");
    line(depth + 2, "}");
  }
  line(depth + 1, "}");
  line(depth, "}");
}

} // namespace lockstep::fuzz
