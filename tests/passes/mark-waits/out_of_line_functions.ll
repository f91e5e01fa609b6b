; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; Functions that are kept tell what they write: whether somebody looks, a sum, and the places of private pointers are more
; parameters. It reads what it writes, which its attributes must not deny.

; CHECK: define internal void @inner(ptr %state, i32 %x, i1 %watched, ptr %sum, i64 %state.place) [[KEPT:#[0-9]+]]
; CHECK: br i1 %watched, label %[[TELL:.*]], label %[[STORE:.*]], !prof
; CHECK: [[TELL]]:
; CHECK: %[[BEFORE:.*]] = load i32, ptr %at
; CHECK: add i64 %state.place, 4
; CHECK: icmp eq i64 %state.place, 0
; CHECK: icmp eq i64 %state.place, -1
; CHECK: %[[SUM:.*]] = load i64, ptr %sum
; CHECK: store i64 %{{.*}}, ptr %sum
; CHECK: [[STORE]]:
; CHECK-NEXT: store i32 %x, ptr %at
define internal void @inner(ptr writeonly initializes((4, 8)) %state, i32 %x) memory(argmem: write) "lockstep-out-of-line" {
  %at = getelementptr i8, ptr %state, i64 4
  store i32 %x, ptr %at, align 4
  ret void
}

; What it writes to a variable of its own is no change, nor what others write there.
; CHECK: define internal void @outer(ptr addrspace(1) %out, ptr %state, i32 %x, i1 %watched, ptr %sum, i64 %state.place)
; CHECK-NOT: br i1 %watched
; CHECK: store i32 %x, ptr %own
; CHECK: %[[LOOKS:.*]] = or i1 false, %watched
; CHECK-NEXT: call void @inner(ptr %own, i32 %x, i1 %[[LOOKS]], ptr %sum, i64 0)
; CHECK: call void @inner(ptr %second, i32 %x, i1 %{{.*}}, ptr %sum, i64 %{{[0-9]+}})
; CHECK: ptrtoint ptr addrspace(1) %out to i64
; CHECK: store i32 %x, ptr addrspace(1) %out
define internal void @outer(ptr addrspace(1) captures(none) %out, ptr %state, i32 %x) "lockstep-out-of-line" {
  %own = alloca [2 x i32], align 4
  store i32 %x, ptr %own, align 4
  call void @inner(ptr %own, i32 %x)
  %second = getelementptr i8, ptr %state, i64 8
  call void @inner(ptr %second, i32 %x)
  store i32 %x, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK: define internal i32 @reads(ptr addrspace(1) %in)
define internal i32 @reads(ptr addrspace(1) %in) "lockstep-out-of-line" {
  %value = load i32, ptr addrspace(1) %in, align 4
  ret i32 %value
}

; CHECK-LABEL: define void @calls
; CHECK: %[[WRITTEN:written.by.calls]] = alloca i64
; CHECK-NEXT: %state = alloca
; CHECK: store i64 0, ptr %[[WRITTEN]]
; CHECK: call void @outer(ptr addrspace(1) %out, ptr %state, i32 7, i1 false, ptr %[[WRITTEN]], i64 0)
; CHECK: %[[BEGIN:before.calls.*]] = phi i64
; CHECK: %[[LOOKS:.*]] = or i1 false, %watched
; CHECK-NEXT: call void @outer(ptr addrspace(1) %out, ptr %state, i32 %read, i1 %[[LOOKS]], ptr %[[WRITTEN]], i64 {{-?[1-9][0-9]*}})
; CHECK: %[[NOW:.*]] = load i64, ptr %[[WRITTEN]]
; CHECK-NEXT: %[[OTHERS:.*]] = sub i64 %[[NOW]], %[[BEGIN]]
; CHECK-NEXT: %[[SUM:.*]] = add i64 0, %[[OTHERS]]
; CHECK-NEXT: %[[OTHER:.*]] = icmp ne i64 %[[SUM]], 0
; CHECK-NEXT: %[[CHANGED:.*]] = or i1 %{{.*}}, %[[OTHER]]
; CHECK-NEXT: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
; CHECK-NEXT: call i1 @__lockstep_watched()
; CHECK: load i64, ptr %[[WRITTEN]]
define void @calls(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) "lockstep-sub-group-size"="1" {
entry:
  %state = alloca [8 x i32], align 4
  call void @outer(ptr addrspace(1) %out, ptr %state, i32 7)
  br label %loop
loop:
  %read = call i32 @reads(ptr addrspace(1) %out)
  call void @outer(ptr addrspace(1) %out, ptr %state, i32 %read)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK-NOT: attributes [[KEPT]] = {{.*}}memory
; CHECK: attributes [[KEPT]] = { "lockstep-out-of-line" "lockstep-reports-writes-from"="2" }
