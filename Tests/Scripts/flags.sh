# Sourced: the options of the debug build in .build. A call with other options would rebuild it, and so would the next call.
# The C code is optimized a little: without that the kernels alone take more than half of the time of the tests. The packages of
# consumers.sh are built as users build them, without it.
optimized='-Xcc -O1'
debug="--enable-all-traits $optimized"
