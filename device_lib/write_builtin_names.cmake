# cmake -DNM=... -DINPUTS=a.bc;b.bc -DOUTPUT=... : the sorted names of the functions that the inputs define.
set(names)
foreach(input ${INPUTS})
  execute_process(COMMAND ${NM} --defined-only --extern-only --just-symbol-name ${input}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(APPEND names ${lines})
endforeach()
list(APPEND names printf) # lowered to a primitive by lower-printf
list(REMOVE_DUPLICATES names)
list(SORT names COMPARE STRING) # by bytes, as std::string_view compares
list(JOIN names "\n" text)
file(WRITE ${OUTPUT} "${text}")
