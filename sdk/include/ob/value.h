/* Devices, scalars, and ob_value: one argument or result of an op, tagged.
 *
 * The tag comes from the schema's type of the argument, never from guessing: a dtype, a layout and
 * an int are three things here (PyTorch: IValue, where they are one). Pointers inside an argument
 * are borrowed for the length of the call; pointers inside a result are owned by whoever called and
 * go away with ob_value_reset(). */
#ifndef OB_VALUE_H
#define OB_VALUE_H

#ifdef __cplusplus
#include <initializer_list>
#endif

#include "ob/dtype.h"

OB_BEGIN_DECLS

typedef struct ob_tensor ob_tensor;
typedef struct ob_generator ob_generator;

/* clang-format off */
/* Backend components, low to high: whose memory a tensor lives in. ORDER: PyTorch's BackendComponent.
 * X(name, device name in torch.device) */
#define OB_BACKEND_LIST(X)                                                                       \
    X(CPU, "cpu") X(CUDA, "cuda") X(HIP, "hip") X(XLA, "xla") X(MPS, "mps") X(IPU, "ipu")        \
    X(XPU, "xpu") X(HPU, "hpu") X(VE, "ve") X(Lazy, "lazy") X(MTIA, "mtia") X(MAIA, "maia")      \
    X(PrivateUse1, "privateuseone") X(PrivateUse2, "privateusetwo")                              \
    X(PrivateUse3, "privateusethree") X(Meta, "meta")

/* X(enumerator, PyTorch's number) */
#define OB_LAYOUT_LIST(X) \
    X(STRIDED, 0) X(SPARSE, 1) X(SPARSE_CSR, 2) X(MKLDNN, 3) X(SPARSE_CSC, 4) X(SPARSE_BSR, 5) X(SPARSE_BSC, 6) X(JAGGED, 7)
#define OB_MEMORY_FORMAT_LIST(X) \
    X(CONTIGUOUS, 0) X(PRESERVE, 1) X(CHANNELS_LAST, 2) X(CHANNELS_LAST_3D, 3)
/* clang-format on */

typedef enum ob_backend {
    OB_BACKEND_NONE, /* no device given */
#define OB_X(name, device) OB_BACKEND_##name,
    OB_BACKEND_LIST(OB_X)
#undef OB_X
        OB_BACKEND_LIMIT
} ob_backend;

typedef enum ob_layout {
    OB_LAYOUT_NONE = -1,
#define OB_X(name, number) OB_LAYOUT_##name = number,
    OB_LAYOUT_LIST(OB_X)
#undef OB_X
} ob_layout;

typedef enum ob_memory_format {
    OB_MEMORY_FORMAT_NONE = -1,
#define OB_X(name, number) OB_MEMORY_FORMAT_##name = number,
    OB_MEMORY_FORMAT_LIST(OB_X)
#undef OB_X
} ob_memory_format;

/** A device: {OB_BACKEND_NONE} is "not given"; index -1 is the current one. */
typedef struct ob_device {
    int32_t backend; /* ob_backend */
    int32_t index;
} ob_device;

#define OB_DEVICE_NONE (OB_LITERAL(ob_device){ OB_BACKEND_NONE, -1 })
#define OB_DEVICE_CPU  (OB_LITERAL(ob_device){ OB_BACKEND_CPU, 0 })
#define OB_DEVICE_META (OB_LITERAL(ob_device){ OB_BACKEND_Meta, 0 })

/** Parse "cpu", "meta", "cuda:1", or a loaded package's name such as "opencl:0"; OB_ERR_NOT_FOUND
 * lists what there is. */
OB_API ob_status ob_device_parse(const char *text, ob_device *out) OB_MUST_USE;
/** Print a device as ob_device_parse() reads it; returns `buf`. */
OB_API char *ob_device_format(ob_device device, char *buf, size_t bytes);

/** A Python number: an ATen `Scalar`. */
typedef enum ob_scalar_tag {
    OB_SCALAR_NONE,
    OB_SCALAR_BOOL,
    OB_SCALAR_INT,
    OB_SCALAR_DOUBLE,
    OB_SCALAR_COMPLEX
} ob_scalar_tag;

typedef struct ob_scalar {
    ob_scalar_tag tag; /* OB_SCALAR_NONE: an absent `Scalar?` */
    union {
        bool b;
        int64_t i;
        double d;
        double c[2]; /* real, imaginary */
    } u;
} ob_scalar;

static inline ob_scalar ob_bool(bool v)
{
    ob_scalar s = { OB_SCALAR_BOOL, { 0 } };
    s.u.b = v;
    return s;
}
static inline ob_scalar ob_int(int64_t v)
{
    ob_scalar s = { OB_SCALAR_INT, { 0 } };
    s.u.i = v;
    return s;
}
static inline ob_scalar ob_double(double v)
{
    ob_scalar s = { OB_SCALAR_DOUBLE, { 0 } };
    s.u.d = v;
    return s;
}
static inline ob_scalar ob_complex(double re, double im)
{
    ob_scalar s = { OB_SCALAR_COMPLEX, { 0 } };
    s.u.c[0] = re;
    s.u.c[1] = im;
    return s;
}

/** The value as a double; a complex gives its real part, OB_SCALAR_NONE gives 0. */
OB_API double ob_scalar_double(ob_scalar s);
/** The value as an int; a double is cut toward zero and saturates, NaN gives 0. */
OB_API int64_t ob_scalar_int(ob_scalar s);
/** The category of a Scalar for promotion. */
OB_API ob_kind ob_scalar_kind(ob_scalar s);

/* Lists and optionals in C prototypes: plain, borrowed for the call; zero = empty or absent. */
typedef struct ob_ints {
    const int64_t *data;
    int64_t n;
} ob_ints;
typedef struct ob_opt_ints {
    const int64_t *data;
    int64_t n;
    bool has;
} ob_opt_ints;
typedef struct ob_doubles {
    const double *data;
    int64_t n;
    bool has;
} ob_doubles;
typedef struct ob_bools {
    const uint8_t *data;
    int64_t n;
} ob_bools;
typedef struct ob_scalars {
    const ob_scalar *data;
    int64_t n;
} ob_scalars;
/** Elements may be NULL in a `Tensor?[]`. */
typedef struct ob_tensors {
    ob_tensor *const *data;
    int64_t n;
} ob_tensors;
typedef struct ob_opt_int {
    int64_t value;
    bool has;
} ob_opt_int;
typedef struct ob_opt_double {
    double value;
    bool has;
} ob_opt_double;
typedef struct ob_opt_bool {
    bool value;
    bool has;
} ob_opt_bool;

#define OB_COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* OB_INTS(2, 3): an ob_ints that lives until the end of the enclosing block (in C++: of the
 * statement). */
#ifdef __cplusplus
static inline ob_ints ob_ints_of(std::initializer_list<int64_t> list)
{
    return ob_ints{ list.begin(), (int64_t)list.size() };
}
static inline ob_opt_ints ob_some_ints_of(std::initializer_list<int64_t> list)
{
    return ob_opt_ints{ list.begin(), (int64_t)list.size(), true };
}
static inline ob_tensors ob_tensors_of(std::initializer_list<ob_tensor *> list)
{
    return ob_tensors{ list.begin(), (int64_t)list.size() };
}
#define OB_INTS(...)      ob_ints_of({ __VA_ARGS__ })
#define OB_SOME_INTS(...) ob_some_ints_of({ __VA_ARGS__ })
#define OB_TENSORS(...)   ob_tensors_of({ __VA_ARGS__ })
#else
#define OB_INTS(...)                              \
    ((ob_ints){ (const int64_t[]){ __VA_ARGS__ }, \
                (int64_t)OB_COUNT(((const int64_t[]){ __VA_ARGS__ })) })
#define OB_SOME_INTS(...)                             \
    ((ob_opt_ints){ (const int64_t[]){ __VA_ARGS__ }, \
                    (int64_t)OB_COUNT(((const int64_t[]){ __VA_ARGS__ })), true })
#define OB_TENSORS(...)                                 \
    ((ob_tensors){ (ob_tensor *const[]){ __VA_ARGS__ }, \
                   (int64_t)OB_COUNT(((ob_tensor *const[]){ __VA_ARGS__ })) })
#endif
#define OB_SOME_INT(v)    (OB_LITERAL(ob_opt_int){ (v), true })
#define OB_SOME_DOUBLE(v) (OB_LITERAL(ob_opt_double){ (v), true })
#define OB_SOME_BOOL(v)   (OB_LITERAL(ob_opt_bool){ (v), true })

/* clang-format off */
/* X(tag, member of ob_value.u, what it holds) */
#define OB_VALUE_LIST(X)                                                                         \
    X(ABSENT,        i,       "not given: the schema's default is taken")                        \
    X(NONE,          i,       "None: an absent optional, or an undefined tensor")                \
    X(TENSOR,        tensor,  "a tensor")                                                        \
    X(INT,           i,       "int, SymInt")                                                     \
    X(DOUBLE,        d,       "float")                                                           \
    X(BOOL,          b,       "bool, SymBool")                                                   \
    X(COMPLEX,       c,       "complex")                                                         \
    X(STRING,        string,  "str: UTF-8, `count` bytes and a NUL")                             \
    X(DTYPE,         i,       "ScalarType")                                                      \
    X(LAYOUT,        i,       "Layout")                                                          \
    X(MEMORY_FORMAT, i,       "MemoryFormat")                                                    \
    X(DEVICE,        device,  "Device")                                                          \
    X(GENERATOR,     gen,     "Generator")                                                       \
    X(INTS,          ints,    "int[], SymInt[]")                                                 \
    X(DOUBLES,       doubles, "float[]")                                                         \
    X(BOOLS,         bools,   "bool[]: a byte each")                                             \
    X(TENSORS,       tensors, "Tensor[], Tensor?[]: elements may be NULL")                       \
    X(LIST,          list,    "any other list, a tuple: values")                                 \
    X(OBJECT,        object,  "Any, Storage, Stream, a custom class: opaque to the dispatcher")
/* clang-format on */

typedef enum ob_value_tag {
#define OB_X(tag, member, text) OB_VALUE_##tag,
    OB_VALUE_LIST(OB_X)
#undef OB_X
        OB_VALUE_LIMIT
} ob_value_tag;

/** One argument or result. A `Scalar` is BOOL, INT, DOUBLE or COMPLEX. 24 bytes. */
typedef struct ob_value {
    uint32_t tag;   /* ob_value_tag */
    uint32_t count; /* elements of a list, bytes of a string; else 0 */
    union {
        int64_t i;
        double d;
        bool b;
        double c[2];
        ob_device device;
        ob_tensor *tensor;
        ob_generator *gen;
        const char *string;
        const int64_t *ints;
        const double *doubles;
        const uint8_t *bools;
        ob_tensor *const *tensors;
        const struct ob_value *list;
        void *object;
    } u;
} ob_value;

/* Makers of values; what they point at stays borrowed. */
static inline ob_value ob_value_none(void)
{
    ob_value v = { OB_VALUE_NONE, 0, { 0 } };
    return v;
}
static inline ob_value ob_value_tensor(ob_tensor *t)
{
    ob_value v = { OB_VALUE_TENSOR, 0, { 0 } };
    if (!t) v.tag = OB_VALUE_NONE;
    v.u.tensor = t;
    return v;
}
static inline ob_value ob_value_int(int64_t i)
{
    ob_value v = { OB_VALUE_INT, 0, { 0 } };
    v.u.i = i;
    return v;
}
static inline ob_value ob_value_double(double d)
{
    ob_value v = { OB_VALUE_DOUBLE, 0, { 0 } };
    v.u.d = d;
    return v;
}
static inline ob_value ob_value_bool(bool b)
{
    ob_value v = { OB_VALUE_BOOL, 0, { 0 } };
    v.u.b = b;
    return v;
}
static inline ob_value ob_value_dtype(ob_dtype d)
{
    ob_value v = { OB_VALUE_DTYPE, 0, { 0 } };
    if (d == OB_DTYPE_NONE) v.tag = OB_VALUE_NONE;
    v.u.i = d;
    return v;
}
static inline ob_value ob_value_device(ob_device d)
{
    ob_value v = { OB_VALUE_DEVICE, 0, { 0 } };
    if (d.backend == OB_BACKEND_NONE) v.tag = OB_VALUE_NONE;
    v.u.device = d;
    return v;
}
static inline ob_value ob_value_ints(ob_ints l)
{
    ob_value v = { OB_VALUE_INTS, (uint32_t)l.n, { 0 } };
    v.u.ints = l.data;
    return v;
}
static inline ob_value ob_value_tensors(ob_tensors l)
{
    ob_value v = { OB_VALUE_TENSORS, (uint32_t)l.n, { 0 } };
    v.u.tensors = l.data;
    return v;
}
OB_API ob_value ob_value_string(const char *text);
OB_API ob_value ob_value_scalar(ob_scalar s);

/** The value as a Scalar; OB_SCALAR_NONE when it is not a number. */
OB_API ob_scalar ob_value_as_scalar(const ob_value *v);

/** Make an owned deep copy: tensors are retained, lists and strings copied. OB_ERR_OOM leaves *out
 * absent. */
OB_API ob_status ob_value_copy(const ob_value *v, ob_value *out) OB_MUST_USE;

/** Give back what an owned value holds (tensors, list memory, strings) and make it absent. */
OB_API void ob_value_reset(ob_value *v);

/** Print a value for a human, cut to `bytes`; returns `buf`. */
OB_API char *ob_value_format(const ob_value *v, char *buf, size_t bytes);

/** The tag's name, e.g. "TENSOR" [borrowed, static]. */
OB_API const char *ob_value_tag_name(uint32_t tag);

OB_END_DECLS
#endif
