// The error record: one per thread, with the way an error took.
#include <thread>

#include "support/ob_gtest.h"

namespace
{

ob_status make_error()
{
    return OB_FAIL(OB_ERR_SHAPE, "add: extent %d of self meets %d of other at dim %d", 3, 2, -1);
}

ob_status pass_error()
{
    OB_TRY(make_error());
    return OB_OK;
}

TEST(ErrorRecord, KeepsCodeWordsAndPlace)
{
    EXPECT_EQ(OB_ERR_SHAPE, make_error());
    const ob_error *e = ob_error_last();
    EXPECT_EQ(OB_ERR_SHAPE, e->status);
    EXPECT_STREQ("add: extent 3 of self meets 2 of other at dim -1", e->message);
    ASSERT_EQ(1, e->n_frames);
    EXPECT_STREQ(__FILE__, e->frames[0].file);
}

TEST(ErrorRecord, NotesPlacesItPasses)
{
    EXPECT_EQ(OB_ERR_SHAPE, pass_error());
    EXPECT_EQ(2, ob_error_last()->n_frames);
    EXPECT_LT(ob_error_last()->frames[0].line, ob_error_last()->frames[1].line);
}

TEST(ErrorRecord, KeepsAtMostSixteenPlaces)
{
    make_error();
    for (int i = 0; i < 100; i++)
        ob_error_via(OB_ERR_SHAPE, "way.c", i);
    EXPECT_EQ(OB_ERROR_FRAMES, ob_error_last()->n_frames);
}

TEST(ErrorRecord, CutsLongMessages)
{
    const std::string word(10000, 'x');
    EXPECT_EQ(OB_ERR_ARG, OB_FAIL(OB_ERR_ARG, "%s", word.c_str()));
    EXPECT_EQ(std::string(OB_ERROR_MESSAGE_BYTES - 1, 'x'), ob_error_last()->message);
    EXPECT_EQ(OB_ERR_ARG, ob_error_prefix(OB_ERR_ARG, "%s", "mm"));
    EXPECT_EQ("mm: " + std::string(OB_ERROR_MESSAGE_BYTES - 5, 'x'), ob_error_last()->message);
}

TEST(ErrorRecord, MayQuoteTheErrorBefore)
{
    make_error();
    OB_FAIL(OB_ERR_STATE, "load: %s", ob_error_last()->message);
    EXPECT_STREQ("load: add: extent 3 of self meets 2 of other at dim -1",
                 ob_error_last()->message);
}

TEST(ErrorRecord, ComesBackFromACopy)
{
    make_error();
    const ob_error copy = *ob_error_last();
    ob_error_clear();
    EXPECT_EQ(OB_OK, ob_error_last()->status);
    EXPECT_STREQ("", ob_error_last()->message);
    EXPECT_EQ(OB_ERR_SHAPE, ob_error_restore(&copy));
    EXPECT_STREQ(copy.message, ob_error_last()->message);
    EXPECT_EQ(OB_ERR_SHAPE, ob_error_restore(ob_error_last()));
}

TEST(ErrorRecord, IsOfItsThread)
{
    ob_error_clear();
    std::thread([] {
        EXPECT_EQ(OB_OK, ob_error_last()->status);
        make_error();
        EXPECT_EQ(OB_ERR_SHAPE, ob_error_last()->status);
    }).join();
    EXPECT_EQ(OB_OK, ob_error_last()->status);
}

TEST(ErrorRecord, PrintsSentenceMessageAndWay)
{
    const ob_error e = { OB_ERR_NO_KERNEL, 2, { { "call.c", 7 }, { "run.c", 9 } }, "mm: none" };
    char text[200], little[20];
    EXPECT_STREQ("nothing is registered for this op and key\n  mm: none\n  at call.c:7\n  via "
                 "run.c:9",
                 ob_error_format(&e, text, sizeof text));
    EXPECT_STREQ("nothing is register", ob_error_format(&e, little, sizeof little));
    EXPECT_EQ(little, ob_error_format(&e, little, 0));
}

TEST(Status, HasNameAndSentence)
{
    EXPECT_STREQ("OK", ob_status_name(OB_OK));
    for (int st = OB_OK + 1; st < OB_STATUS_COUNT; st++) {
        EXPECT_STRNE("", ob_status_text(static_cast<ob_status>(st)));
        EXPECT_STRNE("?", ob_status_name(static_cast<ob_status>(st)));
    }
    EXPECT_STREQ("SHAPE", ob_status_name(OB_ERR_SHAPE));
    EXPECT_STREQ("?", ob_status_name(OB_STATUS_COUNT));
}

} // namespace
