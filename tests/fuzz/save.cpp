#include "save.h"

#include "interpret.h"
#include "run_opencl.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lockstep::fuzz {

namespace {

namespace fs = std::filesystem;

template <class T> std::string with_commas(const Launch &launch, const std::array<T, 3> &sizes) {
  std::string text;
  for (uint32_t d = 0; d < launch.dimensions; ++d)
    text += (d ? "," : "") + std::to_string(sizes[d]);
  return text;
}

template <class Bytes> void write(const fs::path &path, const Bytes &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  if (!file.flush())
    throw std::runtime_error("cannot write " + path.string());
}

std::string hex(const std::vector<uint8_t> &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return text;
}

} // namespace

void save(const Program &program, const std::string &folder) {
  const fs::path at = folder;
  fs::create_directories(at);
  write(at / "kernel.cl", print(program));
  if (program.pipes.packets) // `lockstep run` cannot make pipes
    return;
  const Outcome expected = interpret(program);
  std::ostringstream command;
  const Launch &launch = program.launch;
  command << "#!/bin/sh\ncd \"$(dirname \"$0\")\" && \"${LOCKSTEP:-lockstep}\" run kernel.cl -k "
          << program.kernel().name << " --options '" << build_options(program) << "' \\\n --global "
          << with_commas(launch, launch.global);
  if (launch.local_given)
    command << " --local " << with_commas(launch, launch.local);
  command << " --offset " << with_commas(launch, launch.offset) << " \\\n";
  for (size_t i = 0; i < program.arrays.size(); ++i) {
    const Array &array = program.arrays[i];
    if (is_program_scope(array.space) || (is_local(array.space) && !array.argument))
      continue;
    if (is_local(array.space)) {
      command << " --arg local:" << element_count(program, array) * element_size(program, array)
              << " \\\n";
      continue;
    }
    write(at / array.name, initial_memory(program, array));
    command << " --arg buf:uchar=file:" << array.name;
    if (!expected.memory[i].empty() && array.space != Space::estimate) {
      write(at / (array.name + ".expected"), expected.memory[i]);
      command << " --compare " << array.name << "=file:" << array.name << ".expected";
    }
    command << " \\\n";
  }
  for (const std::vector<uint8_t> &bytes : argument_list(program))
    command << " --arg hex:" << hex(bytes) << " \\\n";
  command << " \"$@\"\n";
  write(at / "run", command.str());
  fs::permissions(at / "run", fs::perms::owner_exec, fs::perm_options::add);
}

} // namespace lockstep::fuzz
