/* Finds the siblings of an op in the ATen table. Texts are compared, not parsed schemas: every row
 * is in the one form that PyTorch prints. PyTorch: torchgen's grouping of native functions. */
#include "ops/structured/families.h"

#include <stdio.h>
#include <string.h>

#include "ops/aten.h"

/* The text of the arguments: after the first parenthesis. */
static const char *args_of(int row)
{
    return strchr(ob_aten_row_at(row)->schema, '(') + 1;
}

/* The text of the results. */
static const char *returns_of(int row)
{
    return strstr(ob_aten_row_at(row)->schema, ") -> ") + strlen(") -> ");
}

/* Skip what the forms of one op may differ in: the mark of keyword-only arguments, and alias sets
 * such as `(a!)`. */
static const char *skip_marks(const char *text)
{
    for (;;) {
        if (strncmp(text, "*, ", 3) == 0)
            text += 3;
        else if (text[0] == '(' && text[1] >= 'a' && text[1] <= 'z')
            text = strchr(text, ')') + 1;
        else
            return text;
    }
}

/* The end of an arguments text: its closing parenthesis. */
static bool is_end(const char *text)
{
    return strncmp(text, ") -> ", 5) == 0;
}

/* Read the same arguments in both texts; false when they differ before `a` ends. */
static bool same_args(const char *a, const char **b)
{
    for (;;) {
        a = skip_marks(a);
        *b = skip_marks(*b);
        if (is_end(a)) return true;
        if (*a != **b) return false;
        a++, (*b)++;
    }
}

/* Number of arguments of `form` written to, in a text up to `end` (NULL: all of it). */
static uint32_t count_writes(const char *text, const char *end)
{
    uint32_t n = 0;
    for (; !is_end(text) && text != end; text++)
        n += *text == '!';
    return n;
}

/* Top-level commas of a text that ends at a closing parenthesis or at its end, plus one; 0 when
 * there is nothing. */
static uint32_t count_items(const char *text)
{
    uint32_t n = 1;
    int depth = 0;
    if (*text == ')' || !*text) return 0;
    for (; *text && !(depth == 0 && *text == ')'); text++) {
        if (*text == '(' || *text == '[') depth++;
        if (*text == ')' || *text == ']') depth--;
        if (depth == 0 && *text == ',') n++;
        if (depth == 0 && strncmp(text, "*, ", 3) == 0) n--;
    }
    return n;
}

static uint32_t count_returns(int row)
{
    const char *text = returns_of(row);
    return count_items(*text == '(' ? text + 1 : text);
}

bool ob_is_out_form(int functional, int out)
{
    const char *rest = args_of(out);
    if (!same_args(args_of(functional), &rest)) return false;
    if (count_writes(args_of(out), rest) != 0) return false;
    if (strncmp(rest, ", ", 2) == 0) rest += 2;
    const uint32_t n = count_returns(functional);
    return count_items(rest) == n && count_writes(rest, NULL) == n;
}

bool ob_is_inplace_form(int functional, int inplace)
{
    const char *text = args_of(inplace);
    if (strncmp(text, "Tensor(a!)", strlen("Tensor(a!)")) != 0) return false;
    if (count_writes(text, NULL) != 1 || count_returns(functional) != 1) return false;
    return same_args(args_of(functional), &text) && is_end(text);
}

static void find_form(ob_family *f, int form, const char *base, size_t n, bool (*fits)(int, int))
{
    int first = 0;
    const int functional = f->rows[OB_FORM_FUNCTIONAL];
    const int count = ob_aten_overloads(base, n, &first);
    for (int i = first; i < first + count && f->rows[form] < 0; i++) {
        if (i == functional || !fits(functional, i)) continue;
        f->ops[form] = ob_aten_op(i);
        f->rows[form] = i;
    }
}

void ob_family_find(int row, ob_family *out)
{
    ob_family f = { .rows = { row, -1, -1 }, .ops = { ob_aten_op(row) } };
    const char *name = ob_aten_row_at(row)->schema + strlen("aten::");
    const size_t n = strcspn(name, ".(");
    f.n_args = count_items(args_of(row));
    f.n_outs = count_returns(row);
    (void)snprintf(f.name, sizeof f.name, "%.*s_", (int)n, name);
    find_form(&f, OB_FORM_INPLACE, f.name, strlen(f.name), ob_is_inplace_form);
    (void)snprintf(f.name, sizeof f.name, "%.*s", (int)n, name);
    find_form(&f, OB_FORM_OUT, f.name, strlen(f.name), ob_is_out_form);
    *out = f;
}

int ob_family_primary(const ob_family *family)
{
    static const int order[OB_FORMS] = { OB_FORM_FUNCTIONAL, OB_FORM_OUT, OB_FORM_INPLACE };
    const int out = family->rows[OB_FORM_OUT];
    if (out >= 0 && ob_aten_row_at(out)->klass == OB_ATEN_STRUCTURED) return OB_FORM_OUT;
    for (int i = 0; i < OB_FORMS; i++) {
        const int row = family->rows[order[i]];
        if (row >= 0 && ob_aten_row_at(row)->klass == OB_ATEN_NATIVE) return order[i];
    }
    return OB_FORM_FUNCTIONAL;
}

int ob_aten_primary(int i)
{
    ob_family family;
    ob_family_find(i, &family);
    return family.rows[ob_family_primary(&family)];
}
