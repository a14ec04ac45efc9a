// Calls, registering, undoing and unloading at once. Meant for the thread sanitizer too.
#include <atomic>
#include <thread>
#include <vector>

#include "support.h"

using namespace dispatch_test;

namespace
{
int one = 1, two = 2;

/* Calls f until told to stop; counts answers that no state of the registrations gives. */
void caller(std::atomic<bool> *stop, std::atomic<int> *wrong)
{
    const Tensor t = cpu_tensor();
    while (!stop->load()) {
        const int64_t got = call("race::f", t.get());
        if (got != 1 && got != 2) (*wrong)++;
    }
}
} // namespace

TEST(Threads, ACallSeesOneStateOfTheRegistrations)
{
    std::atomic<bool> stop{ false };
    std::atomic<int> wrong{ 0 };
    const Library def = open(OB_LIBRARY_KIND_DEF, "race");
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    const ob_kernel base = kernel(answer, &one), top = kernel(answer, &two, OB_KERNEL_OVERRIDE);
    ASSERT_EQ(OB_OK, ob_library_impl(def.get(), "f", OB_KEY_CPU, &base));
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(caller, &stop, &wrong);
    for (int i = 0; i < 300; i++) {
        const Library lib = open(OB_LIBRARY_KIND_IMPL, "race", OB_KEY_CPU);
        ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "f", OB_KEY_Undefined, &top));
    }
    EXPECT_EQ(OB_OK, ob_dispatch_quiesce()) << message();
    stop = true;
    for (auto &t : threads)
        t.join();
    EXPECT_EQ(0, wrong.load());
}

TEST(Threads, QuiesceWaitsForARunningKernel)
{
    static std::atomic<int> stage;
    stage = 0;
    Library lib = open(OB_LIBRARY_KIND_DEF, "slow");
    ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "f(Tensor x) -> int", 0));
    const ob_kernel k = kernel([](ob_frame *f) -> ob_status {
        stage = 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        f->results[0] = ob_value_int(ob_dispatch_quiesce() == OB_ERR_STATE);
        stage = 2;
        return OB_OK;
    });
    ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "f", OB_KEY_CompositeExplicitAutograd, &k));
    std::thread running([] {
        const Tensor t = cpu_tensor();
        EXPECT_EQ(1, call("slow::f", t.get()));
    });
    while (stage == 0)
        std::this_thread::yield();
    lib.reset();
    EXPECT_EQ(OB_OK, ob_dispatch_quiesce()) << message();
    EXPECT_EQ(2, stage);
    running.join();
}

TEST(Threads, DefiningAndFindingAtOnce)
{
    std::atomic<bool> stop{ false };
    std::thread finder([&stop] {
        while (!stop.load()) {
            ob_op *op = ob_op_peek("maker::f");
            if (op) {
                EXPECT_STREQ("maker::f", ob_op_name(op));
            }
        }
    });
    for (int i = 0; i < 200; i++) {
        const Library lib = open(OB_LIBRARY_KIND_DEF, "maker");
        ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "f(Tensor x) -> int", 0));
    }
    stop = true;
    finder.join();
    EXPECT_EQ(OB_OK, ob_inspect_check_invariants());
}
