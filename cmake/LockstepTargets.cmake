# Functions used by every folder. Flags belong to targets; there are no directory-wide ones.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

set(LOCKSTEP_SANITIZER "" CACHE STRING "address,undefined or thread; set by the presets asan and tsan")

add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility=hidden -fvisibility-inlines-hidden>)
target_compile_definitions(lockstep_flags INTERFACE CL_TARGET_OPENCL_VERSION=300 LOCKSTEP_VERSION="${PROJECT_VERSION}")
target_include_directories(lockstep_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(LOCKSTEP_SANITIZER)
  # Not `function`: that check reads what stands before a function, and before one made by the JIT there is nothing.
  target_compile_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZER} -fno-omit-frame-pointer -fno-sanitize=vptr,function)
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZER})
endif()

# lockstep_library(<name> SOURCES ... LIBRARIES ...): a part of liblockstep.so.
function(lockstep_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC lockstep_flags ${ARG_LIBRARIES})
endfunction()

# lockstep_unit_test(<name> SOURCES ... LIBRARIES ...): a GoogleTest binary, label "unit".
function(lockstep_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()
