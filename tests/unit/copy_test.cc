// Strided copies and conversions. Conversions were recorded from PyTorch 2.13.0.
#include "core/tensor/copy.h"

#include "support/ob_gtest.h"

namespace
{

template <typename To, typename From> To convert(ob_dtype to, ob_dtype from, From value)
{
    To result;
    ob_convert_element(&result, to, &value, from);
    return result;
}

TEST(Convert, CutsFloatsToInts)
{
    const double in[] = { 3e9, -3e9, 1e20, -1.5, 300.7, -129.9, NAN, INFINITY };
    const uint8_t u8[] = { 0, 0, 0, 255, 44, 127, 0, 0 };
    const int8_t i8[] = { 0, 0, 0, -1, 44, 127, 0, 0 };
    const int16_t i16[] = { 0, 0, 0, -1, 300, -129, 0, 0 };
    const int32_t low = INT32_MIN, i32[] = { low, low, low, -1, 300, -129, low, low };
    const int64_t i64[] = {
        3000000000, -3000000000, INT64_MIN, -1, 300, -129, INT64_MIN, INT64_MIN
    };
    for (int i = 0; i < 8; i++) {
        EXPECT_EQ(u8[i], (convert<uint8_t>(OB_U8, OB_F64, in[i]))) << in[i];
        EXPECT_EQ(i8[i], (convert<int8_t>(OB_I8, OB_F64, in[i]))) << in[i];
        EXPECT_EQ(i16[i], (convert<int16_t>(OB_I16, OB_F64, in[i]))) << in[i];
        EXPECT_EQ(i32[i], (convert<int32_t>(OB_I32, OB_F64, in[i]))) << in[i];
        EXPECT_EQ(i64[i], (convert<int64_t>(OB_I64, OB_F64, in[i]))) << in[i];
        EXPECT_EQ(1, (convert<uint8_t>(OB_BOOL, OB_F64, in[i]))) << in[i];
    }
    EXPECT_EQ(0, (convert<uint8_t>(OB_BOOL, OB_F32, -0.0F)));
}

TEST(Convert, KeepsLargeInts)
{
    const int64_t large = (INT64_C(1) << 53) + 1;
    EXPECT_EQ(9007199254740992.0, (convert<double>(OB_F64, OB_I64, large)));
    EXPECT_EQ(1, (convert<int32_t>(OB_I32, OB_I64, large)));
    EXPECT_EQ(255, (convert<uint8_t>(OB_U8, OB_I8, int8_t{ -1 })));
    EXPECT_EQ(0x7c00, (convert<uint16_t>(OB_F16, OB_I64, int64_t{ 70000 })));
}

TEST(Convert, DropsTheImaginaryPartButNotForBool)
{
    const ob_complex64 z = { 2.5F, 3.0F }, i = { 0.0F, 1.0F }, zero = { 0.0F, -0.0F };
    EXPECT_EQ(2, (convert<int64_t>(OB_I64, OB_C64, z)));
    EXPECT_EQ(2.5F, (convert<float>(OB_F32, OB_C64, z)));
    EXPECT_EQ(1, (convert<uint8_t>(OB_BOOL, OB_C64, i)));
    EXPECT_EQ(0, (convert<uint8_t>(OB_BOOL, OB_C64, zero)));
    const ob_complex64 from_int = convert<ob_complex64>(OB_C64, OB_I32, 7);
    EXPECT_EQ(7.0F, from_int.re);
    EXPECT_EQ(0.0F, from_int.im);
}

TEST(Convert, ReadsEveryNonZeroByteAsTrue)
{
    EXPECT_EQ(1, (convert<int32_t>(OB_I32, OB_BOOL, uint8_t{ 2 })));
}

// dst[i][j][k] = src[i][j][k] element by element: the definition.
template <typename T>
std::vector<T> gathered(const std::vector<T> &src, const int64_t *n, const int64_t *st)
{
    std::vector<T> out;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t k = 0; k < n[2]; k++)
                out.push_back(src[static_cast<size_t>(i * st[0] + j * st[1] + k * st[2])]);
    return out;
}

template <typename T> void expect_gathers(ob_dtype dtype)
{
    std::vector<T> src(2000);
    for (size_t i = 0; i < src.size(); i++)
        src[i] = static_cast<T>(i);
    const int64_t sizes[3] = { 2, 3, 300 };
    const int64_t windows[][3] = {
        { 900, 300, 1 }, { 1, 600, 2 }, { 300, 0, 1 }, { 0, 0, 0 }, { 3, 1, 6 }
    };
    for (const auto &strides : windows) {
        std::vector<T> dst(1800);
        const int64_t dense[3] = { 900, 300, 1 };
        ob_copy_strided({ dst.data(), dense, dtype }, { src.data(), strides, dtype }, sizes, 3);
        EXPECT_EQ(gathered(src, sizes, strides), dst);
    }
}

TEST(Copy, GathersAnyWindowOfAnyWidth)
{
    expect_gathers<uint8_t>(OB_U8);
    expect_gathers<int16_t>(OB_I16);
    expect_gathers<float>(OB_F32);
    expect_gathers<double>(OB_F64);
}

TEST(Copy, ScattersAndConvertsAtOnce)
{
    const std::vector<int32_t> src = { 0, 1, 2, 3, 4, 5 };
    std::vector<float> dst(12, -1);
    const int64_t sizes[] = { 2, 3 }, from[] = { 3, 1 }, to[] = { 2, 4 };
    ob_copy_strided({ dst.data(), to, OB_F32 }, { const_cast<int32_t *>(src.data()), from, OB_I32 },
                    sizes, 2);
    EXPECT_EQ((std::vector<float>{ 0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1 }), dst);
}

TEST(Copy, DoesNothingForNoElements)
{
    const int64_t sizes[] = { 2, 0 }, strides[] = { 1, 1 };
    ob_copy_strided({ nullptr, strides, OB_F32 }, { nullptr, strides, OB_I8 }, sizes, 2);
}

TEST(Copy, ConvertsRowsLongerThanABlock)
{
    std::vector<float> src(1001), dst(1001);
    std::vector<uint16_t> half(1001);
    for (size_t i = 0; i < src.size(); i++)
        src[i] = static_cast<float>(i);
    const int64_t sizes[] = { 1001 }, strides[] = { 1 };
    ob_copy_strided({ half.data(), strides, OB_F16 }, { src.data(), strides, OB_F32 }, sizes, 1);
    ob_copy_strided({ dst.data(), strides, OB_F32 }, { half.data(), strides, OB_F16 }, sizes, 1);
    EXPECT_EQ(src, dst); // ints up to 2048 are float16 numbers
}

TEST(Fill, ConvertsTheScalar)
{
    const int64_t sizes[] = { 2, 2 }, strides[] = { 3, 1 };
    std::vector<int8_t> ints(6, 9);
    ob_fill_strided({ ints.data(), strides, OB_I8 }, sizes, 2, ob_double(-3.7));
    EXPECT_EQ((std::vector<int8_t>{ -3, -3, 9, -3, -3, 9 }), ints);
    std::vector<ob_complex64> complexes(6);
    ob_fill_strided({ complexes.data(), strides, OB_C64 }, sizes, 2, ob_complex(1, 2));
    EXPECT_EQ(2.0F, complexes[4].im);
    uint8_t flag = 0;
    ob_fill_strided({ &flag, nullptr, OB_BOOL }, nullptr, 0, ob_complex(0, 2));
    EXPECT_EQ(1, flag);
}

} // namespace
