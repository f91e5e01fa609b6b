# Functions used by every folder. Flags belong to targets; there are no directory-wide ones.
find_program(CCACHE ccache)
if(CCACHE)
  # With precompiled headers it must believe that these name all that they depend on.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

set(LOCKSTEP_SANITIZER "" CACHE STRING "address,undefined or thread; set by the presets asan and tsan")

add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility=hidden -fvisibility-inlines-hidden>)
target_compile_definitions(lockstep_flags INTERFACE CL_TARGET_OPENCL_VERSION=300 LOCKSTEP_VERSION="${PROJECT_VERSION}")
target_include_directories(lockstep_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_options(lockstep_flags INTERFACE -fuse-ld=lld)
if(LOCKSTEP_SANITIZER)
  # Not `function`: that check reads what stands before a function, and before one made by the JIT there is nothing.
  # The first finding ends a test anyway. Without code to go on after a finding, sources compile faster.
  target_compile_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZER} -fno-omit-frame-pointer
    -fno-sanitize=vptr,function -fno-sanitize-recover=all)
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZER})
endif()

option(LOCKSTEP_UNITY_BUILD "Compile the sources of a folder together: clean builds take less time, changes more" OFF)

# lockstep_compile_together(<name>): with LOCKSTEP_UNITY_BUILD, the sources of a folder are one source for the compiler. Names
# in anonymous namespaces must be unique within a folder, so that a new file never clashes with one of another folder.
function(lockstep_compile_together name)
  if(NOT LOCKSTEP_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${name}_${folder}" group)
    math(EXPR number "${number_of_${group}} + 0")
    math(EXPR number_of_${group} "${number} + 1")
    math(EXPR part "${number} / 16") # no single compiler may be the last one for long
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()

# lockstep_precompile(<name> <header>): reads cmake/precompiled/<header>.h, which includes nothing of the project, once
# for the target; of a file that includes LLVM two thirds of the time go into LLVM's headers. Sources still include what
# they use: -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows who does not.
function(lockstep_precompile name header)
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${header}.h)
  # What ccache has of the same headers from another time is as good.
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# lockstep_share_precompiled(<name> <header> [LIBRARIES ...] [OPTIONS ...]): an executable that shares one precompiled header
# with all others that name it; libraries and options are the same for all of them. Definitions must not change what the
# header contains.
function(lockstep_share_precompiled name header)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;OPTIONS" ${ARGN})
  set(shared lockstep_${header}_precompiled)
  if(NOT TARGET ${shared})
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${header}_precompiled.cpp CONTENT "")
    add_library(${shared} OBJECT ${CMAKE_BINARY_DIR}/${header}_precompiled.cpp)
    target_link_libraries(${shared} PRIVATE lockstep_flags Threads::Threads ${ARG_LIBRARIES})
    # As code of executables, which they are.
    set_target_properties(${shared} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${shared} PRIVATE -fPIE ${ARG_OPTIONS})
    lockstep_precompile(${shared} ${header})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM ${shared})
endfunction()

# lockstep_test_program(<name>): compiles an executable with GoogleTest, without optimization: most of these sources run for
# less time than the optimizer takes.
function(lockstep_test_program name)
  lockstep_share_precompiled(${name} tests LIBRARIES GTest::gtest GTest::gmock OPTIONS -O0)
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
endfunction()

# lockstep_opencl_program(<name>): compiles an executable with OpenCL's bindings for C++, without optimization.
function(lockstep_opencl_program name)
  target_link_libraries(${name} PRIVATE lockstep_flags)
  lockstep_share_precompiled(${name} opencl_cpp LIBRARIES OpenCL::OpenCL OPTIONS -O0)
endfunction()

set(LOCKSTEP_COMPILER_FROM "" CACHE PATH "a build folder whose libraries of the compiler are taken; empty: they are built")

# lockstep_library(<name> [COMPILER] SOURCES ... LIBRARIES ... DEFINITIONS ... PRECOMPILED <header> COMMON_HEADERS ...): a
# part of liblockstep.so. COMPILER: LOCKSTEP_COMPILER_FROM may replace it. COMMON_HEADERS are precompiled too:
# nearly all sources of the library include them, so that a change of one concerns no more sources than without.
function(lockstep_library name)
  cmake_parse_arguments(ARG "COMPILER" "PRECOMPILED" "SOURCES;LIBRARIES;DEFINITIONS;COMMON_HEADERS" ${ARGN})
  if(ARG_COMPILER AND LOCKSTEP_COMPILER_FROM)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${LOCKSTEP_COMPILER_FROM}/${folder}/lib${name}.a)
    target_link_libraries(${name} INTERFACE lockstep_flags ${ARG_LIBRARIES})
    return()
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC lockstep_flags ${ARG_LIBRARIES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  if(ARG_PRECOMPILED)
    lockstep_precompile(${name} ${ARG_PRECOMPILED})
    foreach(header IN LISTS ARG_COMMON_HEADERS)
      get_filename_component(header ${header} ABSOLUTE)
      target_precompile_headers(${name} PRIVATE ${header})
    endforeach()
    # Under a sanitizer the library's own headers as well: sources spend most of the time in them. Other builds read them
    # in each source, so that a changed header concerns few, and a missing include is found.
    if(LOCKSTEP_SANITIZER AND NOT ARG_COMPILER)
      list(FILTER ARG_SOURCES INCLUDE REGEX "\\.h$")
      list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
      target_precompile_headers(${name} PRIVATE ${ARG_SOURCES})
    endif()
  endif()
endfunction()

# lockstep_optimized_tests(<file>...): test sources of this folder that compute for seconds themselves.
function(lockstep_optimized_tests)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# lockstep_unit_test(<name> SOURCES ... LIBRARIES ...): a GoogleTest binary, labels "unit" and "quick".
function(lockstep_unit_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_LIBRARIES})
  lockstep_test_program(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;quick")
endfunction()

# The command that compiles SYCL programs during the build. A driver for another architecture cannot run here: that of the
# build for this machine makes programs for the other one.
set(LOCKSTEP_SYCL_COMPILER lockstep_driver)
set(LOCKSTEP_SYCL_COMPILER_FILE lockstep_driver) # what programs depend on
if(CMAKE_CROSSCOMPILING)
  set(LOCKSTEP_NATIVE_DRIVER ${PROJECT_SOURCE_DIR}/build/release/bin/lockstep++ CACHE FILEPATH "lockstep++ for this machine")
  set(LOCKSTEP_SYCL_COMPILER_FILE ${LOCKSTEP_NATIVE_DRIVER})
  set(LOCKSTEP_SYCL_COMPILER ${LOCKSTEP_NATIVE_DRIVER} --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT}
    -fuse-ld=lld -L${CMAKE_BINARY_DIR}/lib -Wl,-rpath,${CMAKE_BINARY_DIR}/lib)
endif()
