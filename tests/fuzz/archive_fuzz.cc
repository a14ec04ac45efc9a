/* Fuzzing of the archive reader: any bytes load or are refused with a message, and what loads runs
 * or is refused. The first byte of an input says what the rest is: an archive, or a text to put
 * into a good one. Built with -DOB_LIBFUZZER it is a libFuzzer target; else it has a main that
 * mutates a good archive for some seconds: archive_fuzz [SECONDS [SEED]]. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include "ob/ob.h"
#include "support/zip_edit.h"

static const std::string MODEL = OB_SOURCE_DIR "/samples/models/digits_cnn/digits_cnn.core.pt2";
static const char *const TEXTS[] = { "models/model.json", "data/weights/model_weights_config.json",
                                     "data/constants/model_constants_config.json",
                                     "archive_version" };
static const ob_device cpu = { OB_BACKEND_CPU, 0 };
enum { WHOLE, FIRST_TEXT, KINDS = FIRST_TEXT + sizeof TEXTS / sizeof TEXTS[0] };

static void require(bool holds, const char *what, const std::string &path)
{
    if (holds) return;
    fprintf(stderr, "archive_fuzz: %s: %s\n", what, path.c_str());
    abort();
}

/* Run with inputs of ones, of the sizes that the program asks for; large ones are left alone. */
static void run(ob_program *program, const std::string &path)
{
    const int n_in = ob_program_n_inputs(program), n_out = ob_program_n_outputs(program);
    std::vector<ob_value> inputs((size_t)n_in), outputs((size_t)n_out);
    std::vector<ob_tensor *> made;
    ob_status st = OB_OK;
    for (int i = 0; i < n_in && st == OB_OK; i++) {
        const ob_program_slot *slot = ob_program_input(program, i);
        int64_t sizes[OB_MAX_RANK], numel = 1;
        bool fits = slot->rank >= 0 && slot->rank <= OB_MAX_RANK;
        for (int d = 0; fits && d < slot->rank; d++) {
            sizes[d] = slot->sizes[d] < 0 ? 2 : slot->sizes[d];
            fits = sizes[d] < 1 << 12 && (numel *= sizes[d]) < 1 << 20;
        }
        ob_tensor *x = nullptr;
        st = fits ? ob_tensor_create(ob_ints{ sizes, slot->rank }, slot->dtype, cpu, &x)
                  : OB_ERR_SHAPE;
        made.push_back(x);
        inputs[(size_t)i] = ob_value_tensor(x);
    }
    if (st == OB_OK) {
        st = ob_program_run(program, inputs.data(), n_in, outputs.data(), n_out);
        require(st == OB_OK || ob_error_last()->message[0], "a run fails without a message", path);
    }
    for (ob_value &v : outputs)
        ob_value_reset(&v);
    for (ob_tensor *x : made)
        ob_tensor_release(x);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Entries good = read_zip(MODEL);
    if (size == 0) return 0;
    const size_t kind = data[0] % KINDS;
    const std::string rest((const char *)data + 1, size - 1);
    std::string path;
    if (kind == WHOLE) {
        path = write_text("fuzz.pt2", rest);
    } else {
        Entries entries = good;
        for (auto &[name, bytes] : entries)
            if (name == TEXTS[kind - FIRST_TEXT]) bytes = rest;
        path = write_zip(entries, "fuzz.pt2");
    }
    ob_program *program = nullptr;
    const ob_status st = ob_program_load(path.c_str(), cpu, &program);
    require((st == OB_OK) == (program != nullptr), "status and program disagree", path);
    require(st == OB_OK || ob_error_last()->message[0], "refused without a message", path);
    if (program) run(program, path);
    ob_program_release(program);
    remove(path.c_str());
    return 0;
}

#ifndef OB_LIBFUZZER

static std::mt19937 random_bits;

static size_t below(size_t n)
{
    return n ? random_bits() % n : 0;
}

/* A few edits: a byte, a number, a piece dropped or copied elsewhere. */
static std::string mutate(std::string text)
{
    static const char *const numbers[] = {
        "-1", "0", "9223372036854775807", "1e400", "3.5", "65", "null", "true", "\"x\"", "[]", "{}"
    };
    for (size_t edits = 1 + below(3); edits > 0 && !text.empty(); edits--) {
        const size_t at = below(text.size());
        const size_t digit = text.find_first_of("0123456789", at);
        switch (below(5)) {
        case 0:
            text[at] = (char)below(256);
            break;
        case 1:
            text.erase(at, below(60));
            break;
        case 2:
            text.insert(below(text.size()), text.substr(at, below(200)));
            break;
        default:
            if (digit == std::string::npos) break;
            text.replace(digit, text.find_first_not_of("0123456789", digit) - digit,
                         numbers[below(sizeof numbers / sizeof numbers[0])]);
        }
    }
    return text;
}

int main(int argc, char **argv)
{
    const time_t seconds = argc > 1 ? (time_t)strtol(argv[1], nullptr, 10) : 2;
    random_bits.seed(argc > 2 ? (unsigned)strtoul(argv[2], nullptr, 10) : 1u);
    std::string seeds[KINDS] = { read_text(MODEL) };
    for (const auto &[name, bytes] : read_zip(MODEL))
        for (size_t k = FIRST_TEXT; k < KINDS; k++)
            if (name == TEXTS[k - FIRST_TEXT]) seeds[k] = bytes;
    unsigned long n = 0;
    for (const time_t end = time(nullptr) + seconds; time(nullptr) < end; n++) {
        const size_t kind =
            below(4) ? (size_t)FIRST_TEXT : below(KINDS); /* the graph has most to get wrong */
        const std::string input = (char)kind + mutate(seeds[kind]);
        LLVMFuzzerTestOneInput((const uint8_t *)input.data(), input.size());
    }
    printf("archive_fuzz: %lu archives\n", n);
    return 0;
}

#endif
