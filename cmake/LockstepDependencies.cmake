# Everything that comes from Debian. scripts/install_dependencies.sh names the packages.
set(LOCKSTEP_LLVM_VERSION 22)
find_package(LLVM ${LOCKSTEP_LLVM_VERSION}.1 REQUIRED CONFIG PATHS /usr/lib/llvm-${LOCKSTEP_LLVM_VERSION})
set(LOCKSTEP_LLVM_LIBDIR ${LLVM_LIBRARY_DIR})
# Programs that the build runs, and the folder of clang's headers where Lockstep runs. A sysroot has neither.
set(LOCKSTEP_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
set(LOCKSTEP_CLANG_RESOURCES ${LOCKSTEP_LLVM_LIBDIR}/clang/${LOCKSTEP_LLVM_VERSION})
if(CMAKE_SYSROOT)
  string(REPLACE "${CMAKE_SYSROOT}" "" LOCKSTEP_LLVM_TOOLS ${LOCKSTEP_LLVM_TOOLS})
  string(REPLACE "${CMAKE_SYSROOT}" "" LOCKSTEP_CLANG_RESOURCES ${LOCKSTEP_CLANG_RESOURCES})
endif()

# LLVM and clang as shared libraries: linking them statically would cost minutes and a gigabyte a build tree.
add_library(lockstep_llvm INTERFACE)
target_include_directories(lockstep_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(lockstep_llvm INTERFACE ${llvm_definitions})
target_link_libraries(lockstep_llvm INTERFACE ${LOCKSTEP_LLVM_LIBDIR}/libLLVM-${LOCKSTEP_LLVM_VERSION}.so)
add_library(lockstep_clang INTERFACE)
target_link_libraries(lockstep_clang INTERFACE ${LOCKSTEP_LLVM_LIBDIR}/libclang-cpp.so.${LOCKSTEP_LLVM_VERSION}.1 lockstep_llvm)

set(LOCKSTEP_LIBCLC_BITCODE /usr/lib/clc/nvptx64--.bc)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenCL REQUIRED) # headers, and the ICD loader for tests and examples
find_path(HWLOC_INCLUDE_DIR hwloc.h REQUIRED)
find_library(HWLOC_LIBRARY hwloc REQUIRED)
add_library(lockstep_hwloc INTERFACE)
target_include_directories(lockstep_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
target_link_libraries(lockstep_hwloc INTERFACE ${HWLOC_LIBRARY})
