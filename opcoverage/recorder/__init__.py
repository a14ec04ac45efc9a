"""Recording of expected values from an installed PyTorch; the program is ../record.py.

call      an operator call under schema names: copy, run, siblings of an overload
opinfo    calls taken from PyTorch's own operator samples
variants  further calls derived from one: layouts, special values, out= and in-place, errors
pool      which of the offered calls are kept
cases     the cases of the calls that were kept
judge     run a call and describe how far its result binds another implementation
gradients forward calls with a vector-Jacobian product
apart     run pieces of work in processes of their own
tokens    values as text tokens and storages
corpus    cases.tsv and blob.bin, written and read
verify    run a corpus again from its files alone
"""
