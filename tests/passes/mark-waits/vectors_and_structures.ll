; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; A vector is compared by its elements.
; CHECK-LABEL: @vector
; CHECK: loop:
; CHECK: %[[OLD:.*]] = load <2 x float>, ptr addrspace(1) %out, align 4
; CHECK: extractelement <2 x float> %[[OLD]], i64 0
; CHECK: icmp ne i32
; CHECK: extractelement <2 x float> %[[OLD]], i64 1
; CHECK: icmp ne i32
; CHECK: store <2 x float> %value
; CHECK: call void @__lockstep_wait(i32 0, i1 %{{.*}})
define void @vector(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out, <2 x float> %value) {
entry:
  br label %loop
loop:
  store <2 x float> %value, ptr addrspace(1) %out, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A scalar and a field that are undefined do not count: a comparison with them would decide anything.
; CHECK-LABEL: @undefined
; CHECK: loop:
; CHECK: load { i32, i32 }, ptr addrspace(1) %out
; CHECK: extractvalue { i32, i32 } %{{.*}}, 0
; CHECK: icmp ne i32
; CHECK-NOT: extractvalue
; CHECK-NOT: {{icmp ne i32 .*(undef|poison)}}
; CHECK: store { i32, i32 } %pair
; CHECK-NOT: {{icmp ne i32 .*(undef|poison)}}
; CHECK: call void @__lockstep_wait(i32 1, i1 %{{.*}})
define void @undefined(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %more, i32 %value) {
entry:
  br label %loop
loop:
  %pair = insertvalue { i32, i32 } poison, i32 %value, 0
  store { i32, i32 } %pair, ptr addrspace(1) %out, align 4
  store i32 undef, ptr addrspace(1) %more, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A short copy of what the loop itself wrote is summed up while somebody looks, by as large parts as
; its alignment allows; so is a fill. The place of the first part is the address, of the next one eight bytes further.
; CHECK-LABEL: @structure
; CHECK: store i32 1, ptr %own
; CHECK-NEXT: br i1 %[[WATCHED:watched.*]], label %[[LOOK:.*]], label %[[COPY:.*]], !prof
; CHECK: [[LOOK]]:
; CHECK: %[[PLACE:.*]] = ptrtoint ptr addrspace(1) %out to i64
; CHECK: %[[TO:.*]] = load i64, ptr addrspace(1)
; CHECK: %[[FROM:.*]] = load i64, ptr
; CHECK: %[[BEFORE:.*]] = freeze i64 %[[TO]]
; CHECK: %[[AFTER:.*]] = freeze i64 %[[FROM]]
; CHECK: %[[NUMBER:.*]] = mul i64 %[[PLACE]],
; CHECK: add i64 %[[NUMBER]], %[[AFTER]]
; CHECK: %[[NUMBER:.*]] = mul i64 %[[PLACE]],
; CHECK: add i64 %[[NUMBER]], %[[BEFORE]]
; CHECK: sub i64
; CHECK: load i32
; CHECK: load i32
; CHECK: add i64 %[[PLACE]], 8
; CHECK: [[COPY]]:
; CHECK: call void @llvm.memcpy
; CHECK: br i1 %[[WATCHED]]
; CHECK: %[[FILLED:.*]] = load i32, ptr addrspace(1)
; CHECK: %[[BYTE:.*]] = zext i8 %byte to i32
; CHECK: %[[FOUR:.*]] = mul i32 %[[BYTE]], 16843009
; CHECK: freeze i32 %[[FILLED]]
; CHECK: freeze i32 %[[FOUR]]
; CHECK: call void @llvm.memset
; CHECK: call void @__lockstep_wait(i32 2, i1 %{{.*}})
define void @structure(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out, ptr addrspace(1) %more, i8 %byte) {
entry:
  %own = alloca [3 x i32], align 8
  br label %loop
loop:
  store i32 1, ptr %own, align 4
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %out, ptr align 8 %own, i64 12, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %more, i8 %byte, i64 4, i1 false)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Of unknown length: in a loop, by bytes. By words if the length is known to be many.
; CHECK-LABEL: @long
; CHECK: br i1 %{{.*}}, label %[[LOOK:.*]], label %[[FILL:.*]], !prof
; CHECK: [[LOOK]]:
; CHECK: br label %[[COMPARE:.*]]
; CHECK: [[COMPARE]]:
; CHECK: %sum{{.*}} = phi i64
; CHECK: %[[AT:.*]] = phi i64 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %[[MORE:.*]] ]
; CHECK: %[[BELOW:.*]] = icmp ult i64 %[[AT]], %{{.*}}
; CHECK: br i1 %[[BELOW]], label %[[MORE]], label %[[END:.*]]
; CHECK: [[MORE]]:
; CHECK: load i8, ptr addrspace(1)
; CHECK: freeze i8
; CHECK: %[[NEXT]] = add nuw i64 %[[AT]], 1
; CHECK: br label %[[COMPARE]]
; CHECK: [[FILL]]:
; CHECK: call void @llvm.memset
; CHECK: call void @__lockstep_wait(i32 3, i1 %{{.*}})
define void @long(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out, i64 %size) {
entry:
  br label %loop
loop:
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %out, i8 0, i64 %size, i1 false)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @large
; CHECK: icmp ult i64 %{{.*}}, 125
; CHECK: shl i64 %{{.*}}, 3
; CHECK: load i64, ptr addrspace(1)
; CHECK: load i64, ptr
; CHECK: add nuw i64 %{{.*}}, 1
; CHECK: call void @llvm.memcpy
; CHECK: call void @__lockstep_wait(i32 4, i1 %{{.*}})
define void @large(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  %own = alloca [250 x i32], align 8
  br label %loop
loop:
  store i32 1, ptr %own, align 4
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %out, ptr align 8 %own, i64 1000, i1 false)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A volatile one as well.
; CHECK-LABEL: @volatile
; CHECK: br i1 %{{watched.*}}, label
; CHECK: load i32, ptr addrspace(1)
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %out, i8 0, i64 64, i1 true)
; CHECK: call void @__lockstep_wait(i32 5, i1 %
define void @volatile(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  br label %loop
loop:
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %out, i8 0, i64 64, i1 true)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Of a vector of three the fourth element has no value, so that it can differ in nothing.
; CHECK-LABEL: @three
; CHECK: %[[OLD:.*]] = load <4 x float>, ptr addrspace(1) %out
; CHECK-COUNT-3: icmp ne i32
; CHECK-NOT: icmp ne i32 {{.*}}poison
; CHECK-NOT: extractelement <4 x float> %[[OLD]], i64 3
; CHECK: call void @__lockstep_wait
define void @three(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out, <3 x float> %value) {
entry:
  br label %loop
loop:
  %four = shufflevector <3 x float> %value, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  store <4 x float> %four, ptr addrspace(1) %out, align 16
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}
