import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';

it('every icon that a template names is in the sprite', () => {
  const sprite = readFileSync(packagePath('assets/icons.svg'), 'utf8');
  const views = packagePath('pages/views');
  const missing: string[] = [];
  let named = 0;
  for (const view of readdirSync(views, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.eta'),
  )) {
    for (const [, icon] of readFileSync(`${views}/${view}`, 'utf8').matchAll(/h\.icon\('([a-z-]+)'/g)) {
      named += 1;
      if (!sprite.includes(`id="${icon}"`)) missing.push(`${view}: ${icon}`);
    }
  }
  expect(missing).toEqual([]);
  expect(named).toBeGreaterThan(100);
});
