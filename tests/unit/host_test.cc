// Host copies of tensors on a foreign device: direct, gathered and staged.
#include "support/fake_backend.h"
#include "support/ob_gtest.h"

namespace
{

using namespace ob_test;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

const ob_device xla = { OB_BACKEND_XLA, 0 }, cpu = { OB_BACKEND_CPU, 0 };

class Foreign : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        fake_backend_install();
        t = tensor_of<float>(OB_F32, { 3, 4 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, xla);
    }
    void TearDown() override
    {
        t.reset();
        EXPECT_EQ(fake_counts.allocs - fake_counts.fail_allocs, fake_counts.frees);
    }
    OwnedTensor view(const Ints &sizes, const Ints &strides, int64_t offset)
    {
        ob_tensor *v = nullptr;
        EXPECT_OB_OK(ob_tensor_view_of(t.get(), ints(sizes), ints(strides), offset, &v));
        return OwnedTensor(v);
    }

    OwnedTensor t;
};

TEST_F(Foreign, DenseWindowsAreOneBackendCall)
{
    EXPECT_EQ(1, fake_counts.writes);
    EXPECT_EQ((Floats{ 4, 5, 6, 7 }), elements_of<float>(view({ 4 }, { 1 }, 4).get()));
    EXPECT_EQ(1, fake_counts.reads);
    EXPECT_EQ(nullptr, ob_tensor_data(t.get()));
    EXPECT_NE(nullptr, ob_tensor_buffer(t.get()));
}

TEST_F(Foreign, StridedWindowsAreGathered)
{
    EXPECT_EQ((Floats{ 1, 5, 9 }), elements_of<float>(view({ 3 }, { 4 }, 1).get()));
    EXPECT_EQ((Floats{ 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 }),
              elements_of<float>(view({ 4, 3 }, { 1, 4 }, 0).get()));
    EXPECT_EQ((Floats{ 7, 7, 7 }), elements_of<float>(view({ 3 }, { 0 }, 7).get()));
    EXPECT_EQ(3, fake_counts.reads);
}

TEST_F(Foreign, WritesWithGapsKeepWhatIsBetween)
{
    const Floats column = { -1, -5, -9 };
    ASSERT_OB_OK(ob_tensor_write(view({ 3 }, { 4 }, 1).get(), column.data(), 12));
    EXPECT_EQ(1, fake_counts.reads);
    EXPECT_EQ((Floats{ 0, -1, 2, 3, 4, -5, 6, 7, 8, -9, 10, 11 }), elements_of<float>(t.get()));
}

TEST_F(Foreign, WritesWithoutGapsReadNothing)
{
    const Floats transposed = { 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 };
    ASSERT_OB_OK(ob_tensor_write(view({ 4, 3 }, { 1, 4 }, 0).get(), transposed.data(), 48));
    EXPECT_EQ(0, fake_counts.reads);
    EXPECT_EQ((Floats{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }), elements_of<float>(t.get()));
}

TEST_F(Foreign, CopiesGoTheShortestWay)
{
    ob_tensor *copy = nullptr;
    ASSERT_OB_OK(ob_tensor_to_device(t.get(), xla, &copy));
    EXPECT_EQ(1, fake_counts.copies);
    EXPECT_EQ(0, fake_counts.reads);
    EXPECT_EQ(elements_of<float>(t.get()), elements_of<float>(copy));
    ob_tensor_release(copy);
    ASSERT_OB_OK(ob_tensor_to_device(view({ 2 }, { 5 }, 1).get(), xla, &copy));
    EXPECT_EQ((Floats{ 1, 6 }), elements_of<float>(copy));
    ob_tensor_release(copy);
    ASSERT_OB_OK(ob_tensor_to_device(view({ 2 }, { 5 }, 1).get(), cpu, &copy));
    EXPECT_EQ((Floats{ 1, 6 }), elements_of<float>(copy));
    ob_tensor *back = nullptr;
    ASSERT_OB_OK(ob_tensor_to_device(copy, xla, &back));
    EXPECT_EQ((Floats{ 1, 6 }), elements_of<float>(back));
    ob_tensor_release(copy);
    ob_tensor_release(back);
}

TEST_F(Foreign, ErrorsOfTheDevicePassThrough)
{
    ob_tensor *copy = nullptr;
    float value[3] = { 0, 0, 0 };
    const OwnedTensor one = view({ 1 }, { 1 }, 0), column = view({ 3 }, { 4 }, 1);
    fake_counts.fail_reads = 1;
    EXPECT_OB_ERR(OB_ERR_DEVICE, "fake", ob_tensor_read(one.get(), value, 4));
    EXPECT_OB_ERR(OB_ERR_DEVICE, "fake", ob_tensor_write(column.get(), value, 12));
    fake_counts.fail_copies = 1;
    EXPECT_OB_ERR(OB_ERR_DEVICE, "fake", ob_tensor_to_device(t.get(), xla, &copy));
    EXPECT_OB_ERR(OB_ERR_DEVICE, "fake",
                  ob_tensor_set_window(t.get(), ints({ 20 }), ints({ 1 }), 0, true));
    EXPECT_EQ(nullptr, copy);
    EXPECT_EQ(48U, ob_tensor_storage_bytes(t.get()));
}

TEST_F(Foreign, GrowsOnTheDevice)
{
    const OwnedTensor row = view({ 4 }, { 1 }, 8);
    ASSERT_OB_OK(ob_tensor_set_window(t.get(), ints({ 20 }), ints({ 1 }), 0, true));
    EXPECT_EQ(11.0F, elements_of<float>(t.get())[11]);
    EXPECT_EQ((Floats{ 8, 9, 10, 11 }), elements_of<float>(row.get()));
}

TEST_F(Foreign, EmptyTensorsHaveNoBuffer)
{
    const int before = fake_counts.allocs;
    const OwnedTensor empty = tensor_of<float>(OB_F32, { 0, 5 }, {}, xla);
    EXPECT_EQ(before, fake_counts.allocs);
    EXPECT_TRUE(elements_of<float>(empty.get()).empty());
}

} // namespace
