/* Finding packages: OB_PACKAGE_PATH, else the package directory. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "dispatch/package/package.h"
#include "ob/schema.h"

enum { MAX_FAILURES = 32, MAX_FILES = 32 };

/* Under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *failures[MAX_FAILURES];
static int n_failures;

static void forget_failures(void)
{
    while (n_failures > 0)
        ob_free(failures[--n_failures]);
}

static void keep_failure(const char *path)
{
    char text[OB_ERROR_MESSAGE_BYTES + 512];
    (void)snprintf(text, sizeof text, "%.500s: %s", path, ob_error_last()->message);
    char *copy = n_failures < MAX_FAILURES ? ob_strdup(text) : NULL;
    if (copy) failures[n_failures++] = copy;
}

static void try_file(const char *path)
{
    if (ob_package_load(path, NULL) != OB_OK) keep_failure(path);
}

/* Call `each` for the parts of a colon-separated list; OB_ERR_OOM. */
static ob_status each_part(const char *list, void (*each)(const char *part))
{
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ":");
        char *part = ob_strndup(at, n);
        if (!part) return OB_FAIL(OB_ERR_OOM, "packages: no memory for a path");
        if (n > 0) each(part);
        ob_free(part);
        at += n + (at[n] == ':');
    }
    return OB_OK;
}

static bool is_package_file(const char *name)
{
    const size_t n = strlen(name);
    return strncmp(name, "libob_", 6) == 0 && n > 9 && strcmp(name + n - 3, ".so") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Load the packages of a directory in the order of their names, unless an earlier directory had
 * some. */
static void try_directory(const char *path)
{
    char *files[MAX_FILES];
    size_t n = 0;
    DIR *dir = ob_package_at(0) || n_failures ? NULL : opendir(path);
    if (!dir) return;
    for (const struct dirent *e = readdir(dir); e && n < MAX_FILES; e = readdir(dir)) {
        if (!is_package_file(e->d_name)) continue;
        const size_t bytes = strlen(path) + strlen(e->d_name) + 2;
        files[n] = ob_alloc(bytes, 1);
        if (files[n]) (void)snprintf(files[n++], bytes, "%s/%s", path, e->d_name);
    }
    (void)closedir(dir);
    qsort(files, n, sizeof *files, by_text);
    for (size_t i = 0; i < n; i++) {
        try_file(files[i]);
        ob_free(files[i]);
    }
}

static bool is_privileged(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}

ob_status ob_package_discover(void)
{
    const char *list = is_privileged() ? NULL : getenv("OB_PACKAGE_PATH");
    if (ob_package_is_changing())
        return OB_FAIL(OB_ERR_STATE, "packages: none are looked for while one is being loaded");
    (void)pthread_mutex_lock(&lock);
    forget_failures();
    ob_status st = list ? each_part(list, try_file) : OB_OK;
    if (st == OB_OK && !list) st = each_part(OB_PACKAGE_DIRS, try_directory);
    (void)pthread_mutex_unlock(&lock);
    return st;
}

const char *ob_package_failure(int i)
{
    (void)pthread_mutex_lock(&lock);
    const char *text = i >= 0 && i < n_failures ? failures[i] : NULL;
    (void)pthread_mutex_unlock(&lock);
    return text;
}
