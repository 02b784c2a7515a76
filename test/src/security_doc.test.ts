import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';

it('docs/security.md names tests that there are', () => {
  const text = readFileSync(packagePath('docs/security.md'), 'utf8');
  const named = [...text.matchAll(/\| (test\/[\w/-]+\.test\.ts): “(.+?)” \|/g)];
  expect(named.length).toBeGreaterThan(60);
  // Every row has one, but for the two lines at the head of each table.
  const heads = text.match(/^\|( ?-+ ?\|)+$/gm)?.length ?? 0;
  expect(named.length).toBe((text.match(/^\|/gm)?.length ?? 0) - 2 * heads);
  const missing = named.filter(([, file = '', name = '']) => !readFileSync(packagePath(file), 'utf8').includes(name));
  expect(missing.map(([, file, name]) => `${file}: ${name}`)).toEqual([]);
});
