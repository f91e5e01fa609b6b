; RUN: env LOCKSTEP_REGION_LIMIT=200 lockstep-opt -passes=limit-regions %s | FileCheck %s
; RUN: env LOCKSTEP_REGION_LIMIT=10000 lockstep-opt -passes=limit-regions %s | FileCheck %s --check-prefix=LOOPS

; Each of the barriers reaches the code before all of them.
; CHECK: @interpreter({{.*}}) #[[SUSPENDED:[0-9]+]]
; LOOPS-NOT: lockstep-form
define void @interpreter(ptr addrspace(1) %out, i32 %first) {
entry:
  br label %next

next:
  %code = phi i32 [ %first, %entry ], [ %code0, %case0 ], [ %code1, %case1 ], [ %code2, %case2 ], [ %code3, %case3 ], [ %code4, %case4 ], [ %code5, %case5 ], [ %code6, %case6 ], [ %code7, %case7 ], [ %code8, %case8 ], [ %code9, %case9 ], [ %code10, %case10 ], [ %code11, %case11 ]
  switch i32 %code, label %end [
    i32 0, label %case0
    i32 1, label %case1
    i32 2, label %case2
    i32 3, label %case3
    i32 4, label %case4
    i32 5, label %case5
    i32 6, label %case6
    i32 7, label %case7
    i32 8, label %case8
    i32 9, label %case9
    i32 10, label %case10
    i32 11, label %case11
  ]

case0:
  %a0 = load i32, ptr addrspace(1) %out
  %b0 = mul i32 %a0, 3
  store i32 %b0, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code0 = load i32, ptr addrspace(1) %out
  br label %next

case1:
  %a1 = load i32, ptr addrspace(1) %out
  %b1 = mul i32 %a1, 4
  store i32 %b1, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code1 = load i32, ptr addrspace(1) %out
  br label %next

case2:
  %a2 = load i32, ptr addrspace(1) %out
  %b2 = mul i32 %a2, 5
  store i32 %b2, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code2 = load i32, ptr addrspace(1) %out
  br label %next

case3:
  %a3 = load i32, ptr addrspace(1) %out
  %b3 = mul i32 %a3, 6
  store i32 %b3, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code3 = load i32, ptr addrspace(1) %out
  br label %next

case4:
  %a4 = load i32, ptr addrspace(1) %out
  %b4 = mul i32 %a4, 7
  store i32 %b4, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code4 = load i32, ptr addrspace(1) %out
  br label %next

case5:
  %a5 = load i32, ptr addrspace(1) %out
  %b5 = mul i32 %a5, 8
  store i32 %b5, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code5 = load i32, ptr addrspace(1) %out
  br label %next

case6:
  %a6 = load i32, ptr addrspace(1) %out
  %b6 = mul i32 %a6, 9
  store i32 %b6, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code6 = load i32, ptr addrspace(1) %out
  br label %next

case7:
  %a7 = load i32, ptr addrspace(1) %out
  %b7 = mul i32 %a7, 10
  store i32 %b7, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code7 = load i32, ptr addrspace(1) %out
  br label %next

case8:
  %a8 = load i32, ptr addrspace(1) %out
  %b8 = mul i32 %a8, 11
  store i32 %b8, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code8 = load i32, ptr addrspace(1) %out
  br label %next

case9:
  %a9 = load i32, ptr addrspace(1) %out
  %b9 = mul i32 %a9, 12
  store i32 %b9, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code9 = load i32, ptr addrspace(1) %out
  br label %next

case10:
  %a10 = load i32, ptr addrspace(1) %out
  %b10 = mul i32 %a10, 13
  store i32 %b10, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code10 = load i32, ptr addrspace(1) %out
  br label %next

case11:
  %a11 = load i32, ptr addrspace(1) %out
  %b11 = mul i32 %a11, 14
  store i32 %b11, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %code11 = load i32, ptr addrspace(1) %out
  br label %next

end:
  ret void
}

; Each barrier has its own code behind it.
; CHECK: @in_line(ptr addrspace(1) %out) {
define void @in_line(ptr addrspace(1) %out) {
  %a0 = load i32, ptr addrspace(1) %out
  %b0 = mul i32 %a0, 3
  store i32 %b0, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a1 = load i32, ptr addrspace(1) %out
  %b1 = mul i32 %a1, 4
  store i32 %b1, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a2 = load i32, ptr addrspace(1) %out
  %b2 = mul i32 %a2, 5
  store i32 %b2, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a3 = load i32, ptr addrspace(1) %out
  %b3 = mul i32 %a3, 6
  store i32 %b3, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a4 = load i32, ptr addrspace(1) %out
  %b4 = mul i32 %a4, 7
  store i32 %b4, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a5 = load i32, ptr addrspace(1) %out
  %b5 = mul i32 %a5, 8
  store i32 %b5, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a6 = load i32, ptr addrspace(1) %out
  %b6 = mul i32 %a6, 9
  store i32 %b6, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a7 = load i32, ptr addrspace(1) %out
  %b7 = mul i32 %a7, 10
  store i32 %b7, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a8 = load i32, ptr addrspace(1) %out
  %b8 = mul i32 %a8, 11
  store i32 %b8, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a9 = load i32, ptr addrspace(1) %out
  %b9 = mul i32 %a9, 12
  store i32 %b9, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a10 = load i32, ptr addrspace(1) %out
  %b10 = mul i32 %a10, 13
  store i32 %b10, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a11 = load i32, ptr addrspace(1) %out
  %b11 = mul i32 %a11, 14
  store i32 %b11, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a12 = load i32, ptr addrspace(1) %out
  %b12 = mul i32 %a12, 15
  store i32 %b12, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a13 = load i32, ptr addrspace(1) %out
  %b13 = mul i32 %a13, 16
  store i32 %b13, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a14 = load i32, ptr addrspace(1) %out
  %b14 = mul i32 %a14, 17
  store i32 %b14, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a15 = load i32, ptr addrspace(1) %out
  %b15 = mul i32 %a15, 18
  store i32 %b15, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a16 = load i32, ptr addrspace(1) %out
  %b16 = mul i32 %a16, 19
  store i32 %b16, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a17 = load i32, ptr addrspace(1) %out
  %b17 = mul i32 %a17, 20
  store i32 %b17, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a18 = load i32, ptr addrspace(1) %out
  %b18 = mul i32 %a18, 21
  store i32 %b18, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a19 = load i32, ptr addrspace(1) %out
  %b19 = mul i32 %a19, 22
  store i32 %b19, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a20 = load i32, ptr addrspace(1) %out
  %b20 = mul i32 %a20, 23
  store i32 %b20, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a21 = load i32, ptr addrspace(1) %out
  %b21 = mul i32 %a21, 24
  store i32 %b21, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a22 = load i32, ptr addrspace(1) %out
  %b22 = mul i32 %a22, 25
  store i32 %b22, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a23 = load i32, ptr addrspace(1) %out
  %b23 = mul i32 %a23, 26
  store i32 %b23, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a24 = load i32, ptr addrspace(1) %out
  %b24 = mul i32 %a24, 27
  store i32 %b24, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a25 = load i32, ptr addrspace(1) %out
  %b25 = mul i32 %a25, 28
  store i32 %b25, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a26 = load i32, ptr addrspace(1) %out
  %b26 = mul i32 %a26, 29
  store i32 %b26, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a27 = load i32, ptr addrspace(1) %out
  %b27 = mul i32 %a27, 30
  store i32 %b27, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a28 = load i32, ptr addrspace(1) %out
  %b28 = mul i32 %a28, 31
  store i32 %b28, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a29 = load i32, ptr addrspace(1) %out
  %b29 = mul i32 %a29, 32
  store i32 %b29, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a30 = load i32, ptr addrspace(1) %out
  %b30 = mul i32 %a30, 33
  store i32 %b30, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a31 = load i32, ptr addrspace(1) %out
  %b31 = mul i32 %a31, 34
  store i32 %b31, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a32 = load i32, ptr addrspace(1) %out
  %b32 = mul i32 %a32, 35
  store i32 %b32, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a33 = load i32, ptr addrspace(1) %out
  %b33 = mul i32 %a33, 36
  store i32 %b33, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a34 = load i32, ptr addrspace(1) %out
  %b34 = mul i32 %a34, 37
  store i32 %b34, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a35 = load i32, ptr addrspace(1) %out
  %b35 = mul i32 %a35, 38
  store i32 %b35, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a36 = load i32, ptr addrspace(1) %out
  %b36 = mul i32 %a36, 39
  store i32 %b36, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a37 = load i32, ptr addrspace(1) %out
  %b37 = mul i32 %a37, 40
  store i32 %b37, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a38 = load i32, ptr addrspace(1) %out
  %b38 = mul i32 %a38, 41
  store i32 %b38, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a39 = load i32, ptr addrspace(1) %out
  %b39 = mul i32 %a39, 42
  store i32 %b39, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a40 = load i32, ptr addrspace(1) %out
  %b40 = mul i32 %a40, 43
  store i32 %b40, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a41 = load i32, ptr addrspace(1) %out
  %b41 = mul i32 %a41, 44
  store i32 %b41, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a42 = load i32, ptr addrspace(1) %out
  %b42 = mul i32 %a42, 45
  store i32 %b42, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a43 = load i32, ptr addrspace(1) %out
  %b43 = mul i32 %a43, 46
  store i32 %b43, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a44 = load i32, ptr addrspace(1) %out
  %b44 = mul i32 %a44, 47
  store i32 %b44, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a45 = load i32, ptr addrspace(1) %out
  %b45 = mul i32 %a45, 48
  store i32 %b45, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a46 = load i32, ptr addrspace(1) %out
  %b46 = mul i32 %a46, 49
  store i32 %b46, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a47 = load i32, ptr addrspace(1) %out
  %b47 = mul i32 %a47, 50
  store i32 %b47, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a48 = load i32, ptr addrspace(1) %out
  %b48 = mul i32 %a48, 51
  store i32 %b48, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a49 = load i32, ptr addrspace(1) %out
  %b49 = mul i32 %a49, 52
  store i32 %b49, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a50 = load i32, ptr addrspace(1) %out
  %b50 = mul i32 %a50, 53
  store i32 %b50, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a51 = load i32, ptr addrspace(1) %out
  %b51 = mul i32 %a51, 54
  store i32 %b51, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a52 = load i32, ptr addrspace(1) %out
  %b52 = mul i32 %a52, 55
  store i32 %b52, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a53 = load i32, ptr addrspace(1) %out
  %b53 = mul i32 %a53, 56
  store i32 %b53, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a54 = load i32, ptr addrspace(1) %out
  %b54 = mul i32 %a54, 57
  store i32 %b54, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a55 = load i32, ptr addrspace(1) %out
  %b55 = mul i32 %a55, 58
  store i32 %b55, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a56 = load i32, ptr addrspace(1) %out
  %b56 = mul i32 %a56, 59
  store i32 %b56, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a57 = load i32, ptr addrspace(1) %out
  %b57 = mul i32 %a57, 60
  store i32 %b57, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a58 = load i32, ptr addrspace(1) %out
  %b58 = mul i32 %a58, 61
  store i32 %b58, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  %a59 = load i32, ptr addrspace(1) %out
  %b59 = mul i32 %a59, 62
  store i32 %b59, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1) #0
  ret void
}

declare void @__lockstep_barrier(i32) #0

; CHECK: attributes #[[SUSPENDED]] = { "lockstep-form"="resumable" }
attributes #0 = { convergent }
