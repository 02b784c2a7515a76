import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/*
 * Removes what the packages that come along in ours (`bundleDependencies`) hold in vain: Prisma's compilers of queries for
 * other databases, and those that trade size for speed; the styles of highlight.js; what
 * browsers would load of markdown-it and OpenPGP.js; the sources of zod; and source maps.
 */
const root = path.join(path.dirname(import.meta.dirname), 'node_modules');
const unused = [
  '@prisma/client/runtime/{query_compiler_*,wasm-compiler-edge.*}',
  'highlight.js/{scss,styles}/**/*.*',
  'markdown-it/dist/browser/*',
  'openpgp/dist/{*.js,*.mjs,lightweight/*}',
  'zod/src/**/*.*',
  '**/*.map',
];
const used = '@prisma/client/runtime/query_compiler_small_bg.postgresql.*mjs';
for (const file of globSync(unused, { cwd: root, exclude: [used] })) rmSync(path.join(root, file));

// Our `overrides` leave out the native parts of ssh2, which it does not need; npm is not to look for them elsewhere either.
const manifest = path.join(root, 'ssh2/package.json');
const { optionalDependencies: _native, scripts: _compile, ...kept } = JSON.parse(readFileSync(manifest, 'utf8'));
// Replaced, as several checkouts may share the file by hard links, and servers may read it.
writeFileSync(`${manifest}.new`, `${JSON.stringify(kept, null, 2)}\n`);
renameSync(`${manifest}.new`, manifest);
