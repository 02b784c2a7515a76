import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Makes everything that is generated: the Prisma client, the printed schema, the typed documents, rest/openapi.json. */
const root = path.resolve(import.meta.dirname, '..');
// Prisma starts its generators by name: by that of this very Node, and by those of the packages.
const search = [path.dirname(process.execPath), path.join(root, 'node_modules/.bin'), process.env.PATH ?? ''];

run(path.join(root, 'node_modules/prisma/build/index.js'), 'generate', '--no-hints');
run('codegen.ts');
run('scripts/openapi.ts');

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
