/* embed.h -- the bytes of a file of this tree as a text, 0 at its end: for kernels that are files of their own. */
#ifndef TH_GPU_EMBED_H
#define TH_GPU_EMBED_H

/* file: below core/ */
#define GPU_EMBED(name, file) \
    extern const char name[] __attribute__((visibility("hidden"))); \
    __asm__(".pushsection .rodata\n.hidden " #name "\n.globl " #name "\n" #name ":\n.incbin \"" file \
            "\"\n.byte 0\n.popsection\n")

#endif
