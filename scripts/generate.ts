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
// Prisma starts its generators by name: by that of this very Node, and by those of the packages.
const search = [path.dirname(process.execPath), path.join(root, 'node_modules/.bin'), process.env.PATH ?? ''];

const lock = takeTurn();
const sources = new GeneratedSources(root);
if (!process.argv.includes('--if-stale') || !sources.isFresh()) {
  const hash = sources.hash();
  sources.forget();
  run(path.join(root, 'node_modules/prisma/build/index.js'), 'generate', '--no-hints');
  shareCompiler('src/generated/prisma/internal/class.ts');
  for (const name of ['class.ts', 'prismaNamespace.ts']) escapeWide(`src/generated/prisma/internal/${name}`);
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

/** Has all clients of a process use one query compiler, which Prisma would make for each of them. */
function shareCompiler(file: string): void {
  const text = readFileSync(path.join(root, file), 'utf8');
  const shared = text.replace(
    /getRuntime: async \(\) => (await import\([^)]+\))/,
    'getRuntime: async () => sharingCompiler($1)',
  );
  if (shared === text) throw new Error(`${file} names no runtime of its query compiler`);
  const ours = "import { sharingCompiler } from '../../../platform/database/query_compiler.ts';\n";
  // Behind the comments at the top, which turn off the checks of the file.
  writeFileSync(path.join(root, file), shared.replace(/^import /m, `${ours}import `));
}

/** Escapes what is not in Latin-1: one such character makes V8 keep all of a file in two bytes a letter. */
function escapeWide(file: string): void {
  const text = readFileSync(path.join(root, file), 'utf8');
  const escaped = text.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(path.join(root, file), escaped);
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
