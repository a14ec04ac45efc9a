/* The OpenCL package's runtime: memory, streams, events, programs, and their faults. */
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "rig.h"

namespace fs = std::filesystem;

namespace
{

/* Opens the package anew for each case, with the environment the case wants. */
class Runtime : public testing::Test
{
  protected:
    void SetUp() override
    {
        folder = fs::path(testing::TempDir()) / ("outboard_rig_" + std::to_string(getpid()));
        setenv("OB_CACHE_DIR", folder.c_str(), 1);
        unsetenv("OB_OPENCL_DEBUG");
    }
    void TearDown() override
    {
        rig_close();
        fs::remove_all(folder);
    }
    /* False, and the case is skipped, on machines without a device. */
    bool open()
    {
        EXPECT_EQ(OB_OK, rig_open(&api)) << ob_error_last()->message;
        return api && api->device_count(nullptr) > 0;
    }
    ob_buffer *alloc(size_t bytes)
    {
        ob_buffer *b = nullptr;
        EXPECT_EQ(OB_OK, api->alloc(nullptr, 0, bytes, &b)) << ob_error_last()->message;
        return b;
    }
    std::vector<int32_t> read(ob_buffer *b, size_t n)
    {
        std::vector<int32_t> v(n);
        EXPECT_EQ(OB_OK, api->read(nullptr, b, 0, v.data(), n * 4)) << ob_error_last()->message;
        return v;
    }
    /* As a new process would: a kernel runs and gives what it should. */
    void open_and_count()
    {
        ASSERT_TRUE(open());
        ob_buffer *b = alloc(16);
        ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4)) << ob_error_last()->message;
        EXPECT_EQ(3, read(b, 4)[3]);
        api->free(nullptr, b);
        rig_close();
    }
    ob_memory_stats stats()
    {
        ob_memory_stats s = {};
        s.struct_size = sizeof s;
        EXPECT_EQ(OB_OK, api->memory_stats(nullptr, 0, &s));
        return s;
    }

    const ob_backend_api *api = nullptr;
    fs::path folder;
};

#define OPEN_OR_SKIP() \
    if (!open()) GTEST_SKIP() << "no OpenCL device"

std::string message()
{
    return ob_error_last()->message;
}

TEST_F(Runtime, RunsAKernel)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(16);
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4)) << message();
    EXPECT_EQ((std::vector<int32_t>{ 0, 1, 2, 3 }), read(b, 4));
    api->free(nullptr, b);
}

TEST_F(Runtime, AFreedBlockIsUsedAgain)
{
    OPEN_OR_SKIP();
    const ob_memory_stats before = stats();
    ob_buffer *b = alloc(1000);
    api->free(nullptr, b);
    ob_buffer *again = alloc(1020); /* the same class: 897 to 1024 bytes */
    EXPECT_EQ(b, again);
    const ob_memory_stats after = stats();
    EXPECT_EQ(before.n_device_allocs + 1, after.n_device_allocs);
    EXPECT_EQ(before.n_allocs + 2, after.n_allocs);
    EXPECT_EQ(before.n_frees + 1, after.n_frees);
    EXPECT_EQ(before.in_use_bytes + 1020, after.in_use_bytes);
    EXPECT_EQ(before.held_bytes + 1024, after.held_bytes);
    api->free(nullptr, again);
}

TEST_F(Runtime, TrimGivesCachedBlocksBack)
{
    OPEN_OR_SKIP();
    const uint64_t held = stats().held_bytes;
    api->free(nullptr, alloc(1 << 20));
    EXPECT_EQ(held + (1 << 20), stats().held_bytes);
    ASSERT_EQ(OB_OK, api->memory_trim(nullptr, 0));
    EXPECT_EQ(held, stats().held_bytes);
}

TEST_F(Runtime, RefusesMoreThanTheDeviceHas)
{
    OPEN_OR_SKIP();
    ob_device_info info = {};
    info.struct_size = sizeof info;
    ASSERT_EQ(OB_OK, api->device_info(nullptr, 0, &info));
    ob_buffer *b = nullptr;
    EXPECT_EQ(OB_ERR_OOM, api->alloc(nullptr, 0, info.max_alloc_bytes + 1, &b));
    EXPECT_EQ(nullptr, b);
    EXPECT_NE(std::string::npos, message().find("in one buffer, the device takes"));
}

TEST_F(Runtime, TransfersStayInsideTheBuffer)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(8);
    int32_t v[3] = { 1, 2, 3 };
    EXPECT_EQ(OB_ERR_ARG, api->write(nullptr, b, 0, v, 12));
    EXPECT_EQ(OB_ERR_ARG, api->read(nullptr, b, 4, v, 8));
    EXPECT_EQ("opencl: read of 8 bytes at 4 passes the end of a buffer of 8", message());
    ASSERT_EQ(OB_OK, api->write(nullptr, b, 0, v, 8));
    ob_buffer *c = alloc(8);
    ASSERT_EQ(OB_OK, api->copy(nullptr, c, 0, b, 4, 4));
    ASSERT_EQ(OB_OK, api->write(nullptr, c, 4, v, 4));
    EXPECT_EQ((std::vector<int32_t>{ 2, 1 }), read(c, 2));
    api->free(nullptr, b);
    api->free(nullptr, c);
}

TEST_F(Runtime, DebugAllocatorFindsAnOverrun)
{
    setenv("OB_OPENCL_DEBUG", "1", 1);
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(16);
    EXPECT_EQ((std::vector<int32_t>{ -1, -1, -1, -1 }), read(b, 4)) << "fresh memory is 0xFF";
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4));
    EXPECT_EQ(OB_OK, api->synchronize(nullptr, 0)) << message();
    ASSERT_EQ(OB_OK, rig_run(RIG_PASS_END, b, 4));
    EXPECT_EQ(OB_ERR_DEVICE, api->synchronize(nullptr, 0));
    EXPECT_NE(std::string::npos, message().find("memory behind buffer")) << message();
    EXPECT_NE(std::string::npos, message().find("(16 bytes) was written")) << message();
    EXPECT_NE(std::string::npos, message().find("pass_end")) << message();
    EXPECT_EQ(OB_OK, api->synchronize(nullptr, 0)) << "told once: " << message();
    ASSERT_EQ(OB_OK, rig_run(RIG_PASS_END, b, -1));
    api->free(nullptr, b);
    EXPECT_EQ(OB_ERR_DEVICE, api->synchronize(nullptr, 0)) << "free checks too";
    EXPECT_NE(std::string::npos, message().find("memory before buffer")) << message();
}

TEST_F(Runtime, ABuildFailureHasTheLogAndPoisonsNothing)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(16);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(OB_ERR_DEVICE, rig_run_unbuildable(b));
        EXPECT_EQ(0u, message().find(
                          "opencl: program rig_broken for int32 (kernel wrong) does not build"));
        EXPECT_NE(std::string::npos, message().find("no_such_name")) << message();
    }
    EXPECT_EQ(OB_ERR_DEVICE, rig_run_missing(b));
    EXPECT_EQ(0u, message().find("opencl: program rig_good for int32 has no kernel not_there"));
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4)) << message();
    EXPECT_EQ(3, read(b, 4)[3]);
    api->free(nullptr, b);
}

TEST_F(Runtime, CountsArguments)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(16);
    EXPECT_EQ(OB_ERR_MISMATCH, rig_run_short_of_arguments(b));
    EXPECT_EQ("opencl: kernel count has 2 parameters, got 1 arguments", message());
    api->free(nullptr, b);
}

TEST_F(Runtime, EventsHaveTimes)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(1 << 22);
    ob_event *from = nullptr, *to = nullptr;
    uint64_t ns = 0, back = 1;
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 1 << 20));
    ASSERT_EQ(OB_OK, api->event_record(nullptr, 0, &from));
    for (int i = 0; i < 8; i++)
        ASSERT_EQ(OB_OK, rig_run(RIG_ADD_ONE, b, 1 << 20));
    ASSERT_EQ(OB_OK, api->event_record(nullptr, 0, &to));
    ASSERT_EQ(OB_OK, api->event_elapsed(nullptr, from, to, &ns));
    ASSERT_EQ(OB_OK, api->event_elapsed(nullptr, to, from, &back));
    EXPECT_GT(ns, 100000u) << "8 passes over 4 MiB";
    EXPECT_EQ(0u, back);
    int32_t done = 0;
    ASSERT_EQ(OB_OK, api->event_query(nullptr, to, &done));
    EXPECT_EQ(1, done);
    api->event_destroy(nullptr, from);
    api->event_destroy(nullptr, to);
    api->free(nullptr, b);
}

TEST_F(Runtime, ProfileNamesLaunchesInOrder)
{
    OPEN_OR_SKIP();
    ob_buffer *b = alloc(4096);
    std::vector<std::string> rows;
    ASSERT_EQ(OB_OK, api->profile_start(nullptr, 0));
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 1024));
    ASSERT_EQ(OB_OK, rig_run(RIG_ADD_ONE, b, 1024));
    const auto row = [](void *user, const char *kernel, uint64_t start, uint64_t end) {
        EXPECT_LE(start, end);
        static_cast<std::vector<std::string> *>(user)->push_back(kernel);
    };
    ASSERT_EQ(OB_OK, api->profile_stop(nullptr, 0, row, &rows));
    EXPECT_EQ((std::vector<std::string>{ "count", "add_one" }), rows);
    ASSERT_EQ(OB_OK, rig_run(RIG_ADD_ONE, b, 1024));
    EXPECT_EQ(5, read(b, 4)[3]);
    api->free(nullptr, b);
}

TEST_F(Runtime, ManyThreadsLaunchAtOnce)
{
    OPEN_OR_SKIP();
    std::vector<std::thread> threads;
    std::vector<int> wrong(8, 0);
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 25; round++) {
                ob_buffer *b = nullptr;
                std::vector<int32_t> v(64);
                if (api->alloc(nullptr, 0, 256, &b) || rig_run(RIG_COUNT, b, 64) ||
                    rig_run(RIG_ADD_ONE, b, 64) || api->read(nullptr, b, 0, v.data(), 256) ||
                    v[63] != 64 || v[0] != 1)
                    wrong[t]++;
                api->free(nullptr, b);
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(std::vector<int>(8, 0), wrong);
}

TEST_F(Runtime, StreamsAreOrderedByEvents)
{
    OPEN_OR_SKIP();
    ob_stream *other = nullptr, *was = nullptr;
    ASSERT_EQ(OB_OK, api->stream_create(nullptr, 0, &other));
    ob_buffer *b = alloc(1 << 22);
    ob_event *filled = nullptr;
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 1 << 20));
    ASSERT_EQ(OB_OK, api->event_record(nullptr, 0, &filled));
    ASSERT_EQ(OB_OK, api->event_block(nullptr, other, filled));
    ASSERT_EQ(OB_OK, api->stream_set(nullptr, 0, other, &was));
    EXPECT_EQ(nullptr, was);
    ASSERT_EQ(OB_OK, rig_run(RIG_ADD_ONE, b, 1 << 20));
    ASSERT_EQ(OB_OK, api->stream_set(nullptr, 0, nullptr, nullptr));
    EXPECT_EQ(1 << 20, read(b, 1 << 20).back()) << "a read waits for every stream";
    api->event_destroy(nullptr, filled);
    const uint64_t held = stats().held_bytes;
    api->free(nullptr, b);
    EXPECT_LT(stats().held_bytes, held) << "a block that two streams used is not kept";
    api->stream_destroy(nullptr, other);
}

/* Files of the disk cache. */
std::vector<fs::path> entries(const fs::path &folder)
{
    std::vector<fs::path> found;
    if (fs::exists(folder))
        for (const fs::directory_entry &e : fs::directory_iterator(folder))
            found.push_back(e.path());
    return found;
}

TEST_F(Runtime, TheDiskCacheIsUsedAndMended)
{
    OPEN_OR_SKIP();
    if (!rig_saves()) GTEST_SKIP() << "this OpenCL's binaries are not used";
    ob_buffer *b = alloc(16);
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4));
    ASSERT_EQ(0u, entries(folder).size()) << "nothing is saved before it has run";
    EXPECT_EQ(3, read(b, 4)[3]);
    api->free(nullptr, b);
    rig_close();
    ASSERT_EQ(1u, entries(folder).size());
    const fs::path entry = entries(folder)[0];
    const auto written = fs::last_write_time(entry);

    open_and_count();
    EXPECT_EQ(written, fs::last_write_time(entry)) << "nothing new to save";

    std::fstream(entry, std::ios::in | std::ios::out | std::ios::binary).seekp(200).write("?", 1);
    open_and_count();
    EXPECT_NE(written, fs::last_write_time(entry)) << "the damaged entry was made anew";
}

TEST_F(Runtime, ACachedBinaryWithoutItsKernelIsMadeAnew)
{
    OPEN_OR_SKIP();
    if (!rig_saves()) GTEST_SKIP() << "this OpenCL's binaries are not used";
    ob_buffer *b = alloc(16);
    ASSERT_EQ(OB_OK, rig_run(RIG_COUNT, b, 4));
    EXPECT_EQ(3, read(b, 4)[3]);
    const fs::path count = entries(folder).at(0);
    ASSERT_EQ(OB_OK, rig_run(RIG_CLEAR, b, 4));
    EXPECT_EQ(0, read(b, 4)[3]);
    api->free(nullptr, b);
    rig_close();
    ASSERT_EQ(2u, entries(folder).size());
    for (const fs::path &entry : entries(folder))
        if (entry != count) fs::copy_file(entry, count, fs::copy_options::overwrite_existing);

    open_and_count();
    open_and_count();
    EXPECT_EQ(2u, entries(folder).size());
}

/* What a process with another environment says; the ICD loader reads its environment once. */
TEST(RuntimeWithoutPlatforms, HasNoDevices)
{
    const auto child = [] {
        setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
        const ob_backend_api *api = nullptr;
        ob_buffer *b = nullptr;
        const bool ok = rig_open(&api) == OB_OK && api->device_count(nullptr) == 0 &&
                        api->alloc(nullptr, 0, 16, &b) == OB_ERR_NOT_FOUND &&
                        api->synchronize(nullptr, 0) == OB_ERR_NOT_FOUND;
        rig_close();
        std::_Exit(ok ? 0 : 1);
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

} // namespace
