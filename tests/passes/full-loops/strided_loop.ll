; RUN: lockstep-opt -passes='canonicalise-flow,full-loops' %s | FileCheck %s
; RUN: lockstep-opt -passes='canonicalise-flow,full-loops,linearize,instsimplify,dce,packetize,simplifycfg' %s 2>/dev/null | FileCheck --check-prefix=LANES %s
; A loop that lanes leave one round apart at most has a copy for all lanes together. There a plain
; load serves them, and lane 0's index tells that all go on; the rest runs under masks.

; CHECK-LABEL: define void @strided
; CHECK: %all.active = call i1 @__lockstep_all_active()
; CHECK-NEXT: br i1 %all.active, label %loop.full, label %loop.rest
; CHECK: %next.full = add i64
; CHECK: %again = icmp ult i64 %next.full, %n
; CHECK: %all = call i1 @__lockstep_all_lanes(i1 %again)
; CHECK: br i1 %all, label %loop.full{{[0-9]+}}, label %loop.apart
; CHECK: loop.rest:
; CHECK-DAG: phi i64 [ %id, %{{.*}} ], [ %next.full.lcssa{{.*}}, %loop.more ]
; CHECK: loop.apart:
; CHECK: icmp ult i64
; CHECK-NEXT: br i1 {{.*}}, label %loop.more, label %loop.done

; LANES-LABEL: define void @strided
; LANES: load <16 x float>
; LANES: %[[LAST:.*]] = call i64 @llvm.usub.sat.i64(i64 %n, i64 15)
; LANES: icmp ult i64 %{{.*}}, %[[LAST]]
; LANES: call <16 x float> @llvm.masked.load
define void @strided(ptr addrspace(1) %values, ptr addrspace(1) %out, i64 %n) #0 {
entry:
  %id = call i64 @__lockstep_lane()
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %values, i64 %i
  %value = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %value
  %next = add i64 %i, 1024
  %goes = icmp ult i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %more, ptr addrspace(1) %to
  ret void
}

; Lanes part at what they compute: one loop.
; CHECK-LABEL: define void @until_found
; CHECK-NOT: all_active
; CHECK: ret void
define void @until_found(ptr addrspace(1) %values, ptr addrspace(1) %out) #0 {
entry:
  %id = call i64 @__lockstep_lane()
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %value, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %values, i64 %i
  %value = load i64, ptr addrspace(1) %at
  %goes = icmp ult i64 %value, 100
  br i1 %goes, label %loop, label %end
end:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %id
  store i64 %value, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" "lockstep-local-size"="64,1,1" }
