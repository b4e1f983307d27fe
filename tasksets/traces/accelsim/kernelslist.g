MemcpyHtoD,0x00007f5c4b000000,1000
MemcpyHtoD,0x00007f5c4b000400,1000
kernel-1.traceg
