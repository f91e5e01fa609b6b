; RUN: lockstep-opt -passes='choose-lane-dimension' %s | FileCheck %s
; Positions that are clamped to an image, or wrap around at its end: most lanes have neighbors, along dimension 1.

; CHECK: define void @clamped({{.*}}) [[TURNED:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 1)
; CHECK: %column = call i64 @__lockstep_local_id(i32 0)
define void @clamped(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_local_id(i32 1)
  %y = trunc i64 %row to i32
  %x = trunc i64 %column to i32
  %last = add i32 %n, -1
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %x.k = add i32 %x, %k
  %not.left = call i32 @llvm.smax.i32(i32 %x.k, i32 0)
  %inside = call i32 @llvm.smin.i32(i32 %not.left, i32 %last)
  %line = mul i32 %y, %n
  %index = add i32 %line, %inside
  %place = sext i32 %index to i64
  %at = getelementptr float, ptr addrspace(1) %a, i64 %place
  %value = load float, ptr addrspace(1) %at
  %sum.next = fadd float %sum, %value
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.line = mul i32 %y, %n
  %c.index = add i32 %c.line, %x
  %c.place = sext i32 %c.index to i64
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.place
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; CHECK: define void @wrapped({{.*}}) [[TURNED]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 1)
define void @wrapped(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) #0 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_local_id(i32 1)
  %next = add i64 %column, 1
  %right = urem i64 %next, %n
  %line = mul i64 %row, %n
  %index = add i64 %line, %right
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %value, ptr addrspace(1) %c.at
  ret void
}

; The greater one of two positions that both differ from lane to lane.
; CHECK: define void @greater({{.*}}) [[SAME:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 0)
define void @greater(ptr addrspace(1) %a, i64 %n) #0 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_local_id(i32 1)
  %twice = mul i64 %column, 3
  %greater = call i64 @llvm.umax.i64(i64 %column, i64 %twice)
  %line = mul i64 %row, %n
  %index = add i64 %line, %greater
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  store float 1.0, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,16,1" }

; CHECK-DAG: attributes [[TURNED]] = {{.*}}"lockstep-lane-dimension"="1"
; CHECK-DAG: attributes [[SAME]] = { "lockstep-local-size"="16,16,1" }
