/* `ob coverage`: the matrix overload x dtype x layout x form. One JSON is the truth; every report
 * is a view of it. */
#ifndef OB_COVERAGE_H
#define OB_COVERAGE_H

int ob_cmd_coverage(int argc, char **argv);

#endif
