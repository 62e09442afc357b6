// Runs a program for WASI with node: node wasi.mjs PROGRAM.wasm ARGUMENTS. It sees the folder it is started in and /tmp.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...words] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...words],
  env: process.env,
  preopens: { '.': process.cwd(), '/tmp': '/tmp' },
});
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
