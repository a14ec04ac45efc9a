/* Symbolic sizes: values by mathematics and by Python's integer rules. */
#include <gtest/gtest.h>

extern "C" {
#include "program/expr/expr.h"
}
#include "support/ob_gtest.h"

struct ExprCase {
    const char *name, *text;
    int64_t want; /* with s = 7, u = -3 */
};

class Expr : public testing::TestWithParam<ExprCase>
{
};

static ob_status evaluate(const char *text, int64_t *out)
{
    ob_symbols symbols = {};
    ob_expr *e = NULL, *s = NULL, *u = NULL;
    *out = 0;
    ob_status st = ob_expr_parse("s", &symbols, &s);
    if (st == OB_OK) st = ob_expr_parse("u", &symbols, &u);
    symbols.values[0] = 7;
    symbols.values[1] = -3;
    symbols.bound[0] = symbols.bound[1] = true;
    if (st == OB_OK) st = ob_expr_parse(text, &symbols, &e);
    if (st == OB_OK) st = ob_expr_eval(e, &symbols, out);
    ob_expr_free(e);
    ob_expr_free(s);
    ob_expr_free(u);
    ob_symbols_reset(&symbols);
    return st;
}

TEST_P(Expr, HasItsValue)
{
    int64_t got = 0;
    ASSERT_OB_OK(evaluate(GetParam().text, &got));
    EXPECT_EQ(got, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Program, Expr,
    testing::Values(
        ExprCase{ "symbol", "Symbol('s', positive=True, integer=True)", 7 },
        ExprCase{ "integer", "Integer(-5)", -5 },
        ExprCase{ "add", "Add(Symbol('s', integer=True), Integer(1))", 8 },
        ExprCase{ "mul_three", "Mul(Integer(2), s, s)", 98 }, ExprCase{ "infix", "2*s - 1", 13 },
        ExprCase{ "infix_precedence", "1 + 2*s**2", 99 },
        ExprCase{ "infix_parentheses", "(1 + 2)*(s - 3)", 12 },
        ExprCase{ "floor_div_negative", "FloorDiv(u, 2)", -2 },
        ExprCase{ "python_mod_negative", "PythonMod(u, 2)", 1 },
        ExprCase{ "infix_floor_div", "s//2", 3 }, ExprCase{ "ceil_div", "CeilDiv(s, 2)", 4 },
        ExprCase{ "max", "Max(Integer(1), Add(s, u))", 4 }, ExprCase{ "min", "Min(s, u)", -3 },
        ExprCase{ "pow", "Pow(Integer(2), s)", 128 },
        ExprCase{ "modular_indexing", "ModularIndexing(s, 2, 2)", 1 },
        ExprCase{ "trunc_true_div", "TruncToInt(IntTrueDiv(u, 2))", -1 },
        ExprCase{ "float_floor", "FloorToInt(Mul(Float('1.5', precision=53), s))", 10 },
        ExprCase{ "round_half_even", "RoundToInt(Float('2.5', precision=53))", 2 },
        ExprCase{ "comparison", "GreaterThan(s, 7)", 1 },
        ExprCase{ "where", "Where(Equality(s, 7), 1, 2)", 1 },
        ExprCase{ "largest", "Integer(9223372036854775807)", INT64_MAX }),
    [](const testing::TestParamInfo<ExprCase> &info) { return std::string(info.param.name); });

TEST(Expr, RefusesWhatItDoesNotKnow)
{
    int64_t got = 0;
    EXPECT_EQ(evaluate("__import__('os')", &got), OB_ERR_UNSUPPORTED);
    EXPECT_EQ(evaluate("Add(", &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate("1 +", &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate("s s", &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate("FloorDiv(s)", &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate("99999999999999999999", &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate(std::string(5000, '(').c_str(), &got), OB_ERR_PARSE);
    EXPECT_EQ(evaluate(std::string(5000, '-').c_str(), &got), OB_ERR_PARSE);
}

TEST(Expr, RefusesDivisionByZeroAndOverflow)
{
    int64_t got = 0;
    EXPECT_EQ(evaluate("FloorDiv(s, 0)", &got), OB_ERR_SHAPE);
    EXPECT_EQ(evaluate("Mod(s, 0)", &got), OB_ERR_SHAPE);
    EXPECT_EQ(evaluate("Mul(9223372036854775807, 2)", &got), OB_ERR_SHAPE);
    EXPECT_EQ(evaluate("Pow(10, 30)", &got), OB_ERR_SHAPE);
    EXPECT_EQ(evaluate("IntTrueDiv(s, 2)", &got), OB_ERR_SHAPE) << "3.5 is no size";
}

TEST(Expr, SolvesForTheOneUnboundSymbol)
{
    ob_symbols symbols = {};
    ob_expr *e = NULL;
    ASSERT_OB_OK(ob_expr_parse("2*k - 1", &symbols, &e));
    EXPECT_FALSE(ob_expr_solve(e, &symbols, 8)) << "no whole solution";
    ASSERT_TRUE(ob_expr_solve(e, &symbols, 9));
    EXPECT_EQ(symbols.values[ob_symbols_find(&symbols, "k")], 5);
    ob_expr_free(e);
    ob_symbols_reset(&symbols);
}
