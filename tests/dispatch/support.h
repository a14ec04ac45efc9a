// Libraries, kernels and tensors in short, for tests of the dispatcher.
#ifndef OB_TESTS_DISPATCH_SUPPORT_H
#define OB_TESTS_DISPATCH_SUPPORT_H

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ob/inspect.h"
#include "ob/library.h"

namespace dispatch_test
{

struct ReleaseLibrary {
    void operator()(ob_library *l) const
    {
        ob_library_release(l);
    }
};
using Library = std::unique_ptr<ob_library, ReleaseLibrary>;

struct ReleaseTensor {
    void operator()(ob_tensor *t) const
    {
        ob_tensor_release(t);
    }
};
using Tensor = std::unique_ptr<ob_tensor, ReleaseTensor>;

inline Library open(ob_library_kind kind, const char *ns, ob_key key = OB_KEY_Undefined,
                    int line = 1)
{
    ob_library *lib = nullptr;
    EXPECT_EQ(OB_OK, ob_library_open(kind, ns, key, "test.cc", line, &lib))
        << ob_error_last()->message;
    return Library(lib);
}

/* The kernel's number, as the result. */
inline ob_status answer(ob_frame *frame)
{
    frame->results[0] = ob_value_int(*static_cast<int *>(frame->user));
    return OB_OK;
}

inline ob_kernel kernel(ob_kernel_fn fn, void *user = nullptr, uint32_t flags = 0)
{
    ob_kernel k = {};
    k.fn = fn;
    k.user = user;
    k.flags = flags;
    return k;
}

inline Tensor tensor(ob_device device, ob_dtype dtype = OB_F32)
{
    static const int64_t sizes[] = { 2 };
    ob_tensor *t = nullptr;
    EXPECT_EQ(OB_OK, ob_tensor_create({ sizes, 1 }, dtype, device, &t)) << ob_error_last()->message;
    return Tensor(t);
}

inline Tensor cpu_tensor(ob_dtype dtype = OB_F32)
{
    const ob_device cpu = { OB_BACKEND_CPU, 0 };
    return tensor(cpu, dtype);
}

/* The int that ns::name gives for one tensor; -1 when the call fails. */
inline int64_t call(const char *name, ob_tensor *t)
{
    ob_op *op = nullptr;
    ob_value result = {};
    const ob_value arg = ob_value_tensor(t);
    if (ob_op_find(name, &op) != OB_OK) return -1;
    return ob_call_unchecked(op, &arg, &result) == OB_OK ? result.u.i : -1;
}

inline std::string message()
{
    return ob_error_last()->message;
}

inline bool tells(const std::string &word)
{
    return message().find(word) != std::string::npos;
}

} // namespace dispatch_test

#endif
