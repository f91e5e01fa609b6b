; RUN: lockstep-opt -passes='canonicalize-flow,serialize-regions' %s | FileCheck %s
; Two regions use the address of an element of a private array, which takes a few instructions from what both have at hand:
; each computes it, and neither gives it to the other, as a vector of addresses. What the first has loaded or computed from
; that is passed.

; CHECK-LABEL: define void @two_regions
; CHECK: %own = alloca
; CHECK: %lane = call i64 @__lockstep_lane()
; CHECK: [[FROM:%.*]] = call i32 @serial.entry{{.*}}(ptr %own, i64 %lane, ptr addrspace(1) %p)
; CHECK-NOT: getelementptr
; CHECK: [[SUM:%.*]] = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 [[FROM]])
; CHECK-NOT: getelementptr
; CHECK: call void @serial.meet{{.*}}(ptr %own, i64 %lane, ptr addrspace(1) %p, i32 [[SUM]])

; CHECK-LABEL: define internal void @serial.meet
; CHECK: [[OWN:%.*]] = getelementptr [4 x i32], ptr %{{.*}}, i64 %
; CHECK: [[ELEMENT:%.*]] = getelementptr i32, ptr [[OWN]], i64 3
; CHECK: load i32, ptr [[ELEMENT]]
define void @two_regions(ptr addrspace(1) %p) #0 {
entry:
  %own = alloca [4 x i32], i64 16
  %lane = call i64 @__lockstep_lane()
  %array = getelementptr [4 x i32], ptr %own, i64 %lane
  %element = getelementptr i32, ptr %array, i64 3
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %old = load i32, ptr addrspace(1) %at
  %a1 = xor i32 %old, 3
  %a2 = mul i32 %a1, 5
  %a3 = xor i32 %a2, 7
  %a4 = mul i32 %a3, 9
  %a5 = xor i32 %a4, 11
  %a6 = mul i32 %a5, 13
  %a7 = xor i32 %a6, 15
  %a8 = mul i32 %a7, 17
  %a9 = xor i32 %a8, 19
  %a10 = mul i32 %a9, 21
  %a11 = xor i32 %a10, 23
  %a12 = mul i32 %a11, 25
  %a13 = xor i32 %a12, 27
  %a14 = mul i32 %a13, 29
  %a15 = xor i32 %a14, 31
  %a16 = mul i32 %a15, 33
  %a17 = xor i32 %a16, 35
  %a18 = mul i32 %a17, 37
  %a19 = xor i32 %a18, 39
  %a20 = mul i32 %a19, 41
  %a21 = xor i32 %a20, 43
  %a22 = mul i32 %a21, 45
  %a23 = xor i32 %a22, 47
  %a24 = mul i32 %a23, 49
  %a25 = xor i32 %a24, 51
  %a26 = mul i32 %a25, 53
  %a27 = xor i32 %a26, 55
  %a28 = mul i32 %a27, 57
  %a29 = xor i32 %a28, 59
  %a30 = mul i32 %a29, 61
  %a31 = xor i32 %a30, 63
  %a32 = mul i32 %a31, 65
  %a33 = xor i32 %a32, 67
  %a34 = mul i32 %a33, 69
  %a35 = xor i32 %a34, 71
  %a36 = mul i32 %a35, 73
  %a37 = xor i32 %a36, 75
  %a38 = mul i32 %a37, 77
  %a39 = xor i32 %a38, 79
  %a40 = mul i32 %a39, 81
  %a41 = xor i32 %a40, 83
  %a42 = mul i32 %a41, 85
  %a43 = xor i32 %a42, 87
  %a44 = mul i32 %a43, 89
  %a45 = xor i32 %a44, 91
  %a46 = mul i32 %a45, 93
  %a47 = xor i32 %a46, 95
  %a48 = mul i32 %a47, 97
  %a49 = xor i32 %a48, 99
  %a50 = mul i32 %a49, 101
  %a51 = xor i32 %a50, 103
  %a52 = mul i32 %a51, 105
  %a53 = xor i32 %a52, 107
  %a54 = mul i32 %a53, 109
  %a55 = xor i32 %a54, 111
  %a56 = mul i32 %a55, 113
  %a57 = xor i32 %a56, 115
  %a58 = mul i32 %a57, 117
  %a59 = xor i32 %a58, 119
  %a60 = mul i32 %a59, 121
  %a61 = xor i32 %a60, 123
  %a62 = mul i32 %a61, 125
  %a63 = xor i32 %a62, 127
  %a64 = mul i32 %a63, 129
  %a65 = xor i32 %a64, 131
  %a66 = mul i32 %a65, 133
  %a67 = xor i32 %a66, 135
  %a68 = mul i32 %a67, 137
  %a69 = xor i32 %a68, 139
  %a70 = mul i32 %a69, 141
  %a71 = xor i32 %a70, 143
  %a72 = mul i32 %a71, 145
  %a73 = xor i32 %a72, 147
  %a74 = mul i32 %a73, 149
  %a75 = xor i32 %a74, 151
  %a76 = mul i32 %a75, 153
  %a77 = xor i32 %a76, 155
  %a78 = mul i32 %a77, 157
  %a79 = xor i32 %a78, 159
  %a80 = mul i32 %a79, 161
  %a81 = xor i32 %a80, 163
  %a82 = mul i32 %a81, 165
  %a83 = xor i32 %a82, 167
  %a84 = mul i32 %a83, 169
  %a85 = xor i32 %a84, 171
  %a86 = mul i32 %a85, 173
  %a87 = xor i32 %a86, 175
  %a88 = mul i32 %a87, 177
  %a89 = xor i32 %a88, 179
  %a90 = mul i32 %a89, 181
  %a91 = xor i32 %a90, 183
  %a92 = mul i32 %a91, 185
  %a93 = xor i32 %a92, 187
  %a94 = mul i32 %a93, 189
  %a95 = xor i32 %a94, 191
  %a96 = mul i32 %a95, 193
  %a97 = xor i32 %a96, 195
  %a98 = mul i32 %a97, 197
  %a99 = xor i32 %a98, 199
  %a100 = mul i32 %a99, 201
  store i32 %a100, ptr %element
  br label %meet
meet:
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %a100)
  br label %more
more:
  %kept = load i32, ptr %element
  %seen = add i32 %kept, %sum
  %b1 = xor i32 %seen, 3
  %b2 = mul i32 %b1, 5
  %b3 = xor i32 %b2, 7
  %b4 = mul i32 %b3, 9
  %b5 = xor i32 %b4, 11
  %b6 = mul i32 %b5, 13
  %b7 = xor i32 %b6, 15
  %b8 = mul i32 %b7, 17
  %b9 = xor i32 %b8, 19
  %b10 = mul i32 %b9, 21
  %b11 = xor i32 %b10, 23
  %b12 = mul i32 %b11, 25
  %b13 = xor i32 %b12, 27
  %b14 = mul i32 %b13, 29
  %b15 = xor i32 %b14, 31
  %b16 = mul i32 %b15, 33
  %b17 = xor i32 %b16, 35
  %b18 = mul i32 %b17, 37
  %b19 = xor i32 %b18, 39
  %b20 = mul i32 %b19, 41
  %b21 = xor i32 %b20, 43
  %b22 = mul i32 %b21, 45
  %b23 = xor i32 %b22, 47
  %b24 = mul i32 %b23, 49
  %b25 = xor i32 %b24, 51
  %b26 = mul i32 %b25, 53
  %b27 = xor i32 %b26, 55
  %b28 = mul i32 %b27, 57
  %b29 = xor i32 %b28, 59
  %b30 = mul i32 %b29, 61
  %b31 = xor i32 %b30, 63
  %b32 = mul i32 %b31, 65
  %b33 = xor i32 %b32, 67
  %b34 = mul i32 %b33, 69
  %b35 = xor i32 %b34, 71
  %b36 = mul i32 %b35, 73
  %b37 = xor i32 %b36, 75
  %b38 = mul i32 %b37, 77
  %b39 = xor i32 %b38, 79
  %b40 = mul i32 %b39, 81
  %b41 = xor i32 %b40, 83
  %b42 = mul i32 %b41, 85
  %b43 = xor i32 %b42, 87
  %b44 = mul i32 %b43, 89
  %b45 = xor i32 %b44, 91
  %b46 = mul i32 %b45, 93
  %b47 = xor i32 %b46, 95
  %b48 = mul i32 %b47, 97
  %b49 = xor i32 %b48, 99
  %b50 = mul i32 %b49, 101
  %b51 = xor i32 %b50, 103
  %b52 = mul i32 %b51, 105
  %b53 = xor i32 %b52, 107
  %b54 = mul i32 %b53, 109
  %b55 = xor i32 %b54, 111
  %b56 = mul i32 %b55, 113
  %b57 = xor i32 %b56, 115
  %b58 = mul i32 %b57, 117
  %b59 = xor i32 %b58, 119
  %b60 = mul i32 %b59, 121
  %b61 = xor i32 %b60, 123
  %b62 = mul i32 %b61, 125
  %b63 = xor i32 %b62, 127
  %b64 = mul i32 %b63, 129
  %b65 = xor i32 %b64, 131
  %b66 = mul i32 %b65, 133
  %b67 = xor i32 %b66, 135
  %b68 = mul i32 %b67, 137
  %b69 = xor i32 %b68, 139
  %b70 = mul i32 %b69, 141
  %b71 = xor i32 %b70, 143
  %b72 = mul i32 %b71, 145
  %b73 = xor i32 %b72, 147
  %b74 = mul i32 %b73, 149
  %b75 = xor i32 %b74, 151
  %b76 = mul i32 %b75, 153
  %b77 = xor i32 %b76, 155
  %b78 = mul i32 %b77, 157
  %b79 = xor i32 %b78, 159
  %b80 = mul i32 %b79, 161
  %b81 = xor i32 %b80, 163
  %b82 = mul i32 %b81, 165
  %b83 = xor i32 %b82, 167
  %b84 = mul i32 %b83, 169
  %b85 = xor i32 %b84, 171
  %b86 = mul i32 %b85, 173
  %b87 = xor i32 %b86, 175
  %b88 = mul i32 %b87, 177
  %b89 = xor i32 %b88, 179
  %b90 = mul i32 %b89, 181
  %b91 = xor i32 %b90, 183
  %b92 = mul i32 %b91, 185
  %b93 = xor i32 %b92, 187
  %b94 = mul i32 %b93, 189
  %b95 = xor i32 %b94, 191
  %b96 = mul i32 %b95, 193
  %b97 = xor i32 %b96, 195
  %b98 = mul i32 %b97, 197
  %b99 = xor i32 %b98, 199
  %b100 = mul i32 %b99, 201
  store i32 %b100, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nomerge nounwind

attributes #0 = { "lockstep-sub-group-size"="16" "lockstep-local-size"="16,1,1" }
