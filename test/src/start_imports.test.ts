// Each test takes long: the long run has them all.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';

/** Prints the packages that are loaded with modules, beside what was there before. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
    if (name) packages.add(name);
    return next(url, context);
  },
});
for (const file of process.argv.slice(1)) await import(file);
console.log(JSON.stringify([...packages]));
process.exit(0);
`;

test('A start loads no package that few requests need', { timeout: 120_000 }, () => {
  const files = [
    'entrances/server/main',
    'entrances/server/app',
    'entrances/server/services',
    'platform/database/db',
    'domain/users/bootstrap',
  ].map((name) => packagePath(`src/${name}.ts`));
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM, ...files], {
    encoding: 'utf8',
    cwd: packagePath('.'),
  });
  const packages: string[] = JSON.parse(printed);
  expect(packages).toEqual(expect.arrayContaining(['express', 'graphql', '@pothos/core']));
  const late = ['oidc-provider', 'koa', 'graphql-yoga', 'yaml', 'nodemailer', 'aws4fetch', 'isomorphic-git', 'zod'];
  expect(packages.filter((name) => late.includes(name))).toEqual([]);
});
