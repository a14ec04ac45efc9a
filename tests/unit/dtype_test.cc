// Element types. Values were recorded from PyTorch 2.13.0 unless a case says otherwise.
#include <iterator>

#include "support/ob_gtest.h"

namespace
{

const ob_dtype all[] = {
#define OB_X(id, number, name, brief, bytes, kind, ctype) OB_##id,
    OB_DTYPE_LIST(OB_X)
#undef OB_X
};

// torch.promote_types of a row's dtype with each in turn; "-": an error, or complex128.
const struct {
    const char *dtype;
    const char *with[12]; // u8 i8 i16 i32 i64 f16 f32 f64 c64 bool bf16 f8e4m3
} promotions[] = {
    { "u8", { "u8", "i16", "i16", "i32", "i64", "f16", "f32", "f64", "c64", "u8", "bf16", "-" } },
    { "i8", { "i16", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c64", "i8", "bf16", "-" } },
    { "i16",
      { "i16", "i16", "i16", "i32", "i64", "f16", "f32", "f64", "c64", "i16", "bf16", "-" } },
    { "i32",
      { "i32", "i32", "i32", "i32", "i64", "f16", "f32", "f64", "c64", "i32", "bf16", "-" } },
    { "i64",
      { "i64", "i64", "i64", "i64", "i64", "f16", "f32", "f64", "c64", "i64", "bf16", "-" } },
    { "f16", { "f16", "f16", "f16", "f16", "f16", "f16", "f32", "f64", "c64", "f16", "f32", "-" } },
    { "f32", { "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64", "c64", "f32", "f32", "-" } },
    { "f64", { "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "-", "f64", "f64", "-" } },
    { "c64", { "c64", "c64", "c64", "c64", "c64", "c64", "c64", "-", "c64", "c64", "c64", "-" } },
    { "bool",
      { "u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c64", "bool", "bf16", "-" } },
    { "bf16",
      { "bf16", "bf16", "bf16", "bf16", "bf16", "f32", "f32", "f64", "c64", "bf16", "bf16", "-" } },
    { "f8e4m3", { "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "f8e4m3" } },
};

TEST(Promote, MatchesPyTorchForAllPairs)
{
    ASSERT_EQ(12U, std::size(all));
    ASSERT_EQ(12U, std::size(promotions));
    for (int a = 0; a < 12; a++) {
        ASSERT_STREQ(ob_dtype_brief(all[a]), promotions[a].dtype);
        for (int b = 0; b < 12; b++) {
            const ob_dtype got = ob_dtype_promote(all[a], all[b]);
            EXPECT_STREQ(promotions[a].with[b], got == OB_DTYPE_NONE ? "-" : ob_dtype_brief(got))
                << promotions[a].dtype << " with " << ob_dtype_brief(all[b]);
        }
    }
}

TEST(Promote, KnowsNoUnknownDtypes)
{
    EXPECT_EQ(OB_DTYPE_NONE, ob_dtype_promote(OB_DTYPE_NONE, OB_F32));
    EXPECT_EQ(OB_DTYPE_NONE, ob_dtype_promote(OB_F32, static_cast<ob_dtype>(1000)));
}

TEST(CanCast, MatchesPyTorchForAllPairs)
{
    const char *rows[] = { "111111111011", "111111111011", "111111111011", "111111111011",
                           "111111111011", "000001111011", "000001111011", "000001111011",
                           "000000001000", "111111111111", "000001111011", "000001111011" };
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++)
            EXPECT_EQ(rows[a][b] == '1', ob_dtype_can_cast(all[a], all[b]))
                << ob_dtype_name(all[a]) << " to " << ob_dtype_name(all[b]);
}

TEST(Dtype, IsFoundByEachOfItsNames)
{
    ob_dtype found;
    for (const ob_dtype d : all) {
        for (const std::string &name :
             { std::string(ob_dtype_name(d)), std::string(ob_dtype_brief(d)),
               std::string("torch.") + ob_dtype_name(d) }) {
            ASSERT_OB_OK(ob_dtype_parse(name.c_str(), &found));
            EXPECT_EQ(d, found);
        }
    }
    ASSERT_OB_OK(ob_dtype_parse("half", &found));
    EXPECT_EQ(OB_F16, found);
    EXPECT_OB_ERR(OB_ERR_NOT_FOUND, "no 'float12'", ob_dtype_parse("float12", &found));
    EXPECT_EQ(OB_DTYPE_NONE, found);
}

TEST(Dtype, NamesWhatItDoesNotKnowByNumber)
{
    EXPECT_STREQ("dtype 8", ob_dtype_name(static_cast<ob_dtype>(8)));
    EXPECT_STREQ("none", ob_dtype_name(OB_DTYPE_NONE));
    for (int i = 0; i < OB_DTYPE_LIMIT; i++)
        EXPECT_NE(nullptr, ob_dtype_name(static_cast<ob_dtype>(i))) << i;
    EXPECT_FALSE(ob_dtype_is_known(8));
    EXPECT_FALSE(ob_dtype_is_known(-1));
    EXPECT_FALSE(ob_dtype_is_known(48));
    EXPECT_EQ(0U, ob_dtype_bytes(static_cast<ob_dtype>(10)));
}

TEST(Dtype, KnowsFloatAndRealCounterparts)
{
    EXPECT_EQ(OB_F32, ob_dtype_to_float(OB_I64));
    EXPECT_EQ(OB_F32, ob_dtype_to_float(OB_BOOL));
    EXPECT_EQ(OB_BF16, ob_dtype_to_float(OB_BF16));
    EXPECT_EQ(OB_C64, ob_dtype_to_float(OB_C64));
    EXPECT_EQ(OB_F32, ob_dtype_to_real(OB_C64));
    EXPECT_EQ(OB_I8, ob_dtype_to_real(OB_I8));
    EXPECT_FALSE(ob_dtype_is_signed(OB_U8));
    EXPECT_TRUE(ob_dtype_is_signed(OB_I8));
    EXPECT_TRUE(ob_dtype_is_signed(OB_F32));
}

// A binary format with `bits` of mantissa and an exponent bias, decoded by its definition.
double decode(unsigned code, int exponent_bits, int mantissa_bits, int bias)
{
    const unsigned mantissa = code & ((1U << mantissa_bits) - 1);
    const int exponent = static_cast<int>(code >> mantissa_bits & ((1U << exponent_bits) - 1));
    const double sign = code >> (mantissa_bits + exponent_bits) & 1 ? -1 : 1;
    const double fraction = mantissa / static_cast<double>(1U << mantissa_bits);
    return sign *
           (exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias));
}

// Mathematics: of the finite codes around a number, from_float gives the nearer, the even one at a
// tie.
template <typename Code, typename From, typename To>
void expect_nearest_even(Code last_finite, From from, To to)
{
    for (Code code = 0; code < last_finite; code++) {
        const float low = to(code), high = to(static_cast<Code>(code + 1));
        const float middle = low + (high - low) / 2; // exact: float32 has more places
        EXPECT_EQ(code, from(low));
        EXPECT_EQ(code, from(std::nextafterf(middle, low))) << middle;
        EXPECT_EQ(code & 1 ? code + 1 : code, from(middle)) << middle;
        EXPECT_EQ(code + 1, from(std::nextafterf(middle, high))) << middle;
        const int sign_shift = sizeof(Code) * 8 - 1;
        EXPECT_EQ(code | 1U << sign_shift, from(-low));
    }
}

TEST(Float16, DecodesEveryCode)
{
    for (unsigned code = 0; code < 0x10000; code++) {
        const float got = ob_f16_to_float(static_cast<uint16_t>(code));
        if ((code & 0x7c00) != 0x7c00)
            EXPECT_EQ(decode(code, 5, 10, 15), got) << code;
        else if (code & 0x3ff)
            EXPECT_TRUE(std::isnan(got)) << code;
        else
            EXPECT_EQ(code & 0x8000 ? -INFINITY : INFINITY, got);
    }
}

TEST(Float16, RoundsToNearestEvenEverywhere)
{
    expect_nearest_even<uint16_t>(0x7bff, ob_f16_from_float, ob_f16_to_float);
    EXPECT_EQ(31743, ob_f16_from_float(65519.0F));
    EXPECT_EQ(31744, ob_f16_from_float(65520.0F));
    EXPECT_EQ(0xfc00, ob_f16_from_float(-1e30F));
    EXPECT_EQ(0, ob_f16_from_float(1e-30F));
    EXPECT_TRUE(std::isnan(ob_f16_to_float(ob_f16_from_float(NAN))));
}

TEST(Bfloat16, DecodesEveryCode)
{
    for (unsigned code = 0; code < 0x10000; code++) {
        const float got = ob_bf16_to_float(static_cast<uint16_t>(code));
        if ((code & 0x7f80) != 0x7f80)
            EXPECT_EQ(decode(code, 8, 7, 127), got) << code;
        else if (code & 0x7f)
            EXPECT_TRUE(std::isnan(got)) << code;
        else
            EXPECT_EQ(code & 0x8000 ? -INFINITY : INFINITY, got);
    }
}

TEST(Bfloat16, RoundsToNearestEvenEverywhere)
{
    expect_nearest_even<uint16_t>(0x7f7e, ob_bf16_from_float, ob_bf16_to_float);
    EXPECT_EQ(0x7f80, ob_bf16_from_float(3.4e38F));
    EXPECT_TRUE(std::isnan(ob_bf16_to_float(ob_bf16_from_float(-NAN))));
}

TEST(Float8, DecodesEveryCode)
{
    for (unsigned code = 0; code < 0x100; code++) {
        const float got = ob_f8e4m3_to_float(static_cast<uint8_t>(code));
        if ((code & 0x7f) == 0x7f)
            EXPECT_TRUE(std::isnan(got));
        else
            EXPECT_EQ(decode(code, 4, 3, 7), got) << code;
    }
}

TEST(Float8, RoundsToNearestEvenAndSaturates)
{
    expect_nearest_even<uint8_t>(0x7e - 1, ob_f8e4m3_from_float, ob_f8e4m3_to_float);
    const float in[] = { 1e30F, -1e30F, 464.1F, 480, -500, INFINITY, NAN };
    const int want[] = { 126, 254, 126, 126, 254, 126, 127 };
    for (int i = 0; i < 7; i++)
        EXPECT_EQ(want[i], ob_f8e4m3_from_float(in[i])) << in[i];
}

} // namespace
