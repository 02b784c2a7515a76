import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What Prisma's runtime has of its query compiler: a class, whose objects compile queries and keep nothing of them. */
interface CompilerRuntime {
  QueryCompiler: new (options: CompilerOptions) => object;
}

interface CompilerOptions {
  datamodel: string;
  provider: string;
  connectionInfo: object;
}

const compilers = new Map<string, object>();

/**
 * The runtime, but for one thing: clients with the same options share a compiler. To make one takes 60 ms and more of the processor, as it
 * reads the whole data model; `gantry serve --ephemeral` opens a client with each reset, and tests open one for each file. It is never freed.
 */
export function sharingCompiler<Runtime extends CompilerRuntime>(runtime: Runtime): Runtime {
  return { ...runtime, QueryCompiler: SharedCompiler };

  function SharedCompiler(options: CompilerOptions): object {
    const { provider, connectionInfo, datamodel } = options;
    const key = JSON.stringify([provider, connectionInfo, datamodel.length]);
    const known = compilers.get(key) ?? Object.assign(new runtime.QueryCompiler(options), { free: () => undefined });
    compilers.set(key, known);
    return known;
  }
}

/** Compiles the WebAssembly of the compiler. As a module its text, which is in base64, would stay in memory twice: it is read as a file. */
export function compilerModule(): WebAssembly.Module {
  const text = readFileSync(createRequire(import.meta.url).resolve(COMPILER), 'latin1');
  const start = text.indexOf('"') + 1;
  return new WebAssembly.Module(Buffer.from(text.slice(start, text.indexOf('"', start)), 'base64'));
}

const COMPILER = '@prisma/client/runtime/query_compiler_small_bg.postgresql.wasm-base64.mjs';
