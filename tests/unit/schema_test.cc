/* The schema parser: its errors and limits. What it accepts is compared with PyTorch by
 * tests/replay. */
#include <gtest/gtest.h>

#include <string>

#include "ob/schema.h"

namespace
{

std::string error_of(const std::string &text)
{
    ob_schema *s = nullptr;
    const ob_status st = ob_schema_parse(text.c_str(), 0, &s);
    EXPECT_EQ(st, OB_ERR_PARSE) << text.substr(0, 80);
    EXPECT_EQ(s, nullptr);
    return ob_error_last()->message;
}

std::string printed(const char *text)
{
    ob_schema *s = nullptr;
    if (ob_schema_parse(text, 0, &s) != OB_OK) return ob_error_last()->message;
    char *out = ob_schema_format(s);
    const std::string result = out ? out : "";
    ob_free(out);
    ob_schema_free(s);
    return result;
}

} // namespace

TEST(Schema, ErrorsMarkThePlace)
{
    EXPECT_EQ(error_of("foo(Tensor x Tensor y) -> Tensor"),
              "schema: ')' should be here, but it is a name Tensor\n"
              "  foo(Tensor x Tensor y) -> Tensor\n"
              "               ^");
    EXPECT_EQ(error_of("foo(Foo x) -> ()"), "schema: no such type\n  foo(Foo x) -> ()\n      ^");
    EXPECT_NE(error_of("foo(double x) -> ()").find("write float for double"), std::string::npos);
}

TEST(Schema, PrintsCanonically)
{
    EXPECT_EQ(printed("foo . ov ( int [ 2 ] x=1,*,float y=1e5 )->Tensor"),
              "foo.ov(int[2] x=1, *, float y=100000.) -> Tensor");
    EXPECT_EQ(printed("foo() -> ((int, int)[])"), "foo() -> ((int, int)[])");
    EXPECT_EQ(printed("foo(Tensor(a!)? x, str y='\\n\"') -> Tensor(a!)"),
              "foo(Tensor(a!)? x, str y=\"\\n\\\"\") -> Tensor(a!)");
}

TEST(Schema, RefusesWhatWouldExhaustMemoryOrStack)
{
    const std::string brackets(100000, '(');
    error_of("foo(" + brackets);
    error_of("foo(" + brackets.substr(0, 4000) + "int" + std::string(4000, ')') + " x) -> ()");
    std::string suffixes = "foo(int";
    for (int i = 0; i < 4000; i++)
        suffixes += "[]";
    error_of(suffixes + " x) -> ()");
    error_of("foo(int[2147483647] x=1) -> ()");
    error_of("foo(int[99999999999999999999] x) -> ()");
    error_of(std::string(1 << 20, 'a'));
}

TEST(Schema, ANameAloneIsForWhoAsksForIt)
{
    ob_schema *s = nullptr;
    ASSERT_EQ(ob_schema_parse("myops::twice.out", OB_SCHEMA_NAME_ONLY_OK, &s), OB_OK);
    EXPECT_STREQ(s->name, "myops::twice");
    EXPECT_STREQ(s->overload, "out");
    ob_schema_free(s);
    error_of("myops::twice.out");
}
