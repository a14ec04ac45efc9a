/* Memory that runs out, above core: each allocation of a registration, of calls and of a program
 * fails in turn. Each failure is an error with nothing left half done; the address sanitizer sees
 * what leaks. */
#include <functional>

#include "core/alloc.h"
#include "ob/ob.h"
#include "support/ob_gtest.h"

namespace
{

using namespace ob_test;

const ob_device cpu = { OB_BACKEND_CPU, 0 };

/* Run `script` with its n-th allocation failing (and with `sticky` all later ones), for n from 1
 * until it succeeds; in larger steps as n grows. */
void fail_each(const std::function<ob_status()> &script)
{
    ASSERT_OB_OK(script());
    for (int sticky = 0; sticky < 2; sticky++) {
        ob_status st = OB_ERR_OOM;
        uint64_t n = 0, failures = 0;
        for (n = 1; st != OB_OK && n < 1000000; n += 1 + n / 40) {
            ob_alloc_fail_at(n, sticky);
            st = script();
            const uint64_t made = ob_alloc_count();
            ob_alloc_fail_at(0, 0);
            failures += st != OB_OK;
            EXPECT_TRUE(st == OB_OK || st == OB_ERR_OOM) << "allocation " << n << last_error();
            if (st == OB_OK && made >= n) st = OB_ERR_OOM; /* it did without: go on */
        }
        EXPECT_GT(failures, 0U);
        EXPECT_OB_OK(ob_inspect_check_invariants());
    }
}

ob_status nothing(ob_frame *)
{
    return OB_OK;
}

ob_status register_some()
{
    ob_library *lib = nullptr;
    ob_kernel k = {};
    k.fn = nothing;
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_DEF, "oom", OB_KEY_Undefined, "oom", 1, &lib));
    ob_status st = ob_library_def(lib, "f(Tensor x, int[2] y=[1, 2]) -> Tensor", 0);
    if (st == OB_OK) st = ob_library_impl(lib, "f", OB_KEY_CPU, &k);
    if (st == OB_OK) st = ob_library_impl(lib, "f", OB_KEY_Autograd, &k);
    if (st == OB_OK) st = ob_library_def_impl(lib, "g(str s) -> ()", OB_KEY_CPU, &k);
    ob_library_release(lib);
    const ob_op *left = ob_op_peek("oom::f");
    EXPECT_TRUE(!left || !ob_op_schema(left)) << "a released library left its definition";
    return st;
}

/* The first result of an op as an owned tensor; null after a failure, which *st keeps. */
OwnedTensor call(ob_status *st, const char *name, const std::vector<ob_value> &args)
{
    ob_op *op = nullptr;
    ob_value result = {};
    if (*st == OB_OK) *st = ob_op_find(name, &op);
    if (*st == OB_OK) *st = ob_call_unchecked(op, args.data(), &result);
    return OwnedTensor(*st == OB_OK ? result.u.tensor : nullptr);
}

ob_value val(const OwnedTensor &t)
{
    return ob_value_tensor(t.get());
}

ob_status call_some()
{
    ob_status st = OB_OK;
    ob_tensor *made = nullptr;
    const std::vector<int64_t> sizes = { 4, 4 }, rows = { 0 };
    const ob_value one = ob_value_int(1), none = ob_value_none(), no = ob_value_bool(false);
    st = ob_tensor_create(ints(sizes), OB_F32, cpu, &made);
    const OwnedTensor x(made);
    const float ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    if (st == OB_OK) st = ob_tensor_write(x.get(), ones, sizeof ones);
    const OwnedTensor sum = call(&st, "aten::add.Tensor", { val(x), val(x), one });
    const OwnedTensor t = call(&st, "aten::t", { val(x) });
    const OwnedTensor y = call(&st, "aten::mm", { val(sum), val(t) });
    ob_tensor *const pair[] = { y.get(), x.get() };
    const OwnedTensor z =
        call(&st, "aten::cat", { ob_value_tensors(ob_tensors{ pair, 2 }), ob_value_int(0) });
    const OwnedTensor p = call(&st, "aten::softmax.int", { val(z), one, none });
    const OwnedTensor total =
        call(&st, "aten::sum.dim_IntList", { val(p), ob_value_ints(ints(rows)), no, none });
    const OwnedTensor same = call(&st, "aten::add_.Tensor", { val(x), val(y), one });
    return st;
}

ob_status run_program()
{
    ob_program *p = nullptr;
    ob_tensor *x = nullptr;
    OB_TRY(
        ob_program_load(OB_SOURCE_DIR "/samples/models/digits_cnn/digits_cnn.core.pt2", cpu, &p));
    const std::vector<float> image(64, 1);
    ob_status st = ob_tensor_create(ints({ 1, 1, 8, 8 }), OB_F32, cpu, &x);
    if (st == OB_OK) st = ob_tensor_write(x, image.data(), image.size() * sizeof image[0]);
    if (st == OB_OK) {
        const ob_value in = ob_value_tensor(x);
        ob_value out = {};
        st = ob_program_run(p, &in, 1, &out, 1);
        ob_value_reset(&out);
    }
    ob_tensor_release(x);
    ob_program_release(p);
    return st;
}

TEST(OutOfMemory, RegistersAllOrNothing)
{
    fail_each(register_some);
}

TEST(OutOfMemory, CallsFailAndLeaveTheirArguments)
{
    fail_each(call_some);
}

TEST(OutOfMemory, ProgramsAreLoadedAndRunOrNot)
{
    fail_each(run_program);
}

} // namespace
