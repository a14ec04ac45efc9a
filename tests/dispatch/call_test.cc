// Calls: which kernel runs, declining, redispatch, checks, and what errors say.
#include "support.h"

using namespace dispatch_test;

namespace
{
int one = 1, two = 2;

ob_status decline(ob_frame *)
{
    return OB_ERR_DECLINED;
}

ob_status call_itself(ob_frame *frame)
{
    return ob_redispatch(frame->op, frame->keys, frame->args, frame->results);
}

ob_status fail_with_result(ob_frame *frame)
{
    frame->results[0] = ob_value_int(7);
    return OB_FAIL(OB_ERR_DEVICE, "no luck");
}

/* Namespace with f(Tensor x) -> int. */
class Call : public testing::Test
{
  protected:
    void SetUp() override
    {
        lib = open(OB_LIBRARY_KIND_DEF, "call");
        ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "f(Tensor x) -> int", 0));
    }
    void add(ob_key key, ob_kernel k)
    {
        ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "f", key, &k)) << message();
    }
    Library lib;
    Tensor t = cpu_tensor();
};
} // namespace

TEST_F(Call, DecliningKernelGivesWayToComposite)
{
    add(OB_KEY_CPU, kernel(decline));
    add(OB_KEY_CompositeImplicitAutograd, kernel(answer, &one));
    EXPECT_EQ(1, call("call::f", t.get()));
    add(OB_KEY_CompositeExplicitAutograd, kernel(answer, &two));
    EXPECT_EQ(2, call("call::f", t.get()));
    EXPECT_EQ(2u, ob_inspect_counts(ob_op_peek("call::f")).declines);
}

TEST_F(Call, DecliningWithoutAnotherIsNoKernel)
{
    add(OB_KEY_CPU, kernel(decline));
    EXPECT_EQ(-1, call("call::f", t.get()));
    EXPECT_EQ(OB_ERR_NO_KERNEL, ob_error_last()->status);
    EXPECT_TRUE(tells("call::f") && tells("'CPU'") && tells("declined")) << message();
}

TEST_F(Call, KernelForOtherDtypesIsPassedOver)
{
    ob_kernel k = kernel(answer, &one);
    k.dtypes = OB_DTYPES(OB_F64);
    add(OB_KEY_CPU, k);
    add(OB_KEY_CompositeExplicitAutograd, kernel(answer, &two));
    const Tensor d = cpu_tensor(OB_F64);
    EXPECT_EQ(2, call("call::f", t.get()));
    EXPECT_EQ(1, call("call::f", d.get()));
}

TEST_F(Call, EndlessRedispatchIsAnError)
{
    add(OB_KEY_CPU, kernel(call_itself));
    EXPECT_EQ(-1, call("call::f", t.get()));
    EXPECT_EQ(OB_ERR_STATE, ob_error_last()->status);
    EXPECT_TRUE(tells("1000")) << message();
    EXPECT_EQ(OB_OK, ob_dispatch_quiesce());
}

TEST_F(Call, ResultsOfAFailedKernelAreTakenBack)
{
    add(OB_KEY_CPU, kernel(fail_with_result));
    const ob_value arg = ob_value_tensor(t.get());
    ob_value result = {};
    EXPECT_EQ(OB_ERR_DEVICE, ob_call_unchecked(ob_op_peek("call::f"), &arg, &result));
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_ABSENT), result.tag);
}

TEST_F(Call, MissingKernelTellsAllThatHelps)
{
    add(OB_KEY_CUDA, kernel(answer, &one));
    EXPECT_EQ(-1, call("call::f", t.get()));
    EXPECT_EQ(OB_ERR_NO_KERNEL, ob_error_last()->status);
    EXPECT_TRUE(tells("call::f: no kernel for key 'CPU'")) << message();
    EXPECT_TRUE(tells("Argument 0 'x', a tensor on cpu")) << message();
    EXPECT_TRUE(tells("Registered for: CUDA")) << message();
    EXPECT_TRUE(tells("OB_LIBRARY_IMPL(call, CPU, m)")) << message();
    EXPECT_TRUE(tells("CUDA: registered at test.cc:1 [kernel]")) << message();
}

TEST_F(Call, AmbiguousAutogradOtherIsNamed)
{
    add(OB_KEY_QuantizedCPU, kernel(answer, &one));
    add(OB_KEY_CompositeImplicitAutograd, kernel(answer, &two));
    const ob_value arg = ob_value_tensor(t.get());
    ob_value result = {};
    EXPECT_EQ(OB_ERR_AMBIGUOUS, ob_redispatch(ob_op_peek("call::f"),
                                              ob_keyset_of(OB_KEY_AutogradOther), &arg, &result));
    EXPECT_TRUE(tells("QuantizedCPU") && tells("inference mode")) << message();
}

TEST_F(Call, CheckedCallNamesTheWrongArgument)
{
    add(OB_KEY_CompositeExplicitAutograd, kernel(answer, &one));
    const ob_op *op = ob_op_peek("call::f");
    const ob_value wrong = ob_value_string("three"), args[] = { ob_value_tensor(t.get()), wrong };
    ob_value result = {};
    EXPECT_EQ(OB_ERR_ARG, ob_call(op, &wrong, 1, &result, 1));
    EXPECT_TRUE(tells("'x' (position 0) must be Tensor, got STRING")) << message();
    EXPECT_EQ(OB_ERR_ARG, ob_call(op, args, 2, &result, 1));
    EXPECT_TRUE(tells("at most 1 arguments, got 2")) << message();
    EXPECT_EQ(OB_ERR_ARG, ob_call(op, nullptr, 0, &result, 1));
    EXPECT_TRUE(tells("'x' (position 0, Tensor) is missing")) << message();
    EXPECT_EQ(OB_OK, ob_call(op, args, 1, &result, 1)) << message();
}

TEST_F(Call, CheckedCallFillsInDefaultsAndConverts)
{
    ASSERT_EQ(OB_OK,
              ob_library_def(lib.get(), "g(float x, int[2] n=1, ScalarType? d=None) -> int", 0));
    const ob_kernel k = kernel([](ob_frame *f) -> ob_status {
        const bool ok = f->n_args == 3 && f->args[0].tag == OB_VALUE_DOUBLE &&
                        f->args[1].tag == OB_VALUE_INTS && f->args[1].count == 2 &&
                        f->args[1].u.ints[1] == 1 && f->args[2].tag == OB_VALUE_NONE;
        f->results[0] = ob_value_int(ok);
        return OB_OK;
    });
    ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "g", OB_KEY_CompositeExplicitAutograd, &k));
    const ob_value arg = ob_value_int(2);
    ob_value result = {};
    ASSERT_EQ(OB_OK, ob_call(ob_op_peek("call::g"), &arg, 1, &result, 1)) << message();
    EXPECT_EQ(1, result.u.i);
}

TEST_F(Call, WatcherSeesTheKernelThatComputes)
{
    static int seen;
    seen = 0;
    add(OB_KEY_CPU, kernel(answer, &one));
    ob_call_watcher w = {};
    w.enter = [](void *, const ob_op *, ob_key key, const ob_entry *entry) {
        seen += key == OB_KEY_CPU && entry->provenance == OB_PROVENANCE_DIRECT ? 1 : 100;
    };
    ob_inspect_watch(&w);
    EXPECT_EQ(1, call("call::f", t.get()));
    ob_inspect_watch(nullptr);
    EXPECT_EQ(1, call("call::f", t.get()));
    EXPECT_EQ(1, seen);
}
