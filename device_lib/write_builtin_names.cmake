# cmake -DNM=... "-DPARTS=a.bc;b.bc" -DLIBCLC=c.bc -DOUTPUT=... : the sorted names of what the inputs define, those of a part with
# its number behind them.
function(defined_names input result)
  execute_process(COMMAND ${NM} --defined-only --extern-only --just-symbol-name ${input}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" names "${text}")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

set(of_parts)
set(lines)
set(number 0)
foreach(part ${PARTS})
  defined_names(${part} names)
  list(APPEND of_parts ${names})
  list(TRANSFORM names APPEND " ${number}")
  list(APPEND lines ${names})
  math(EXPR number "${number} + 1")
endforeach()
list(LENGTH of_parts count)
list(REMOVE_DUPLICATES of_parts)
list(LENGTH of_parts different)
if(NOT count EQUAL different)
  message(FATAL_ERROR "two files of the device library define the same function")
endif()

defined_names(${LIBCLC} names)
list(APPEND names printf) # lowered to a primitive by lower-printf
list(REMOVE_ITEM names ${of_parts})
list(REMOVE_DUPLICATES names)
list(APPEND lines ${names})
list(SORT lines COMPARE STRING) # by bytes, as std::string_view compares; a blank comes before all that names have
list(JOIN lines "\n" text)
file(WRITE ${OUTPUT} "${text}")
