/* First reading of pointwise.inc: what kernels/pointwise.cl asks about an op. */
enum {
    OB_PW_COMMON,
    OB_PW_FLOAT,
    OB_PW_BOOL,
    OB_PW_REAL,
    OB_PW_FLOAT_REAL,
    OB_PW_DIV_MODE,
    OB_PW_MASK
};

#define OB_POINTWISE(name, args, result, flags, kinds, ...) \
    enum { OB_RESULT_##name = result };
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, of)
