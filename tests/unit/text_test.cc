// Growing and cut texts.
#include "core/text.h"

#include "core/alloc.h"
#include "ob/schema.h"
#include "support/ob_gtest.h"

namespace
{

TEST(Text, GrowsAsItIsFilled)
{
    ob_text t = {};
    std::string want;
    for (int i = 0; i < 1000; i++) {
        ob_text_add(&t, "%d,", i);
        want += std::to_string(i) + ",";
    }
    ob_text_add_bytes(&t, "end", 3);
    char *taken = ob_text_take(&t);
    EXPECT_EQ(want + "end", taken);
    ob_free(taken);
}

TEST(Text, IsEmptyWhenNothingWasAdded)
{
    ob_text t = {};
    char *taken = ob_text_take(&t);
    EXPECT_STREQ("", taken);
    ob_free(taken);
}

TEST(Text, RemembersThatMemoryWasOut)
{
    ob_text t = {};
    ob_text_add(&t, "kept");
    ob_alloc_fail_at(1, 0);
    ob_text_add(&t, "%s", std::string(500, 'x').c_str());
    ob_alloc_fail_at(0, 0);
    ob_text_add(&t, "more");
    EXPECT_TRUE(t.failed);
    EXPECT_EQ(nullptr, ob_text_take(&t));
    EXPECT_FALSE(t.failed);
}

TEST(Line, IsCutToItsBuffer)
{
    char data[6];
    ob_line line = ob_line_in(data, sizeof data);
    ob_line_add(&line, "%d", 123);
    EXPECT_FALSE(line.cut);
    ob_line_add(&line, "%d", 456);
    EXPECT_TRUE(line.cut);
    ob_line_add(&line, "more");
    EXPECT_STREQ("12345", data);
    ob_line none = ob_line_in(data, 0);
    ob_line_add(&none, "x");
    EXPECT_STREQ("12345", data);
}

} // namespace
