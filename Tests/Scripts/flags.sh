# Sourced: the options of the debug build in .build, which all scripts share: one with other options would be built anew each time.
# The C code is optimized a little. Without that the kernels alone take more than half of the time of the tests.
optimized='-Xcc -O1'
debug="--enable-all-traits $optimized"
