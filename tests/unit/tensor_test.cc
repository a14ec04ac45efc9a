// Tensors, views and windows on the CPU and on meta.
#include "support/ob_gtest.h"

#include "ob/dispatch.h"

namespace
{

using namespace ob_test;
using Ints = std::vector<int64_t>;

const ob_device cpu = { OB_BACKEND_CPU, 0 }, meta = { OB_BACKEND_Meta, 0 };

Ints sizes_of(const ob_tensor *t)
{
    return Ints(ob_tensor_sizes(t), ob_tensor_sizes(t) + ob_tensor_rank(t));
}

Ints strides_of(const ob_tensor *t)
{
    return Ints(ob_tensor_strides(t), ob_tensor_strides(t) + ob_tensor_rank(t));
}

OwnedTensor create(const Ints &sizes, ob_dtype dtype, ob_device device)
{
    ob_tensor *t = nullptr;
    EXPECT_OB_OK(ob_tensor_create(ints(sizes), dtype, device, &t));
    return OwnedTensor(t);
}

OwnedTensor view(const OwnedTensor &base, const Ints &sizes, const Ints &strides, int64_t offset)
{
    ob_tensor *t = nullptr;
    EXPECT_OB_OK(ob_tensor_view_of(base.get(), ints(sizes), ints(strides), offset, &t));
    return OwnedTensor(t);
}

// [[0, 1, 2], [3, 4, 5]]
OwnedTensor counting()
{
    return tensor_of<float>(OB_F32, { 2, 3 }, { 0, 1, 2, 3, 4, 5 });
}

TEST(Tensor, IsDenseAndRowMajorWhenNew)
{
    const OwnedTensor t = create({ 2, 0, 3 }, OB_F64, cpu);
    EXPECT_EQ((Ints{ 2, 0, 3 }), sizes_of(t.get()));
    EXPECT_EQ((Ints{ 3, 3, 1 }), strides_of(t.get()));
    EXPECT_EQ(0, ob_tensor_numel(t.get()));
    EXPECT_EQ(OB_F64, ob_tensor_dtype(t.get()));
    EXPECT_TRUE(ob_tensor_is_contiguous(t.get()));
    EXPECT_EQ(nullptr, ob_tensor_buffer(t.get()));
    EXPECT_EQ(3, ob_tensor_size(t.get(), -1));
    EXPECT_EQ(1, ob_tensor_size(t.get(), 3));
}

TEST(Tensor, HasHostMemoryAlignedTo64Bytes)
{
    for (const int64_t n : { 0, 1, 100, 129, 5000 }) {
        const OwnedTensor t = create({ n }, OB_F32, cpu);
        ASSERT_NE(nullptr, ob_tensor_data(t.get())) << n;
        EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(ob_tensor_data(t.get())) % 64) << n;
        std::memset(ob_tensor_data(t.get()), 1, ob_tensor_storage_bytes(t.get()));
    }
}

TEST(Tensor, OnMetaHasSizesAndNoMemory)
{
    const OwnedTensor t = create({ 1 << 20, 1 << 20, 1 << 10 }, OB_F32, meta);
    float value = 0;
    EXPECT_TRUE(ob_tensor_is_meta(t.get()));
    EXPECT_EQ(nullptr, ob_tensor_data(t.get()));
    EXPECT_EQ(nullptr, ob_tensor_buffer(t.get()));
    EXPECT_OB_ERR(OB_ERR_UNSUPPORTED, "meta", ob_tensor_read(t.get(), &value, 4));
    EXPECT_OB_ERR(OB_ERR_UNSUPPORTED, "meta", ob_tensor_write(t.get(), &value, 4));
    ob_tensor *host = nullptr;
    const OwnedTensor small = create({ 2 }, OB_F32, meta);
    EXPECT_OB_ERR(OB_ERR_UNSUPPORTED, "meta", ob_tensor_to_device(small.get(), cpu, &host));
    EXPECT_EQ(nullptr, host);
}

TEST(Tensor, RefusesHostileSizes)
{
    ob_tensor *t = nullptr;
    const Ints negative = { -1 }, many(65, 1), large = { INT64_MAX, INT64_MAX },
               bytes = { INT64_MAX / 2 };
    EXPECT_OB_ERR(OB_ERR_ARG, "extent -1", ob_tensor_create(ints(negative), OB_F32, cpu, &t));
    EXPECT_OB_ERR(OB_ERR_ARG, "rank is 65", ob_tensor_create(ints(many), OB_F32, cpu, &t));
    EXPECT_OB_ERR(OB_ERR_ARG, "2^63", ob_tensor_create(ints(large), OB_F32, cpu, &t));
    EXPECT_OB_ERR(OB_ERR_ARG, "2^63", ob_tensor_create(ints(bytes), OB_F32, cpu, &t));
    EXPECT_OB_ERR(OB_ERR_DTYPE, "dtype 8",
                  ob_tensor_create(ints({ 1 }), static_cast<ob_dtype>(8), cpu, &t));
    EXPECT_OB_ERR(OB_ERR_OOM, "bytes on cpu",
                  ob_tensor_create(ints({ INT64_MAX / 8 }), OB_F32, cpu, &t));
    EXPECT_OB_ERR(OB_ERR_NOT_FOUND, "",
                  ob_tensor_create(ints({ 1 }), OB_F32, { OB_BACKEND_XLA, 0 }, &t));
    EXPECT_EQ(nullptr, t);
}

TEST(Tensor, HasTheKeysOfItsBackend)
{
    const OwnedTensor t = create({ 1 }, OB_F32, cpu), m = create({ 1 }, OB_F32, meta);
    EXPECT_TRUE(ob_keyset_has(ob_tensor_keys(t.get()), OB_KEY_CPU));
    EXPECT_TRUE(ob_keyset_has(ob_tensor_keys(t.get()), OB_KEY_AutogradCPU));
    EXPECT_TRUE(ob_keyset_has(ob_tensor_keys(m.get()), OB_KEY_Meta));
    const ob_guard guard = ob_guard_inference_mode(true);
    const OwnedTensor inference = create({ 1 }, OB_F32, cpu);
    EXPECT_EQ(ob_tensor_keys(t.get()), ob_tensor_keys(view(t, { 1 }, { 1 }, 0).get()));
    ob_guard_leave(&guard);
    EXPECT_TRUE(ob_keyset_has(ob_tensor_keys(inference.get()), OB_KEY_CPU));
    EXPECT_FALSE(ob_keyset_has(ob_tensor_keys(inference.get()), OB_KEY_AutogradCPU));
    EXPECT_FALSE(ob_keyset_has(ob_tensor_keys(inference.get()), OB_KEY_ADInplaceOrView));
}

TEST(View, SharesMemoryAndVersion)
{
    const OwnedTensor t = counting();
    const OwnedTensor column = view(t, { 2 }, { 3 }, 1);
    EXPECT_EQ((std::vector<float>{ 1, 4 }), elements_of<float>(column.get()));
    const uint64_t version = ob_tensor_version(t.get());
    const float twice[] = { 10, 40 };
    ASSERT_OB_OK(ob_tensor_write(column.get(), twice, sizeof twice));
    EXPECT_EQ((std::vector<float>{ 0, 10, 2, 3, 40, 5 }), elements_of<float>(t.get()));
    EXPECT_EQ(version + 1, ob_tensor_version(t.get()));
    EXPECT_EQ(ob_tensor_storage(t.get()), ob_tensor_storage(column.get()));
}

TEST(View, OutlivesItsBase)
{
    OwnedTensor t = counting();
    const OwnedTensor last = view(t, {}, {}, 5);
    t.reset();
    EXPECT_EQ((std::vector<float>{ 5 }), elements_of<float>(last.get()));
}

TEST(View, RefusesWindowsOutsideTheStorage)
{
    const OwnedTensor t = counting();
    ob_tensor *v = nullptr;
    const auto attempt = [&](const Ints &sizes, const Ints &strides, int64_t offset) {
        return ob_tensor_view_of(t.get(), ints(sizes), ints(strides), offset, &v);
    };
    EXPECT_OB_ERR(OB_ERR_ARG, "need 28 bytes, the storage has 24", attempt({ 7 }, { 1 }, 0));
    EXPECT_OB_ERR(OB_ERR_ARG, "need 28 bytes", attempt({ 2 }, { 1 }, 5));
    EXPECT_OB_ERR(OB_ERR_ARG, "stride -1", attempt({ 2 }, { -1 }, 1));
    EXPECT_OB_ERR(OB_ERR_ARG, "offset -1", attempt({ 2 }, { 1 }, -1));
    EXPECT_OB_ERR(OB_ERR_ARG, "2^63", attempt({ 2 }, { INT64_MAX }, 1));
    EXPECT_OB_ERR(OB_ERR_ARG, "1 strides for 2 sizes", attempt({ 1, 1 }, { 1 }, 0));
    EXPECT_OB_OK(attempt({ 0 }, { 1 }, 6));
    ob_tensor_release(v);
}

TEST(View, MayReadTheBytesAsAnotherDtype)
{
    const OwnedTensor t = tensor_of<float>(OB_F32, { 2 }, { 1.0F, -2.0F });
    ob_tensor *v = nullptr;
    ASSERT_OB_OK(ob_tensor_view_dtype(t.get(), OB_I32, ints({ 2 }), ints({ 1 }), 0, &v));
    EXPECT_EQ((std::vector<int32_t>{ 0x3f800000, static_cast<int32_t>(0xc0000000) }),
              elements_of<int32_t>(v));
    ob_tensor_release(v);
}

TEST(Window, GrowsTheStorageAndKeepsItsContents)
{
    const OwnedTensor t = counting();
    const OwnedTensor row = view(t, { 3 }, { 1 }, 3);
    EXPECT_OB_ERR(OB_ERR_ARG, "need 32 bytes",
                  ob_tensor_set_window(t.get(), ints({ 8 }), ints({ 1 }), 0, false));
    EXPECT_EQ((Ints{ 2, 3 }), sizes_of(t.get()));
    ASSERT_OB_OK(ob_tensor_set_window(t.get(), ints({ 1000 }), ints({ 1 }), 0, true));
    EXPECT_EQ(4000U, ob_tensor_storage_bytes(t.get()));
    EXPECT_EQ(4.0F, elements_of<float>(t.get())[4]);
    EXPECT_EQ((std::vector<float>{ 3, 4, 5 }), elements_of<float>(row.get()));
}

TEST(Window, MayBeMadeFromTheTensorsOwnSizes)
{
    const OwnedTensor t = counting();
    const Ints many(20, 1);
    const ob_ints own_sizes = { ob_tensor_sizes(t.get()), 2 };
    const ob_ints own_strides = { ob_tensor_strides(t.get()), 2 };
    ASSERT_OB_OK(ob_tensor_set_window(t.get(), own_strides, own_sizes, 0, true)); // both swapped
    EXPECT_EQ((Ints{ 3, 1 }), sizes_of(t.get()));
    EXPECT_EQ((Ints{ 2, 3 }), strides_of(t.get()));
    ASSERT_OB_OK(ob_tensor_set_window(t.get(), ints(many), ints(many), 0, false));
    EXPECT_EQ(many, sizes_of(t.get()));
    ASSERT_OB_OK(ob_tensor_set_window(t.get(), ints({ 6 }), ints({ 1 }), 0, false));
    EXPECT_EQ((Ints{ 6 }), sizes_of(t.get()));
}

TEST(SetStorage, TakesTheSourcesWindow)
{
    const OwnedTensor t = create({ 4 }, OB_F32, cpu), source = counting();
    const OwnedTensor other = create({ 1 }, OB_I32, cpu), elsewhere = create({ 1 }, OB_F32, meta);
    ASSERT_OB_OK(ob_tensor_set_storage(t.get(), source.get()));
    EXPECT_EQ((Ints{ 2, 3 }), sizes_of(t.get()));
    EXPECT_EQ(ob_tensor_data(source.get()), ob_tensor_data(t.get()));
    EXPECT_OB_ERR(OB_ERR_DTYPE, "self is float32 but source is int32",
                  ob_tensor_set_storage(t.get(), other.get()));
    EXPECT_OB_ERR(OB_ERR_ARG, "self is on cpu but source is on meta",
                  ob_tensor_set_storage(t.get(), elsewhere.get()));
    ASSERT_OB_OK(ob_tensor_set_storage(t.get(), t.get()));
}

TEST(ForeignMemory, IsReleasedOnceWithItsLastTensor)
{
    static int released;
    float data[4] = { 1, 2, 3, 4 };
    ob_tensor *t = nullptr;
    const auto release = [](void *context) { ++*static_cast<int *>(context); };
    released = 0;
    EXPECT_OB_ERR(OB_ERR_ARG, "need 20 bytes",
                  ob_tensor_from_memory(data, sizeof data, ints({ 5 }), ints({ 1 }), 0, OB_F32,
                                        release, &released, &t));
    ASSERT_OB_OK(ob_tensor_from_memory(data, sizeof data, ints({ 3 }), ints({ 1 }), 1, OB_F32,
                                       release, &released, &t));
    EXPECT_EQ(data + 1, ob_tensor_data(t));
    ob_tensor *v = nullptr;
    ASSERT_OB_OK(ob_tensor_view_of(t, ints({ 1 }), ints({ 1 }), 0, &v));
    ob_tensor_release(t);
    EXPECT_EQ(0, released);
    ob_tensor_release(v);
    EXPECT_EQ(1, released);
}

TEST(Write, RefusesWrongBytesAndSharedElements)
{
    const OwnedTensor t = counting();
    const float data[3] = { 1, 2, 3 };
    EXPECT_OB_ERR(OB_ERR_ARG, "12 bytes are given, 6 elements of float32 are 24",
                  ob_tensor_write(t.get(), data, sizeof data));
    EXPECT_OB_ERR(OB_ERR_ARG, "share memory",
                  ob_tensor_write(view(t, { 3 }, { 0 }, 0).get(), data, sizeof data));
}

TEST(ToDevice, MakesADenseCopy)
{
    const OwnedTensor t = counting();
    ob_tensor *copy = nullptr;
    ASSERT_OB_OK(ob_tensor_to_device(view(t, { 3, 2 }, { 1, 3 }, 0).get(), cpu, &copy));
    EXPECT_EQ((std::vector<float>{ 0, 3, 1, 4, 2, 5 }), elements_of<float>(copy));
    EXPECT_EQ((Ints{ 2, 1 }), strides_of(copy));
    ob_tensor_release(copy);
    ASSERT_OB_OK(ob_tensor_to_device(t.get(), meta, &copy));
    EXPECT_EQ((Ints{ 2, 3 }), sizes_of(copy));
    ob_tensor_release(copy);
}

TEST(Format, ShowsTypeAndValues)
{
    char text[200], little[12];
    EXPECT_STREQ("float32 [2, 3] cpu: [[0, 1, 2], [3, 4, 5]]",
                 ob_tensor_format(counting().get(), text, sizeof text));
    EXPECT_STREQ("float32 [2,", ob_tensor_format(counting().get(), little, sizeof little));
    const OwnedTensor many = tensor_of<uint8_t>(OB_BOOL, { 2000 }, std::vector<uint8_t>(2000, 1));
    EXPECT_STREQ("bool [2000] cpu: [true, true, true, true, true, true, ...]",
                 ob_tensor_format(many.get(), text, sizeof text));
    EXPECT_STREQ("float32 [7] meta",
                 ob_tensor_format(create({ 7 }, OB_F32, meta).get(), text, sizeof text));
    const OwnedTensor c = tensor_of<ob_complex64>(OB_C64, {}, { { 1, -2 } });
    EXPECT_STREQ("complex64 [] cpu: 1-2j", ob_tensor_format(c.get(), text, sizeof text));
    EXPECT_STREQ("int64 [2, 0] cpu: [[], []]",
                 ob_tensor_format(create({ 2, 0 }, OB_I64, cpu).get(), text, sizeof text));
}

} // namespace
