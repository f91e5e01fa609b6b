; RUN: lockstep-opt -quiet '-passes=print<lane-shapes>' %s | FileCheck %s

; CHECK: constants 0 1 2 3 : {{.*}}%lane =
; CHECK: uniform : {{.*}}%first =
; CHECK: offsets 0 1 2 3 : {{.*}}%id =
; CHECK: offsets 0 1 2 3 : {{.*}}%int =
; CHECK: assumed offsets 0 1 2 3 : {{.*}}%wide =
; CHECK: assumed offsets 0 4 8 12 : {{.*}}%address =
; CHECK: varying : {{.*}}%value =
; CHECK: constants 0 1 0 1 : {{.*}}%column =
; CHECK: constants 0 0 1 1 : {{.*}}%row =
; CHECK: offsets 0 0 1 1 : {{.*}}%y =
; CHECK: varying : {{.*}}%runtime =
; CHECK: offsets 0 -2 -4 -6 : {{.*}}%back =
; CHECK: uniform : {{.*}}%zero =
define void @kernel(ptr addrspace(1) %p, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %first = call i64 @__lockstep_local_id(i32 0)
  %id = add i64 %first, %lane
  %int = trunc i64 %id to i32
  %wide = sext i32 %int to i64
  %address = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  %value = load i32, ptr addrspace(1) %address
  %column = and i64 %lane, 1
  %row = lshr i64 %lane, 1
  %y = add i64 %n, %row
  %runtime = mul i64 %id, %n
  %back = mul i64 %id, -2
  %zero = sub i64 %id, %lane
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
