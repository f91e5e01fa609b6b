; RUN: lockstep-opt -passes=pin-convergent-calls,unpin-convergent-calls %s | FileCheck %s
; What was held accesses no memory again; a barrier, which does, was never held.

; CHECK: declare i64 @__lockstep_sub_group_ballot(i1) #[[RELEASED:[0-9]+]]
; CHECK: declare void @__lockstep_sub_group_barrier() #[[BARRIER:[0-9]+]]
; CHECK: attributes #[[RELEASED]] = { convergent nounwind willreturn memory(none) "lockstep-primitive"="{{[0-9]+}}" }
; CHECK: attributes #[[BARRIER]] = { convergent nounwind "lockstep-primitive"="{{[0-9]+}}" }
define i64 @kernel(i1 %lowest) {
  %ballot = call i64 @__lockstep_sub_group_ballot(i1 %lowest)
  call void @__lockstep_sub_group_barrier()
  ret i64 %ballot
}

declare i64 @__lockstep_sub_group_ballot(i1) #0
declare void @__lockstep_sub_group_barrier() #1

attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
