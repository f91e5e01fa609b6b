; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; What a function writes that has no body here is not compared: each round changed something, and the site says why.
; A function that only reads is no such thing.
declare void @writes(ptr addrspace(1))
declare i32 @reads(ptr addrspace(1)) memory(argmem: read)

; CHECK-LABEL: @calls
; CHECK: call void @__lockstep_wait(i32 0, i1 true)
define void @calls(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  br label %loop
loop:
  call void @writes(ptr addrspace(1) %out)
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @looks
; CHECK-NOT: call void @__lockstep_wait({{.*}}true)
; CHECK: call void @__lockstep_wait(i32 1, i1 %
define void @looks(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
entry:
  br label %loop
loop:
  %seen = call i32 @reads(ptr addrspace(1) %in)
  store i32 %seen, ptr addrspace(1) %out, align 4
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK: !lockstep.sites = !{![[CALLS:[0-9]+]], ![[LOOKS:[0-9]+]]}
; CHECK-DAG: ![[CALLS]] = distinct !{i32 1, !"", i32 0, i32 0, i32 2}
; CHECK-DAG: ![[LOOKS]] = distinct !{i32 1, !"", i32 0, i32 0, i32 0}
