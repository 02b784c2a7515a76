import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureGenerated } from './ensure_generated.ts';
import './prune_packages.ts';

/*
 * Emits the JavaScript of the package into dist/, as Node strips no types under node_modules. The packages that it needs come
 * along in it, as npm follows `overrides` only of the project in which it installs.
 *
 * Node looks a subpath import such as `#src/platform/database/db.ts` up in the nearest package.json. In the checkout that is the
 * project's own, which leads to the TypeScript; dist/ gets its own, which leads to the JavaScript.
 */
const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');
const imports = Object.fromEntries(
  ['src', 'schema', 'rest', 'pages', 'mcp', 'compat'].map((room) => [`#${room}/*.ts`, `./${room}/*.js`]),
);

ensureGenerated(root);
rmSync(dist, { recursive: true, force: true });
const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [compiler, '--project', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
const runtime = 'src/generated/prisma/internal/runtime.mjs';
copyFileSync(path.join(root, runtime), path.join(dist, runtime));
/** By which prepared data directories are told apart (src/platform/lifecycle/prepared.ts): a hash of what makes them. */
const hash = createHash('sha256');
for (const place of ['dist/src', 'prisma/migrations']) {
  for (const file of globSync('**/*.{js,sql}', { cwd: path.join(root, place) }).sort())
    hash.update(`${file}\0`).update(readFileSync(path.join(root, place, file)));
}
const manifest = { type: 'module', imports, build: hash.digest('hex') };
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

// The viewers come along as they are sent: their own packages are needed nowhere else.
const reader = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const viewer = path.join(dist, 'src/generated/viewer');
cpSync(path.join(root, 'src/generated/viewer'), viewer, { recursive: true });
for (const file of ['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'])
  copyFileSync(path.join(reader, file), path.join(viewer, file));
