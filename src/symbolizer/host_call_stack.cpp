#include "symbolizer/host_call_stack.h"

#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFUnwindTable.h"
#include "llvm/Support/Casting.h"
#include "llvm/TargetParser/Triple.h"

#include <cstring>
#include <optional>
#include <string>
#include <ucontext.h>

// Declared by libgcc: finds the unwind information (FDE) of a function, which the loader has
// mapped.
struct dwarf_eh_bases {
  void *text, *data, *function;
};
extern "C" const void *_Unwind_Find_FDE(void *pc, dwarf_eh_bases *bases);

namespace lockstep::compiler {
namespace {

using namespace llvm;

#if defined(__x86_64__)
constexpr Triple::ArchType arch = Triple::x86_64;
constexpr unsigned stack_pointer = 7;
#elif defined(__aarch64__)
constexpr Triple::ArchType arch = Triple::aarch64;
constexpr unsigned stack_pointer = 31;
#else
#error "say which register is the stack pointer, by DWARF's number"
#endif

uint32_t word_at(const char *at) {
  uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// A section with the function's FDE and the CIE that it refers to, for LLVM's reader. Addresses in
// the FDE are relative to its own location, so `address` places the copied FDE where the original
// is.
struct EntrySection {
  std::string bytes;
  uint64_t address = 0;
};

std::optional<EntrySection> section_for(uintptr_t pc) {
  dwarf_eh_bases bases{};
  const auto *fde =
      static_cast<const char *>(_Unwind_Find_FDE(reinterpret_cast<void *>(pc), &bases));
  constexpr uint32_t is_64_bit = 0xffffffff;
  if (!fde || word_at(fde) == is_64_bit)
    return std::nullopt;
  const char *cie = fde + 4 - word_at(fde + 4);
  const std::size_t cie_size = 4 + word_at(cie), fde_size = 4 + word_at(fde);
  EntrySection section;
  section.bytes.assign(cie, cie_size);
  section.bytes.append(fde, fde_size);
  const auto distance = uint32_t(cie_size + 4); // from the FDE's reference back to the CIE
  std::memcpy(section.bytes.data() + cie_size + 4, &distance, sizeof distance);
  section.address = reinterpret_cast<uint64_t>(fde) - cie_size;
  return section;
}

class Walk {
public:
  explicit Walk(const StackCopy &stack)
      : stack_(stack), pc_(stack.pc), registers_(stack.registers) {}

  uintptr_t pc() const { return pc_; }
  // Moves to the caller. False: the copy or the unwind information ends. The return address follows
  // the call, which may be the last instruction of its function; the look-up therefore uses the
  // byte before it.
  bool step(bool is_innermost) {
    const uintptr_t here = pc_ - (is_innermost ? 0 : 1);
    const auto section = section_for(here);
    if (!section)
      return false;
    DWARFDebugFrame frame(arch, /*IsEH=*/true, section->address);
    const DWARFDataExtractor data(StringRef(section->bytes), /*IsLittleEndian=*/true, 8);
    if (Error error = frame.parse(data)) {
      consumeError(std::move(error));
      return false;
    }
    for (const dwarf::FrameEntry &entry : frame.entries())
      if (const auto *fde = dyn_cast<dwarf::FDE>(&entry))
        return step_by(*fde, here);
    return false;
  }

private:
  bool step_by(const dwarf::FDE &fde, uintptr_t here) {
    auto table = dwarf::createUnwindTable(&fde);
    if (!table) {
      consumeError(table.takeError());
      return false;
    }
    const dwarf::UnwindRow *row = nullptr; // the last row at or before `here`
    for (const dwarf::UnwindRow &each : *table)
      if (!each.hasAddress() || each.getAddress() <= here)
        row = &each;
    const uint64_t link = fde.getLinkedCIE()->getReturnAddressRegister();
    if (!row || link >= StackCopy::register_count)
      return false;
    const auto frame = value_of(row->getCFAValue(), 0);
    if (!frame)
      return false;
    auto outer = registers_;
    for (const uint32_t number : row->getRegisterLocations().getRegisters()) {
      if (number >= StackCopy::register_count)
        continue;
      const auto value =
          value_of(*row->getRegisterLocations().getRegisterLocation(number), *frame, number);
      if (!value && number == link)
        return false; // the outermost function
      outer[number] = value.value_or(0);
    }
    if (*frame <= registers_[stack_pointer] && link == return_address_on_stack)
      return false; // the frames of callers are at higher addresses
    outer[stack_pointer] = *frame;
    registers_ = outer;
    pc_ = registers_[link];
    return pc_ != 0;
  }

  std::optional<uintptr_t> value_of(const dwarf::UnwindLocation &location, uintptr_t frame,
                                    uint32_t number = 0) const {
    uintptr_t value = 0;
    switch (location.getLocation()) {
    case dwarf::UnwindLocation::Unspecified:
    case dwarf::UnwindLocation::Same:
      return registers_[number];
    case dwarf::UnwindLocation::CFAPlusOffset:
      value = frame + uintptr_t(int64_t(location.getOffset()));
      break;
    case dwarf::UnwindLocation::RegPlusOffset:
      if (location.getRegister() >= StackCopy::register_count)
        return std::nullopt;
      value = registers_[location.getRegister()] + uintptr_t(int64_t(location.getOffset()));
      break;
    case dwarf::UnwindLocation::Constant:
      return uintptr_t(int64_t(location.getConstant()));
    case dwarf::UnwindLocation::Undefined:
    case dwarf::UnwindLocation::DWARFExpr: // of linkage tables and trampolines
      return std::nullopt;
    }
    return location.getDereference() ? read(value) : std::optional(value);
  }

  std::optional<uintptr_t> read(uintptr_t address) const {
    uintptr_t value = 0;
    const uintptr_t offset = address - stack_.begin;
    if (offset > stack_.bytes.size() || stack_.bytes.size() - offset < sizeof value)
      return std::nullopt;
    std::memcpy(&value, stack_.bytes.data() + offset, sizeof value);
    return value;
  }

  static constexpr uint64_t return_address_on_stack = 16; // of x86-64
  const StackCopy &stack_;
  uintptr_t pc_;
  std::array<uintptr_t, StackCopy::register_count> registers_;
};

} // namespace

void copy_registers(const void *machine, StackCopy &to) {
  const mcontext_t &from = static_cast<const ucontext_t *>(machine)->uc_mcontext;
#if defined(__x86_64__)
  constexpr int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                           REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (std::size_t i = 0; i < std::size(order); ++i)
    to.registers[i] = uintptr_t(from.gregs[order[i]]);
  to.pc = uintptr_t(from.gregs[REG_RIP]);
#else
  for (std::size_t i = 0; i < 31; ++i)
    to.registers[i] = from.regs[i];
  to.registers[stack_pointer] = from.sp;
  to.pc = from.pc;
#endif
  to.begin = to.registers[stack_pointer];
}

std::vector<const void *> walk(const StackCopy &stack, std::size_t most) {
  std::vector<const void *> addresses;
  Walk at(stack);
  do
    addresses.push_back(reinterpret_cast<const void *>(at.pc()));
  while (addresses.size() < most && at.step(addresses.size() == 1));
  return addresses;
}

} // namespace lockstep::compiler
