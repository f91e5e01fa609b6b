; RUN: lockstep-opt -quiet '-passes=print<work-group-uniformity>' %s | FileCheck %s

; CHECK: uniform {{.*}}%n = load i32, ptr addrspace(1) %p
; CHECK: divergent {{.*}}%a = load atomic i32
; CHECK: divergent {{.*}}%id =
; CHECK: uniform {{.*}}%c = icmp eq i32 %n, 3
; CHECK: uniform {{.*}}br i1 %c
; CHECK: divergent {{.*}}%d = icmp eq i64 %id, 3
; CHECK: divergent {{.*}}br i1 %d
; CHECK: divergent {{.*}}%joined = phi
define void @kernel(ptr addrspace(1) %p) {
entry:
  %n = load i32, ptr addrspace(1) %p
  %a = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %id = call i64 @__lockstep_local_id(i32 0)
  %c = icmp eq i32 %n, 3
  br i1 %c, label %first, label %end
first:
  %d = icmp eq i64 %id, 3
  br i1 %d, label %second, label %join
second:
  br label %join
join:
  %joined = phi i32 [ 1, %first ], [ 2, %second ]
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
