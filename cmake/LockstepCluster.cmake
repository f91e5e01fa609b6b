# Programs of several processes: LOCKSTEP_HAS_MPI, and a function that compiles SYCL with MPI by lockstep++, as
# `OMPI_CXX=lockstep++ mpicxx` would.
set(LOCKSTEP_HAS_MPI OFF)
if(NOT CMAKE_CROSSCOMPILING) # FindMPI would run the compilers of this machine
  find_package(MPI QUIET COMPONENTS C CXX)
endif()
if(MPI_CXX_FOUND AND MPI_C_FOUND AND NOT LOCKSTEP_SANITIZER)
  set(LOCKSTEP_HAS_MPI ON)
endif()
set(LOCKSTEP_CLUSTER_FOLDER ${CMAKE_BINARY_DIR}/examples/cluster)

# lockstep_cluster_sycl(<name> SOURCE): the program LOCKSTEP_CLUSTER_FOLDER/<name>.
function(lockstep_cluster_sycl name source)
  get_filename_component(source ${source} ABSOLUTE)
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE includes)
  file(MAKE_DIRECTORY ${LOCKSTEP_CLUSTER_FOLDER})
  add_custom_command(OUTPUT ${LOCKSTEP_CLUSTER_FOLDER}/${name}
    COMMAND lockstep_driver -O2 -Wall -Wextra -Werror ${includes} -o ${LOCKSTEP_CLUSTER_FOLDER}/${name} ${source}
      ${MPI_CXX_LIBRARIES}
    DEPENDS lockstep_driver liblockstep_sycl liblockstep ${source} ${PROJECT_SOURCE_DIR}/examples/cluster/heat.h
    COMMENT "lockstep++ cluster/${name}" VERBATIM)
  add_custom_target(cluster_${name} ALL DEPENDS ${LOCKSTEP_CLUSTER_FOLDER}/${name})
endfunction()
