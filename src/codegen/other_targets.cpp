#include <cstdlib>
#include <vector>

// LLVM's linker starts all targets of LLVM, for code that it is to generate, of which there is none here. Those that this library has not start like this.
#define OTHER_TARGET(name)                                \
    extern "C" void LLVMInitialize##name##Target();       \
    extern "C" void LLVMInitialize##name##Target() {}     \
    extern "C" void LLVMInitialize##name##TargetInfo();   \
    extern "C" void LLVMInitialize##name##TargetInfo() {} \
    extern "C" void LLVMInitialize##name##TargetMC();     \
    extern "C" void LLVMInitialize##name##TargetMC() {}   \
    extern "C" void LLVMInitialize##name##AsmPrinter();   \
    extern "C" void LLVMInitialize##name##AsmPrinter() {} \
    extern "C" void LLVMInitialize##name##AsmParser();    \
    extern "C" void LLVMInitialize##name##AsmParser() {}
FASTNP_OTHER_TARGETS
extern "C" void LLVMInitializeX86AsmParser();
extern "C" void LLVMInitializeX86AsmParser() {}  // it reads no assembly

// It also compiles bitcode that it links, which is handed none here. What does that (LLVMLTO, with all passes of LLVM) is left out, 17 MB: these take the
// place of lld::elf::BitcodeCompiler's members, and of what else it asks of LLVMLTO where there is bitcode.
extern "C" void fastnp_no_bitcode(void* self) __asm__("_ZN3lld3elf15BitcodeCompilerC1Ev");
extern "C" void fastnp_no_bitcode(void* /*self*/) {}
extern "C" void fastnp_no_bitcode_end(void* self) __asm__("_ZN3lld3elf15BitcodeCompilerD1Ev");
extern "C" void fastnp_no_bitcode_end(void* /*self*/) {}
std::vector<void*> fastnp_no_files(void* self) __asm__("_ZN3lld3elf15BitcodeCompiler7compileEv");
std::vector<void*> fastnp_no_files(void* /*self*/) { return {}; }

extern "C" void fastnp_not_called() { std::abort(); }
#define NOT_CALLED_AS(number, symbol) extern "C" [[gnu::alias("fastnp_not_called")]] void fastnp_not_called_##number() __asm__(symbol);
#define NOT_CALLED_BY(number, symbol) NOT_CALLED_AS(number, symbol)
#define NOT_CALLED(symbol) NOT_CALLED_BY(__COUNTER__, symbol)
NOT_CALLED("_ZN3lld3elf15BitcodeCompiler3addERNS0_11BitcodeFileE")
NOT_CALLED("_ZN4llvm3lto3LTO24getRuntimeLibcallSymbolsERKNS_6TripleE")
NOT_CALLED("_ZN4llvm3lto9InputFile6createENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm3lto9InputFileD1Ev")
NOT_CALLED("_ZNK4llvm3lto9InputFile7getNameEv")

// LLVM's symbolizer reads programs of other systems, too, of which there are none here: what reads these is left out.
NOT_CALLED("_ZN4llvm3pdb10PDBContextC1ERKNS_6object14COFFObjectFileESt10unique_ptrINS0_11IPDBSessionESt14default_deleteIS7_EE")
NOT_CALLED("_ZN4llvm3pdb14loadDataForEXEENS0_14PDB_ReaderTypeENS_9StringRefERSt10unique_ptrINS0_11IPDBSessionESt14default_deleteIS4_EE")

// Nor does the linker link for other processors.
NOT_CALLED("_ZN3lld3elf19getAMDGPUTargetInfoEv")
NOT_CALLED("_ZN3lld3elf16getAVRTargetInfoEv")
NOT_CALLED("_ZN3lld3elf20getHexagonTargetInfoEv")
NOT_CALLED("_ZN3lld3elf17getMipsTargetInfoIN4llvm6object7ELFTypeILNS2_10endiannessE0ELb0EEEEEPNS0_10TargetInfoEv")
NOT_CALLED("_ZN3lld3elf17getMipsTargetInfoIN4llvm6object7ELFTypeILNS2_10endiannessE0ELb1EEEEEPNS0_10TargetInfoEv")
NOT_CALLED("_ZN3lld3elf17getMipsTargetInfoIN4llvm6object7ELFTypeILNS2_10endiannessE1ELb0EEEEEPNS0_10TargetInfoEv")
NOT_CALLED("_ZN3lld3elf17getMipsTargetInfoIN4llvm6object7ELFTypeILNS2_10endiannessE1ELb1EEEEEPNS0_10TargetInfoEv")
NOT_CALLED("_ZN3lld3elf19getMSP430TargetInfoEv")
NOT_CALLED("_ZN3lld3elf20getSPARCV9TargetInfoEv")
NOT_CALLED("_ZN3lld3elf20getSystemZTargetInfoEv")
NOT_CALLED("_ZN3lld3elf16getX86TargetInfoEv")

// Nor does what links code in memory.
NOT_CALLED("_ZN4llvm7jitlink10link_MachOESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink13link_ELF_i386ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink14link_ELF_ppc64ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink14link_ELF_riscvESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink16link_COFF_x86_64ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink16link_ELF_aarch32ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink16link_ELF_aarch64ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink16link_ELF_ppc64leESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink16link_MachO_arm64ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink17link_MachO_x86_64ESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink18link_ELF_loongarchESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
NOT_CALLED("_ZN4llvm7jitlink29createLinkGraphFromCOFFObjectENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink30createLinkGraphFromMachOObjectENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink33createLinkGraphFromELFObject_i386ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink34createLinkGraphFromELFObject_ppc64ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink34createLinkGraphFromELFObject_riscvENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink36createLinkGraphFromCOFFObject_x86_64ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink36createLinkGraphFromELFObject_aarch32ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink36createLinkGraphFromELFObject_aarch64ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink36createLinkGraphFromELFObject_ppc64leENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink36createLinkGraphFromMachOObject_arm64ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink37createLinkGraphFromMachOObject_x86_64ENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink38createLinkGraphFromELFObject_loongarchENS_15MemoryBufferRefE")
NOT_CALLED("_ZN4llvm7jitlink9link_COFFESt10unique_ptrINS0_9LinkGraphESt14default_deleteIS2_EES1_INS0_14JITLinkContextES3_IS6_EE")
