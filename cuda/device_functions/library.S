// The library of device functions, compressed by zstd, as bytes of the host's library (cmake/device_functions.cmake).
    .section .rodata.fastnp_device_functions, "a", @progbits
    .globl fastnp_device_functions_begin
    .globl fastnp_device_functions_end
    .hidden fastnp_device_functions_begin
    .hidden fastnp_device_functions_end
    .balign 16
fastnp_device_functions_begin:
    .incbin FASTNP_LIBRARY
fastnp_device_functions_end:
    .section .note.GNU-stack, "", @progbits
