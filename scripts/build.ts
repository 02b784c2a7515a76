import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/*
 * Emits the JavaScript of the package into dist/, as Node strips no types under node_modules.
 *
 * Node looks a subpath import such as `#src/config.ts` up in the nearest package.json. In the checkout that is the
 * project's own, which leads to the TypeScript; dist/ gets one that leads to the JavaScript beside it.
 */
const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');
const imports = Object.fromEntries(['src', 'schema', 'rest'].map((room) => [`#${room}/*.ts`, `./${room}/*.js`]));

if (!existsSync(path.join(root, 'src/generated'))) {
  execFileSync(process.execPath, [path.join(root, 'scripts/generate.ts')], { stdio: 'inherit', cwd: root });
}
rmSync(dist, { recursive: true, force: true });
const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [compiler, '--project', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify({ type: 'module', imports }, null, 2)}\n`);
