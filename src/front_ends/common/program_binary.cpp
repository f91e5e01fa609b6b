// Program binaries: the format of CL_PROGRAM_BINARIES and of cache entries.
//
//   magic        8 bytes   "LOCKSTEP"
//   checksum    32 bytes   BLAKE3 of everything after it
//   format       4 bytes   of this layout
//   producer     string    versions of Lockstep and LLVM: bitcode is only read by the same versions
//   type         1 byte    BinaryType
//   language     1 byte    SourceLanguage; objects and libraries only
//   options      string
//   kernels      table     executables only
//   bitcode      string
//   code         string    machine code, as driver/ahead_of_time.h writes it; executables only
//
// The checksum is verified before any field is used, because LLVM's bitcode reader is not made for
// hostile input. It detects damage, not forgery: anyone can compute a checksum. The layout that the
// table describes is therefore verified as well, and a crash of LLVM becomes an error
// (crash_guard.h).
#include "abi/launch_abi.h"
#include "front_ends/front_ends.h"
#include "support/byte_stream.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <bit>

namespace lockstep::compiler {
namespace {

constexpr std::string_view magic = "LOCKSTEP";
constexpr uint32_t format_version = 6;
constexpr std::string_view producer = "Lockstep " LOCKSTEP_VERSION ", LLVM " LLVM_VERSION_STRING;
using Checksum = llvm::BLAKE3Result<32>;

Error invalid(const char *reason) {
  return {ErrorKind::invalid_binary, std::string("the program binary ") + reason};
}

// ---- the kernel table: one list of members, used in both directions ----

template <class Stream, class Value> void transfer(Stream &stream, Value &value) {
  if constexpr (std::is_same_v<Stream, ByteWriter>)
    stream.put(value);
  else
    stream.get(value);
}

template <class Stream, class Element, class Function>
void transfer_list(Stream &stream, std::vector<Element> &list, Function transfer_element) {
  if constexpr (std::is_same_v<Stream, ByteWriter>)
    stream.put(static_cast<uint64_t>(list.size()));
  else
    list.resize(stream.get_count());
  for (Element &element : list)
    transfer_element(stream, element);
}

template <class Stream> void transfer_argument(Stream &stream, KernelArg &argument) {
  transfer(stream, argument.kind);
  transfer(stream, argument.size);
  transfer(stream, argument.alignment);
  transfer(stream, argument.offset);
  transfer(stream, argument.pointee_alignment);
  transfer(stream, argument.name);
  transfer(stream, argument.type_name);
  transfer(stream, argument.address_space);
  transfer(stream, argument.access);
  transfer_list(stream, argument.type_qualifiers,
                [](Stream &s, std::string &text) { transfer(s, text); });
}

template <class Stream> void transfer_kernel(Stream &stream, KernelInfo &kernel) {
  transfer(stream, kernel.name);
  transfer_list(stream, kernel.args, transfer_argument<Stream>);
  transfer(stream, kernel.argument_block_size);
  transfer(stream, kernel.has_arg_info);
  transfer(stream, kernel.reqd_work_group_size);
  transfer(stream, kernel.work_group_size_hint);
  transfer(stream, kernel.reqd_sub_group_size);
  transfer(stream, kernel.reqd_sub_group_count);
  transfer(stream, kernel.vec_type_hint);
  transfer(stream, kernel.attributes);
  transfer(stream, kernel.local_memory_size);
  transfer(stream, kernel.private_memory_size);
  transfer(stream, kernel.uniform_work_group_size);
  transfer(stream, kernel.enqueues);
  transfer(stream, kernel.explains_failures);
  transfer(stream, kernel.denorms_are_zero);
}

// True if arguments can be written where the table places them.
bool is_sound(const KernelArg &argument, uint32_t block_size) {
  return argument.kind <= ArgKind::block && std::has_single_bit(argument.alignment) &&
         std::has_single_bit(argument.pointee_alignment) &&
         (argument.kind == ArgKind::value || argument.size == sizeof(uint64_t)) &&
         uint64_t{argument.offset} + argument.size <= block_size;
}

bool is_sound(const std::vector<KernelInfo> &kernels) {
  return std::ranges::all_of(kernels, [](const KernelInfo &kernel) {
    return std::ranges::all_of(kernel.args, [&](const KernelArg &argument) {
      return is_sound(argument, kernel.argument_block_size);
    });
  });
}

// ---- the frame around it ----

std::string framed(BinaryType type, ByteWriter &content) {
  ByteWriter body;
  body.put(format_version);
  body.put(producer);
  body.put(static_cast<uint8_t>(type));
  body.bytes() += content.bytes();
  Checksum checksum = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(body.bytes()));
  std::string binary(magic);
  binary.append(reinterpret_cast<const char *>(checksum.data()), checksum.size());
  return binary + body.bytes();
}

struct OpenedBinary {
  BinaryType type;
  ByteReader content;
};

Result<OpenedBinary> open_binary(std::string_view binary) {
  constexpr size_t header_size = magic.size() + std::tuple_size_v<Checksum>;
  if (is_spirv(binary))
    return invalid("is SPIR-V, which clCreateProgramWithIL takes");
  if (!binary.starts_with(magic))
    return invalid("was not made by Lockstep");
  if (binary.size() < header_size)
    return invalid("is cut off");
  std::string_view stored = binary.substr(magic.size(), std::tuple_size_v<Checksum>);
  std::string_view body = binary.substr(header_size);
  Checksum checksum = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(body));
  if (std::memcmp(stored.data(), checksum.data(), checksum.size()) != 0)
    return invalid("is damaged: its checksum does not fit");
  ByteReader reader(body);
  if (reader.get<uint32_t>() != format_version || reader.get<std::string_view>() != producer)
    return invalid("was made by another version of Lockstep or LLVM");
  auto type = reader.get<uint8_t>();
  if (reader.failed() || type > static_cast<uint8_t>(BinaryType::executable))
    return invalid("has an unknown type");
  return OpenedBinary{static_cast<BinaryType>(type), reader};
}

} // namespace

std::string write_binary(const ObjectModule &module) {
  ByteWriter content;
  content.put(module.language);
  content.put(module.build_options);
  content.put(module.bitcode);
  return framed(module.is_library ? BinaryType::library : BinaryType::object, content);
}

std::string write_binary(const KernelModule &module) {
  ByteWriter content;
  content.put(module.build_options);
  std::vector<KernelInfo> kernels = module.kernels;
  transfer_list(content, kernels, transfer_kernel<ByteWriter>);
  std::vector<KernelInfo> blocks = module.blocks;
  transfer_list(content, blocks, transfer_kernel<ByteWriter>);
  content.put(module.global_variable_size);
  content.put(module.hash);
  content.put(module.bitcode);
  content.put(module.machine_code);
  return framed(BinaryType::executable, content);
}

Result<BinaryType> binary_type(std::string_view binary) {
  auto opened = open_binary(binary);
  LOCKSTEP_TRY(opened);
  return opened->type;
}

Result<ObjectModule> read_object_binary(std::string_view binary) {
  auto opened = open_binary(binary);
  LOCKSTEP_TRY(opened);
  if (opened->type == BinaryType::executable)
    return invalid("is an executable where a compiled object or a library is needed");
  ObjectModule module;
  module.is_library = opened->type == BinaryType::library;
  opened->content.get(module.language);
  opened->content.get(module.build_options);
  opened->content.get(module.bitcode);
  if (opened->content.failed() || !opened->content.at_end() ||
      module.language > SourceLanguage::spirv)
    return invalid("does not hold what its header says");
  return module;
}

Result<KernelModule> read_program_binary(std::string_view binary) {
  auto opened = open_binary(binary);
  LOCKSTEP_TRY(opened);
  if (opened->type != BinaryType::executable)
    return invalid("is not linked: an executable is needed");
  KernelModule module;
  opened->content.get(module.build_options);
  transfer_list(opened->content, module.kernels, transfer_kernel<ByteReader>);
  transfer_list(opened->content, module.blocks, transfer_kernel<ByteReader>);
  opened->content.get(module.global_variable_size);
  opened->content.get(module.hash);
  opened->content.get(module.bitcode);
  opened->content.get(module.machine_code);
  if (opened->content.failed() || !opened->content.at_end() || !is_sound(module.kernels) ||
      !is_sound(module.blocks))
    return invalid("does not hold what its header says");
  return module;
}

} // namespace lockstep::compiler
