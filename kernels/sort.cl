/* Sorting lines of a tensor: the first `kept` elements of each, and where they came from.
 *
 * Follows prelude.cl. For every dtype that has an order. */

/* a stands before b in rising order: NaN is the greatest. */
static int is_less(OB_T a, OB_T b)
{
    return a < b || (b != b && a == a);
}

/* Merges the sorted runs [from, middle) and [middle, to) of `source` into `target`. Equal elements
 * keep their order. */
static void merge_runs(global const OB_S *line, ob_i64 step, ob_i64 descending,
                       global const ob_i64 *source, global ob_i64 *target, ob_i64 from,
                       ob_i64 middle, ob_i64 to)
{
    ob_i64 a = from, b = middle;
    for (ob_i64 i = from; i < to; i++) {
        int take_b = a == middle;
        if (a < middle && b < to) {
            const OB_T left = OB_LOAD(line, source[a] * step);
            const OB_T right = OB_LOAD(line, source[b] * step);
            take_b = descending ? is_less(left, right) : is_less(right, left);
        }
        target[i] = take_b ? source[b++] : source[a++];
    }
}

/* Operands of the walk: values, indices, self; their elements begin the lines. Work-item x takes a
 * part of the lines, with 2 n elements of `scratch` to merge in, from the bottom up. */
OB_KERNEL(sort_lines)(global OB_S *values, global ob_i64 *indices, global const OB_S *self,
                      global ob_i64 *scratch, const ob_sort s)
{
    OB_PART_OF(s.w.numel)
    for (ob_i64 i = begin; i < end; i++) {
        global OB_S *to = values + ob_walk_at(&s.w, 0, i);
        global ob_i64 *at = indices + ob_walk_at(&s.w, 1, i);
        global const OB_S *line = self + ob_walk_at(&s.w, 2, i);
        global ob_i64 *source = scratch + get_global_id(0) * 2 * s.n, *target = source + s.n;
        for (ob_i64 j = 0; j < s.n; j++)
            source[j] = j;
        for (ob_i64 run = 1; run < s.n; run *= 2) {
            for (ob_i64 from = 0; from < s.n; from += 2 * run)
                merge_runs(line, s.step[2], s.descending, source, target, from,
                           min(from + run, s.n), min(from + 2 * run, s.n));
            global ob_i64 *merged = target;
            target = source;
            source = merged;
        }
        for (ob_i64 j = 0; j < s.kept; j++) {
            to[j * s.step[0]] = line[source[j] * s.step[2]];
            at[j * s.step[1]] = source[j];
        }
    }
}
