/* The .pt2 loader against archives that are odd but legal, and against broken and hostile ones. */
#include <gtest/gtest.h>

#include "ob/ob.h"
#include "support/ob_gtest.h"
#include "support/zip_edit.h"

static const std::string MODEL = OB_SOURCE_DIR "/samples/models/digits_cnn/digits_cnn.aten.pt2";
static const std::string GRAPH = "models/model.json";
static const std::string WEIGHTS = "data/weights/model_weights_config.json";

static ob_status load(const std::string &path)
{
    ob_program *p = NULL;
    const ob_status st = ob_program_load(path.c_str(), OB_DEVICE_CPU, &p);
    EXPECT_EQ(st == OB_OK, p != NULL);
    ob_program_release(p);
    return st;
}

struct Archive {
    const char *name;
    std::function<void(Entries &)> edit;
    ob_status want;
    const char *says; /* part of the message */
    std::string root = "model/";
    bool deflate = false;
};

class ProgramArchive : public testing::TestWithParam<Archive>
{
};

TEST_P(ProgramArchive, IsLoadedOrRefusedWithAReason)
{
    const Archive &c = GetParam();
    Entries entries = read_zip(MODEL);
    c.edit(entries);
    const std::string path = write_zip(entries, std::string(c.name) + ".pt2", c.root, c.deflate);
    EXPECT_EQ(load(path), c.want) << ob_error_last()->message;
    if (c.want != OB_OK)
        EXPECT_NE(std::string(ob_error_last()->message).find(c.says), std::string::npos)
            << ob_error_last()->message;
    remove(path.c_str());
}

static void nothing(Entries &) {}

INSTANTIATE_TEST_SUITE_P(
    Program, ProgramArchive,
    testing::Values(
        Archive{ "unchanged", nothing, OB_OK, "" },
        Archive{ "deflated", nothing, OB_OK, "", "model/", true },
        Archive{ "renamed_root", nothing, OB_OK, "", "some other folder/" },
        Archive{ "unknown_field",
                 replace(GRAPH, "{\"graph_module\"", "{\"novelty\": [1], \"graph_module\""), OB_OK,
                 "" },
        Archive{ "extra_file", add("extra/notes.txt", "hello"), OB_OK, "" },
        Archive{ "no_format", drop("archive_format"), OB_ERR_UNSUPPORTED, "torch >= 2.9" },
        Archive{ "no_version", drop("archive_version"), OB_ERR_PARSE, "archive_version" },
        Archive{ "version_1", replace("archive_version", "0", "1"), OB_ERR_UNSUPPORTED,
                 "should be '0'" },
        Archive{ "pickled", add("data/weights/model.pt", "x"), OB_ERR_UNSUPPORTED, "pickled" },
        Archive{ "no_program", drop(GRAPH), OB_ERR_PARSE, "models/NAME.json" },
        Archive{ "two_programs", add("models/other.json", "{}"), OB_ERR_UNSUPPORTED,
                 "several programs" },
        Archive{ "climbing_name", add("../evil", "x"), OB_ERR_PARSE, "relative name" },
        Archive{ "same_name_other_case", add("MODELS/model.json", "{}"), OB_ERR_PARSE, "twice" },
        Archive{ "broken_json", replace(GRAPH, "{\"graph_module\"", "{\"graph_module"),
                 OB_ERR_PARSE, "line 1" },
        Archive{ "schema_9", replace(GRAPH, "\"major\": 8", "\"major\": 9"), OB_ERR_UNSUPPORTED,
                 "should be 8" },
        Archive{ "unknown_op",
                 replace(GRAPH, "torch.ops.aten.relu.default", "torch.ops.aten.rulu.default"),
                 OB_ERR_UNSUPPORTED, "aten::rulu" },
        Archive{ "unknown_overload",
                 replace(GRAPH, "torch.ops.aten.add.Tensor", "torch.ops.aten.add.Tenser"),
                 OB_ERR_UNSUPPORTED, "aten::add.Tenser" },
        Archive{ "undefined_value",
                 replace(GRAPH, "{\"name\": \"image\"}}, \"kind\"",
                         "{\"name\": \"nowhere\"}}, \"kind\""),
                 OB_ERR_PARSE, "nowhere" },
        Archive{ "no_weights_config", drop(WEIGHTS), OB_ERR_PARSE, "neither config" },
        Archive{ "weight_missing", drop("data/weights/weight_0"), OB_ERR_PARSE, "weight_0" },
        Archive{ "weight_path_climbs",
                 replace(WEIGHTS, "\"path_name\": \"weight_0\"", "\"path_name\": \"../weight_0\""),
                 OB_ERR_PARSE, "plain file name" },
        Archive{ "weight_pickled",
                 replace(WEIGHTS, "\"use_pickle\": false", "\"use_pickle\": true"),
                 OB_ERR_UNSUPPORTED, "unpickled" },
        Archive{ "weight_odd_bytes", replace("data/weights/weight_0", std::string(), "x"),
                 OB_ERR_PARSE, "multiple" }),
    [](const testing::TestParamInfo<Archive> &info) { return std::string(info.param.name); });

TEST(ProgramArchive, TruncatedAnywhereIsRefused)
{
    const std::string whole = read_text(MODEL);
    for (size_t n = 0; n < whole.size(); n += 997) {
        const std::string path = write_text("cut.pt2", whole.substr(0, n));
        EXPECT_NE(load(path), OB_OK) << n << " bytes";
        remove(path.c_str());
    }
}

TEST(ProgramArchive, FlippedBytesNeverCrash)
{
    const std::string whole = read_text(MODEL);
    for (size_t at = 13; at < whole.size(); at += 1499) {
        std::string bent = whole;
        bent[at] = (char)(bent[at] ^ 0x41);
        const std::string path = write_text("bent.pt2", bent);
        (void)load(path);
        remove(path.c_str());
    }
}

TEST(ProgramArchive, MissingFileNamesItself)
{
    EXPECT_EQ(load("/nowhere/model.pt2"), OB_ERR_IO);
    EXPECT_NE(std::string(ob_error_last()->message).find("/nowhere/model.pt2"), std::string::npos);
}

class Program : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_OB_OK(ob_program_load(MODEL.c_str(), OB_DEVICE_CPU, &program));
    }
    void TearDown() override
    {
        ob_program_release(program);
    }

    ob_status run(ob_ints sizes, ob_dtype dtype)
    {
        ob_tensor *x = NULL;
        ob_value output = {};
        EXPECT_EQ(ob_tensor_create(sizes, dtype, OB_DEVICE_CPU, &x), OB_OK);
        const std::string zeros((size_t)ob_tensor_numel(x) * ob_dtype_bytes(dtype), '\0');
        EXPECT_EQ(ob_tensor_write(x, zeros.data(), zeros.size()), OB_OK);
        const ob_value input = ob_value_tensor(x);
        const ob_status st = ob_program_run(program, &input, 1, &output, 1);
        ob_value_reset(&output);
        ob_tensor_release(x);
        return st;
    }

    ob_program *program = NULL;
};

TEST_F(Program, DescribesItsInputs)
{
    ASSERT_EQ(ob_program_n_inputs(program), 1);
    const ob_program_slot *in = ob_program_input(program, 0);
    EXPECT_STREQ(in->name, "image");
    EXPECT_EQ(in->dtype, OB_F32);
    ASSERT_EQ(in->rank, 4);
    EXPECT_EQ(in->sizes[0], -1);
    EXPECT_EQ(in->min_sizes[0], 1);
    EXPECT_EQ(in->max_sizes[0], 1024);
    EXPECT_EQ(in->sizes[3], 8);
}

TEST_F(Program, RunsEveryBatchSizeInRange)
{
    const int64_t one[] = { 1, 1, 8, 8 }, many[] = { 77, 1, 8, 8 };
    EXPECT_OB_OK(run({ one, 4 }, OB_F32));
    EXPECT_OB_OK(run({ many, 4 }, OB_F32));
}

TEST_F(Program, RefusesInputsThatDoNotFit)
{
    const int64_t small[] = { 1, 1, 7, 8 }, flat[] = { 1, 64 }, empty[] = { 0, 1, 8, 8 },
                  good[] = { 1, 1, 8, 8 };
    EXPECT_EQ(run({ small, 4 }, OB_F32), OB_ERR_SHAPE);
    EXPECT_EQ(run({ flat, 2 }, OB_F32), OB_ERR_SHAPE);
    EXPECT_EQ(run({ empty, 4 }, OB_F32), OB_ERR_SHAPE);
    EXPECT_EQ(run({ good, 4 }, OB_F64), OB_ERR_DTYPE);
    EXPECT_EQ(ob_program_run(program, NULL, 0, NULL, 1), OB_ERR_ARG);
}

TEST_F(Program, RunsAgainAfterARefusal)
{
    const int64_t flat[] = { 1, 64 }, good[] = { 1, 1, 8, 8 };
    EXPECT_NE(run({ flat, 2 }, OB_F32), OB_OK);
    EXPECT_OB_OK(run({ good, 4 }, OB_F32));
}
