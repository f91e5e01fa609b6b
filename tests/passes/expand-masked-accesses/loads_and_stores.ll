; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=expand-masked-accesses %s | FileCheck %s --check-prefixes=BYTES,WORDS
; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=expand-masked-accesses %s | FileCheck %s --check-prefixes=BYTES,LEGAL
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=expand-masked-accesses %s | FileCheck %s --check-prefix=AVX512
; A vector within a page is loaded whole if some lane is active, and stored whole if all are. AVX2 has masked accesses of words.

; BYTES-LABEL: @load_bytes
; BYTES: %elements = alloca [16 x i8], align 64
; BYTES: %active.bits = zext i16 {{.*}} to i64
; BYTES: %in.page = and i64 {{.*}}, 4095
; BYTES: icmp ule i64 %in.page, 4080
; BYTES: icmp ne i64 %active.bits, 0
; BYTES: br i1 %is.safe, label %whole.vector, label
; BYTES: whole.vector:
; BYTES-NEXT: load <16 x i8>, ptr %from, align 1
; BYTES: element.left:
; BYTES: element:
; BYTES: call i64 @llvm.cttz.i64(i64 %left, i1 true)
; BYTES: load i8, ptr
; BYTES: store i8
; BYTES: %of.elements = load <16 x i8>, ptr %elements, align 64
; BYTES: [[LOADED:%.*]] = phi <16 x i8>
; BYTES: select <16 x i1> %mask, <16 x i8> [[LOADED]], <16 x i8> %otherwise
; AVX512-LABEL: @load_bytes
; AVX512: call <16 x i8> @llvm.masked.load
define <16 x i8> @load_bytes(ptr %from, <16 x i1> %mask, <16 x i8> %otherwise) {
  %loaded = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %from, <16 x i1> %mask, <16 x i8> %otherwise)
  ret <16 x i8> %loaded
}

; WORDS-LABEL: @load_words
; WORDS: icmp ule i64 %in.page, 4064
; WORDS: load <8 x i32>, ptr %from, align 4
; LEGAL-LABEL: @load_words
; LEGAL: call <8 x i32> @llvm.masked.load
define <8 x i32> @load_words(ptr %from, <8 x i1> %mask) {
  %loaded = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %from, <8 x i1> %mask, <8 x i32> poison)
  ret <8 x i32> %loaded
}

; BYTES-LABEL: @store_bytes
; BYTES: icmp eq i64 %active.bits, 65535
; BYTES: whole.vector:
; BYTES-NEXT: store <16 x i8> %value, ptr %to, align 1
; BYTES: store <16 x i8> %value, ptr %elements, align 64
; BYTES: element:
; BYTES: load i8, ptr
; BYTES: store i8
; AVX512-LABEL: @store_bytes
; AVX512: call void @llvm.masked.store
define void @store_bytes(ptr %to, <16 x i1> %mask, <16 x i8> %value) {
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %value, ptr align 1 %to, <16 x i1> %mask)
  ret void
}

; LLVM must not conclude from the length that the access is not to the variable.
; BYTES-LABEL: @own_variable
; BYTES: %whole = call ptr asm "", "=r,0"(ptr %variable)
; BYTES: load <16 x i8>, ptr %whole
define <16 x i8> @own_variable(<16 x i1> %mask) {
  %variable = alloca [8 x i8]
  %loaded = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %variable, <16 x i1> %mask, <16 x i8> poison)
  ret <16 x i8> %loaded
}

; Longer ones cross pages too often.
; BYTES-LABEL: @long
; BYTES: call <64 x i64> @llvm.masked.load
define <64 x i64> @long(ptr %from, <64 x i1> %mask) {
  %loaded = call <64 x i64> @llvm.masked.load.v64i64.p0(ptr align 8 %from, <64 x i1> %mask, <64 x i64> poison)
  ret <64 x i64> %loaded
}

declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr, <16 x i1>, <16 x i8>)
declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)
declare <64 x i64> @llvm.masked.load.v64i64.p0(ptr, <64 x i1>, <64 x i64>)
declare void @llvm.masked.store.v16i8.p0(<16 x i8>, ptr, <16 x i1>)
