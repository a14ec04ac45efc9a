/* Archives made from a good one by an edit, for tests of the loader. */
#ifndef OB_TESTS_ZIP_EDIT_H
#define OB_TESTS_ZIP_EDIT_H

#include <gtest/gtest.h>
#include <unistd.h>
#include <zip.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/* Entries in order: name without the root folder, bytes. */
using Entries = std::vector<std::pair<std::string, std::string>>;

inline Entries read_zip(const std::string &path)
{
    Entries out;
    zip_t *z = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
    for (zip_int64_t i = 0; z && i < zip_get_num_entries(z, 0); i++) {
        zip_stat_t st;
        zip_stat_index(z, (zip_uint64_t)i, 0, &st);
        std::string bytes(st.size, '\0');
        zip_file_t *f = zip_fopen_index(z, (zip_uint64_t)i, 0);
        zip_fread(f, bytes.data(), bytes.size());
        zip_fclose(f);
        const std::string name = st.name;
        out.emplace_back(name.substr(name.find('/') + 1), bytes);
    }
    if (z) zip_discard(z);
    return out;
}

inline std::string temporary(const std::string &name)
{
    const char *dir = getenv("TMPDIR");
    return std::string(dir ? dir : "/tmp") + "/ob_" + std::to_string(getpid()) + "_" + name;
}

/* Write entries below `root`, deflated or stored. */
inline std::string write_zip(const Entries &entries, const std::string &name,
                             const std::string &root = "model/", bool deflate = false)
{
    const std::string path = temporary(name);
    zip_t *z = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto &[entry, bytes] : entries) {
        zip_source_t *source = zip_source_buffer(z, bytes.data(), bytes.size(), 0);
        const zip_int64_t i = zip_file_add(z, (root + entry).c_str(), source, ZIP_FL_ENC_UTF_8);
        if (i >= 0)
            zip_set_file_compression(z, (zip_uint64_t)i, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                     0);
    }
    zip_close(z);
    return path;
}

inline std::string read_text(const std::string &path)
{
    std::ifstream f(path, std::ios::binary);
    std::stringstream s;
    s << f.rdbuf();
    return s.str();
}

inline std::string write_text(const std::string &name, const std::string &bytes)
{
    const std::string path = temporary(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

/* Replace the first `from` in the entry by `to`; the test fails when it is not there. */
inline std::function<void(Entries &)> replace(const std::string &entry, const std::string &from,
                                              const std::string &to)
{
    return [=](Entries &entries) {
        for (auto &[name, bytes] : entries) {
            if (name != entry) continue;
            const size_t at = bytes.find(from);
            ASSERT_NE(at, std::string::npos) << "'" << from << "' is not in " << entry;
            bytes.replace(at, from.size(), to);
            return;
        }
        FAIL() << "there is no entry " << entry;
    };
}

inline std::function<void(Entries &)> drop(const std::string &entry)
{
    return [=](Entries &entries) {
        for (size_t i = 0; i < entries.size(); i++)
            if (entries[i].first == entry) {
                entries.erase(entries.begin() + (long)i);
                return;
            }
        FAIL() << "there is no entry " << entry;
    };
}

inline std::function<void(Entries &)> add(const std::string &entry, const std::string &bytes)
{
    return [=](Entries &entries) { entries.emplace_back(entry, bytes); };
}

#endif
