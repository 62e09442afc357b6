/*
 * elf.c -- whether a file that a compiler made is a whole module: a compiler that ends well may have left half of it
 * (a full disk, a wrapper that was killed). In: the bytes. Out: what is wrong, or NULL. Always holds: nothing outside
 * the bytes is read, whatever stands in them.
 */
#include "build.h"

#include <link.h>
#include <string.h>

typedef ElfW(Ehdr) Head;
typedef ElfW(Phdr) Segment;
typedef ElfW(Shdr) Section;
typedef ElfW(Sym) Symbol;

typedef struct Bytes {
    const char *at;
    size_t n;
} Bytes;

static bool inside(const Bytes *b, uint64_t from, uint64_t n) { return from <= b->n && n <= b->n - from; }

/* The i-th of a table's entries, copied: the file's may lie anywhere. */
static bool entry(const Bytes *b, uint64_t table, uint64_t i, void *to, size_t size) {
    uint64_t from = table + i * size;
    if (i > b->n / size || from < table || !inside(b, from, size)) return false;
    memcpy(to, b->at + from, size);
    return true;
}

/* Bytes of an address of the loaded module; NULL where the file has none. */
static const char *at_address(const Bytes *b, const Head *h, uint64_t address, size_t n) {
    Segment s;
    for (unsigned i = 0; i < h->e_phnum && entry(b, h->e_phoff, i, &s, sizeof s); i++) {
        uint64_t by = address - s.p_vaddr;
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && by < s.p_filesz && n <= s.p_filesz - by &&
            inside(b, s.p_offset + by, n))
            return b->at + s.p_offset + by;
    }
    return NULL;
}

static bool segments(const Bytes *b, const Head *h) {
    Segment s;
    int loaded = 0;
    for (unsigned i = 0; i < h->e_phnum; i++) {
        if (!entry(b, h->e_phoff, i, &s, sizeof s)) return false;
        if (s.p_type == PT_LOAD && !inside(b, s.p_offset, s.p_filesz)) return false;
        loaded += s.p_type == PT_LOAD;
    }
    return loaded > 0;
}

/* Everything that the table of sections names; *symbols: the table of those that the dynamic linker sees. */
static bool sections(const Bytes *b, const Head *h, Section *symbols, Section *names) {
    Section s;
    bool found = false;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        if (!entry(b, h->e_shoff, i, &s, sizeof s)) return false;
        if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL && !inside(b, s.sh_offset, s.sh_size)) return false;
        if (s.sh_type == SHT_DYNSYM && !found) *symbols = s, found = true;
    }
    return found && symbols->sh_link < h->e_shnum && entry(b, h->e_shoff, symbols->sh_link, names, sizeof *names);
}

static bool called(const Bytes *b, const Section *names, const Symbol *s, const char *name) {
    size_t n = strlen(name) + 1;
    return s->st_shndx != SHN_UNDEF && s->st_name <= names->sh_size && n <= names->sh_size - s->st_name &&
           inside(b, names->sh_offset + s->st_name, n) && !memcmp(b->at + names->sh_offset + s->st_name, name, n);
}

const char *elf_incomplete(const void *bytes, size_t n, const char *key) {
    const Bytes b = {bytes, n};
    Head h;
    Section symbols = {0}, names = {0};
    if (!entry(&b, 0, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_type != ET_DYN ||
        h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return "what it made is no shared object";
    if (!segments(&b, &h) || !sections(&b, &h, &symbols, &names)) return "what it made is cut off";
    bool run = false, abi = false, its_key = false;
    Symbol s;
    for (uint64_t i = 0; i < symbols.sh_size / sizeof s && entry(&b, symbols.sh_offset, i, &s, sizeof s); i++) {
        run |= called(&b, &names, &s, "theano_run");
        abi |= called(&b, &names, &s, "theano_abi");
        if (!called(&b, &names, &s, "theano_key")) continue;
        const char *text = at_address(&b, &h, s.st_value, BUILD_KEY);
        its_key = text && !memcmp(text, key, BUILD_KEY);
    }
    return run && abi && its_key ? NULL : "what it made is another module";
}
