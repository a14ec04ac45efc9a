// Scalars, values and devices.
#include "support/ob_gtest.h"

#include <climits>

namespace
{

using namespace ob_test;

TEST(Scalar, ConvertsLikeAPythonNumber)
{
    EXPECT_EQ(1.0, ob_scalar_double(ob_bool(true)));
    EXPECT_EQ(2.5, ob_scalar_double(ob_complex(2.5, 7)));
    EXPECT_EQ(-2, ob_scalar_int(ob_double(-2.9)));
    EXPECT_EQ(INT64_MAX, ob_scalar_int(ob_double(1e30)));
    EXPECT_EQ(INT64_MIN, ob_scalar_int(ob_double(-INFINITY)));
    EXPECT_EQ(0, ob_scalar_int(ob_double(NAN)));
    EXPECT_EQ(INT64_MAX, ob_scalar_int(ob_int(INT64_MAX)));
    EXPECT_EQ(OB_KIND_COMPLEX, ob_scalar_kind(ob_complex(0, 1)));
    EXPECT_EQ(OB_KIND_BOOL, ob_scalar_kind(ob_bool(false)));
}

TEST(Value, HoldsAScalar)
{
    const ob_value v = ob_value_scalar(ob_complex(1, -1));
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_COMPLEX), v.tag);
    EXPECT_EQ(-1, ob_value_as_scalar(&v).u.c[1]);
    const ob_value none = ob_value_scalar(ob_scalar{}), text = ob_value_string("x");
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_NONE), none.tag);
    EXPECT_EQ(OB_SCALAR_NONE, ob_value_as_scalar(&text).tag);
    EXPECT_EQ(24U, sizeof(ob_value));
}

TEST(Value, CopiesDeeply)
{
    const OwnedTensor t = tensor_of<float>(OB_F32, { 1 }, { 3 });
    ob_tensor *const tensors[] = { t.get(), nullptr };
    const int64_t numbers[] = { 4, 5 };
    ob_value list[3] = { ob_value_tensors(ob_tensors{ tensors, 2 }),
                         ob_value_ints(ob_ints{ numbers, 2 }), ob_value_string("mean") };
    ob_value outer = { OB_VALUE_LIST, 3, { 0 } }, copy;
    outer.u.list = list;
    ASSERT_OB_OK(ob_value_copy(&outer, &copy));
    EXPECT_NE(list[1].u.ints, copy.u.list[1].u.ints);
    EXPECT_EQ(5, copy.u.list[1].u.ints[1]);
    EXPECT_STREQ("mean", copy.u.list[2].u.string);
    EXPECT_EQ(t.get(), copy.u.list[0].u.tensors[0]);
    ob_value_reset(&copy);
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_ABSENT), copy.tag);
}

TEST(Value, CopiesEmptyLists)
{
    ob_value copy;
    const ob_value empty = ob_value_ints(ob_ints{ nullptr, 0 });
    ASSERT_OB_OK(ob_value_copy(&empty, &copy));
    EXPECT_EQ(0U, copy.count);
    ob_value_reset(&copy);
}

std::string printed(const ob_value &v, size_t bytes = 100)
{
    std::vector<char> text(100);
    return ob_value_format(&v, text.data(), bytes);
}

TEST(Value, PrintsForAHuman)
{
    const int64_t numbers[] = { 4, -5 };
    const double doubles[] = { 0.5 };
    const uint8_t bools[] = { 1, 0 };
    const OwnedTensor t = tensor_of<float>(OB_F32, { 1, 2 }, { 3, 4 });
    ob_tensor *const tensors[] = { t.get(), nullptr };
    ob_value v = { OB_VALUE_DOUBLES, 1, { 0 } };
    v.u.doubles = doubles;
    EXPECT_EQ("[0.5]", printed(v));
    v.tag = OB_VALUE_BOOLS;
    v.count = 2;
    v.u.bools = bools;
    EXPECT_EQ("[true, false]", printed(v));
    EXPECT_EQ("[4, -5]", printed(ob_value_ints(ob_ints{ numbers, 2 })));
    EXPECT_EQ("[float32 [1, 2] cpu, None]", printed(ob_value_tensors(ob_tensors{ tensors, 2 })));
    EXPECT_EQ("\"sum\"", printed(ob_value_string("sum")));
    EXPECT_EQ("bfloat16", printed(ob_value_dtype(OB_BF16)));
    EXPECT_EQ("1+2j", printed(ob_value_scalar(ob_complex(1, 2))));
    EXPECT_EQ("meta", printed(ob_value_device({ OB_BACKEND_Meta, 0 })));
    v = ob_value_int(OB_LAYOUT_SPARSE_CSR);
    v.tag = OB_VALUE_LAYOUT;
    EXPECT_EQ("layout SPARSE_CSR", printed(v));
    v.u.i = 99;
    EXPECT_EQ("layout ?", printed(v));
    v.tag = 999;
    EXPECT_EQ("?", printed(v));
    EXPECT_EQ("[4,", printed(ob_value_ints(ob_ints{ numbers, 2 }), 4));
}

TEST(Device, IsReadAsItIsPrinted)
{
    char text[64];
    for (const char *name : { "cpu", "meta", "cuda:1", "xla", "cpu:1", "privateuseone:12" }) {
        ob_device d;
        ASSERT_OB_OK(ob_device_parse(name, &d));
        EXPECT_STREQ(name, ob_device_format(d, text, sizeof text));
    }
    EXPECT_STREQ("none", ob_device_format({ OB_BACKEND_NONE, -1 }, text, sizeof text));
    EXPECT_STREQ("none", ob_device_format({ 99, -1 }, text, sizeof text));
}

TEST(Device, RefusesOtherTexts)
{
    ob_device d;
    EXPECT_OB_ERR(OB_ERR_NOT_FOUND, "no 'gpu'; there are cpu, cuda", ob_device_parse("gpu", &d));
    EXPECT_OB_ERR(OB_ERR_NOT_FOUND, "no ''", ob_device_parse("", &d));
    EXPECT_OB_ERR(OB_ERR_NOT_FOUND, "no", ob_device_parse(std::string(5000, 'a').c_str(), &d));
    for (const char *text :
         { "cpu:", "cuda:-1", "cuda:01", "cuda:1x", "cuda:99999999999", "cuda:1:2" })
        EXPECT_OB_ERR(OB_ERR_ARG, text, ob_device_parse(text, &d));
    EXPECT_EQ(OB_BACKEND_NONE, d.backend);
}

} // namespace
