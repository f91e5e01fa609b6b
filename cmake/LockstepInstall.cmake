# cmake --install: the library, the tool, and the file that leads the OpenCL loader to the library.
#
# The loader looks in /etc/OpenCL/vendors and nowhere else, whatever the prefix is. So for the prefixes of the system
# (/usr, /usr/local) the .icd file goes there; for any other prefix it goes below the prefix, where root is not needed,
# and OCL_ICD_VENDORS must name the folder. The prefix is known at install time only (cmake --install --prefix).
include(GNUInstallDirs)

function(lockstep_install)
  install(TARGETS liblockstep LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS lockstep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
