# ctest includes this before the list of tests: most of them expect that the CPU is the only device, also on a machine with an
# NVIDIA card. LOCKSTEP_NVIDIA=first runs them on the card.
if(NOT DEFINED ENV{LOCKSTEP_NVIDIA})
  set(ENV{LOCKSTEP_NVIDIA} 0)
endif()
