/* Compiler attributes, in the one place where compiler extensions are allowed. */
#ifndef OB_ATTRIBUTES_H
#define OB_ATTRIBUTES_H

#if defined(__GNUC__)
#define OB_API               __attribute__((visibility("default")))
#define OB_MUST_USE          __attribute__((warn_unused_result))
#define OB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define OB_CONSTRUCTOR       __attribute__((constructor))
#define OB_DESTRUCTOR        __attribute__((destructor))
/* Thread-local state of libob that a call reads: no function call per access. */
#define OB_FAST_TLS    __attribute__((tls_model("initial-exec")))
#define OB_LIKELY(x)   __builtin_expect(!!(x), 1)
#define OB_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* A function off the hot path: kept out of its callers, so that they save no registers for it. */
#define OB_COLD __attribute__((noinline, cold))
/* Bit scans of a word that is not zero. */
#define OB_CTZ64(x) __builtin_ctzll(x)
#define OB_CLZ64(x) __builtin_clzll(x)
#define OB_CLZ32(x) __builtin_clz(x)
/* *out = a op b; true when the result does not fit. */
#define OB_ADD_OVERFLOW(a, b, out) __builtin_add_overflow((a), (b), (out))
#define OB_SUB_OVERFLOW(a, b, out) __builtin_sub_overflow((a), (b), (out))
#define OB_MUL_OVERFLOW(a, b, out) __builtin_mul_overflow((a), (b), (out))
#else
#error "Outboard needs gcc or clang"
#endif

#if defined(__cplusplus)
#define OB_STATIC_ASSERT(cond, text) static_assert(cond, text)
#define OB_BEGIN_DECLS               extern "C" {
#define OB_END_DECLS                 }
/* (OB_LITERAL(ob_device){ ... }) is a value of the type in C and in C++. */
#define OB_LITERAL(type) type
#else
#define OB_LITERAL(type)             (type)
#define OB_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#define OB_BEGIN_DECLS
#define OB_END_DECLS
#endif

#endif
