import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packagePath } from '#src/package-root.ts';

it('docs/security.md names tests that there are', () => {
  const text = readFileSync(packagePath('docs/security.md'), 'utf8');
  const named = [...text.matchAll(/\| (test\/[\w/-]+\.test\.ts): “(.+?)” \|/g)];
  expect(named.length).toBeGreaterThan(60);
  expect(named.length).toBe(text.match(/^\| (?!point |limit )/gm)?.length);
  const missing = named.filter(([, file = '', name = '']) => !readFileSync(packagePath(file), 'utf8').includes(name));
  expect(missing.map(([, file, name]) => `${file}: ${name}`)).toEqual([]);
});
