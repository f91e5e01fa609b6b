; RUN: lockstep-opt -quiet '-passes=print<lane-shapes>' %s | FileCheck %s
; 32 bits are assumed not to wrap between the lanes of an address; what is narrower does, as an index of a ring.

; CHECK: offsets 0 1 2 3 : {{.*}}%int =
; CHECK: assumed offsets 0 1 2 3 : {{.*}}%wide =
; CHECK: offsets 0 1 2 3 : {{.*}}%short =
; CHECK: varying : {{.*}}%wider =
; CHECK: varying : {{.*}}%unsigned =
; CHECK: varying : {{.*}}%address =
; CHECK: varying : {{.*}}%odd =
define void @kernel(ptr addrspace(1) %p, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = add i64 %n, %lane
  %int = trunc i64 %id to i32
  %wide = sext i32 %int to i64
  %short = trunc i64 %id to i16
  %wider = sext i16 %short to i64
  %unsigned = zext i16 %short to i64
  %address = getelementptr i32, ptr addrspace(1) %p, i16 %short
  %three = trunc i64 %id to i24
  %odd = zext i24 %three to i64
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
