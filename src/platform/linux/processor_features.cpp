#include "platform/linux/processor_features.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace lockstep::runtime {

#if defined(__aarch64__)

namespace {

struct Feature {
  unsigned long type, bits;
  const char *name;
};
constexpr Feature features[] = {
    {AT_HWCAP, HWCAP_CRC32, "crc"},
    {AT_HWCAP, HWCAP_AES | HWCAP_PMULL, "aes"},
    {AT_HWCAP, HWCAP_SHA1 | HWCAP_SHA2, "sha2"},
    {AT_HWCAP, HWCAP_ATOMICS, "lse"},
    {AT_HWCAP, HWCAP_USCAT, "lse2"},
    {AT_HWCAP, HWCAP_FPHP | HWCAP_ASIMDHP, "fullfp16"},
    {AT_HWCAP, HWCAP_ASIMDFHM, "fp16fml"},
    {AT_HWCAP, HWCAP_ASIMDRDM, "rdm"},
    {AT_HWCAP, HWCAP_ASIMDDP, "dotprod"},
    {AT_HWCAP, HWCAP_FCMA, "complxnum"},
    {AT_HWCAP, HWCAP_JSCVT, "jsconv"},
    {AT_HWCAP, HWCAP_LRCPC, "rcpc"},
    {AT_HWCAP, HWCAP_ILRCPC, "rcpc-immo"},
    {AT_HWCAP, HWCAP_SVE, "sve"},
    {AT_HWCAP2, HWCAP2_SVE2, "sve2"},
    {AT_HWCAP2, HWCAP2_BF16, "bf16"},
    {AT_HWCAP2, HWCAP2_I8MM, "i8mm"},
};

} // namespace

std::vector<const char *> reported_features() {
  std::vector<const char *> names;
  for (const Feature &feature : features)
    if ((getauxval(feature.type) & feature.bits) == feature.bits)
      names.push_back(feature.name);
  return names;
}

uint32_t scalable_vector_bits() {
  const int length = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? prctl(PR_SVE_GET_VL) : -1;
  return length < 0 ? 0 : uint32_t(length & PR_SVE_VL_LEN_MASK) * 8;
}

#else

std::vector<const char *> reported_features() {
  return {};
}

uint32_t scalable_vector_bits() {
  return 0;
}

#endif

} // namespace lockstep::runtime
