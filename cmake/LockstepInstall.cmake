# cmake --install: the library, the tool, and the file that leads the OpenCL loader to the library.
#
# The loader looks in /etc/OpenCL/vendors and nowhere else, whatever the prefix is. So for the prefixes of the system
# (/usr, /usr/local) the .icd file goes there; for any other prefix it goes below the prefix, where root is not needed,
# and OCL_ICD_VENDORS must name the folder. The prefix is known at install time only (cmake --install --prefix).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What programs that are built with SYCL need: headers, the library they link, the driver, and how build systems find them.
function(lockstep_install_sycl)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lockstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Lockstep)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/LockstepConfig.cmake.in
    ${CMAKE_BINARY_DIR}/install/LockstepConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/toolchain.cmake.in
    ${CMAKE_BINARY_DIR}/install/toolchain.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/LockstepConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/install/LockstepConfig.cmake ${CMAKE_BINARY_DIR}/install/LockstepConfigVersion.cmake
    ${CMAKE_BINARY_DIR}/install/toolchain.cmake DESTINATION ${package})
  # In a folder of its own: DPC++ may be in the same prefix.
  install(FILES ${CMAKE_BINARY_DIR}/lib/lockstep-dpcpp/libsycl.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep-dpcpp)
  # The prefix is known at install time only.
  set(CMAKE_INSTALL_PREFIX "\${CMAKE_INSTALL_PREFIX}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/lockstep.pc.in ${CMAKE_BINARY_DIR}/install/lockstep.pc.in @ONLY)
  install(CODE "set(pkgconfig_template \"${CMAKE_BINARY_DIR}/install/lockstep.pc.in\")
    set(pkgconfig_folder \"${CMAKE_INSTALL_LIBDIR}/pkgconfig\")")
  install(CODE [[
    file(READ "${pkgconfig_template}" content)
    string(REPLACE "\${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_PREFIX}" content "${content}")
    set(pc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${pkgconfig_folder}/lockstep.pc")
    message(STATUS "Installing: ${pc}")
    file(WRITE "${pc}" "${content}")
  ]])
endfunction()

function(lockstep_install)
  install(TARGETS liblockstep liblockstep_sycl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS lockstep_cli lockstep_driver RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/tools/lockstep/lockstep.1 ${PROJECT_SOURCE_DIR}/tools/lockstep++/lockstep++.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/lockstep/lockstep.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lockstep)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/lockstep/lockstepxx.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lockstep++)
  lockstep_install_sycl()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  set(library "$<TARGET_FILE_NAME:liblockstep>")
  install(CODE "set(library_name \"${library}\")\nset(library_folder \"${CMAKE_INSTALL_LIBDIR}\")")
  install(CODE [[
    if(CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?/?$")
      set(vendors /etc/OpenCL/vendors)
    else()
      set(vendors "${CMAKE_INSTALL_PREFIX}/etc/OpenCL/vendors")
      message(STATUS "OpenCL programs find Lockstep with: export OCL_ICD_VENDORS=${vendors}")
    endif()
    set(icd "$ENV{DESTDIR}${vendors}/lockstep.icd")
    message(STATUS "Installing: ${icd}")
    file(WRITE "${icd}" "${CMAKE_INSTALL_PREFIX}/${library_folder}/${library_name}\n")
  ]])
endfunction()
