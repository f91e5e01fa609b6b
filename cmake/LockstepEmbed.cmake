# lockstep_embed(<target> <symbol> <file>): puts the bytes of a file into a target.
# In C++: extern "C" const char <symbol>_begin[], <symbol>_end[];
# The assembler's .incbin does it: a megabyte as a C array would take the compiler seconds.
function(lockstep_embed target symbol file)
  get_target_property(is_built_elsewhere ${target} IMPORTED)
  if(is_built_elsewhere)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.embedded.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
__asm__(".section .rodata.@symbol@,\"a\",@progbits\n"
        ".global @symbol@_begin\n.hidden @symbol@_begin\n"
        ".global @symbol@_end\n.hidden @symbol@_end\n"
        ".balign 16\n@symbol@_begin:\n.incbin \"@file@\"\n@symbol@_end:\n.byte 0\n.previous\n");
]])
  set_property(SOURCE ${source} PROPERTY OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${source})
endfunction()
