import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GeneratedSources } from './generated_sources.ts';

/**
 * Makes everything that is generated: the Prisma client, the printed schema, the typed documents, rest/openapi.json,
 * and the references in docs/.
 * With `--if-stale` only where the sources have changed since.
 */
const root = path.resolve(import.meta.dirname, '..');
const internal = path.join(root, 'src/generated/prisma/internal');
// Prisma starts its generators by name: by that of this very Node, and by those of the packages.
const search = [path.dirname(process.execPath), path.join(root, 'node_modules/.bin'), process.env.PATH ?? ''];

const lock = takeTurn();
const sources = new GeneratedSources(root);
if (!process.argv.includes('--if-stale') || !sources.isFresh()) {
  const hash = sources.hash();
  sources.forget();
  run(path.join(root, 'node_modules/prisma/build/index.js'), 'generate', '--no-hints');
  useOwnRuntime();
  for (const name of ['class.ts', 'prismaNamespace.ts']) edit(path.join(internal, name), escapeWide);
  // The sources that the others load need it.
  run('scripts/languages.ts');
  run('codegen.ts');
  run('scripts/openapi.ts');
  run('scripts/icons.ts');
  run('scripts/viewers.ts');
  run('scripts/reference.ts');
  sources.remember(hash);
}
lock.close();

/** Of several that generate at once each waits for the one before. The lock is gone with the process, however that ends. */
function takeTurn(): DatabaseSync {
  const directory = path.join(root, 'src/generated');
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(path.join(directory, '.lock'), { timeout: 300_000 });
  database.exec('pragma journal_mode = memory; begin exclusive');
  return database;
}

/**
 * Has the Prisma client take less memory and time: the clients of a process share a query compiler, whose code is read from a file, and a
 * copy of the runtime reads as much of the graph of parameters as it needs.
 */
function useOwnRuntime(): void {
  const runtime = '@prisma/client/runtime/client';
  const copy = './runtime.mjs';
  const text = readFileSync(path.join(root, `node_modules/${runtime}.mjs`), 'utf8');
  const reader = "import { parameterGraph } from '#src/platform/database/parameter_graph.ts';\n";
  const light = replaced(
    text,
    /(function \w+\((\w+)\)\{return )new \w+\(\2\)\.deserialize\(\)\}/,
    '$1parameterGraph($2)}',
  );
  writeFileSync(path.join(internal, copy), reader + light);
  writeFileSync(path.join(internal, 'runtime.d.mts'), `export * from '${runtime}';\n`);

  for (const name of ['internal/class.ts', 'internal/prismaNamespace.ts', 'client.ts']) {
    const place = name.startsWith('internal/') ? copy : copy.replace('./', './internal/');
    edit(path.join(internal, '..', name), (code) =>
      replaced(code, /^import \* as runtime from .*$/m, `import * as runtime from '${place}'`),
    );
  }
  edit(path.join(internal, 'class.ts'), (code) => {
    const sharing = replaced(
      code,
      /getRuntime: async \(\) => (await import\([^)]+\))/,
      'getRuntime: async () => sharingCompiler($1)',
    );
    const reading = replaced(
      sharing,
      /getQueryCompilerWasmModule: async \(\) => \{.*?\n {2}\},/s,
      'getQueryCompilerWasmModule: async () => compilerModule(),',
    );
    const ours = "import { compilerModule, sharingCompiler } from '#src/platform/database/query_compiler.ts';\n";
    // Behind the comments at the top, which turn off the checks of the file.
    return reading.replace(/^import /m, `${ours}import `);
  });
}

function replaced(text: string, part: RegExp, by: string): string {
  const changed = text.replace(part, by);
  if (changed === text) throw new Error(`What Prisma generates holds nothing like ${part}`);
  return changed;
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** Escapes what is not in Latin-1: one such character makes V8 keep all of a file in two bytes a letter. */
function escapeWide(text: string): string {
  return text.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function run(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: search.join(path.delimiter) },
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n`);
  process.exit(status ?? 1);
}
