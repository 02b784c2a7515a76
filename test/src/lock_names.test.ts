import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as names from '#src/platform/database/lock_names.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { administer, emptyDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

it('no two advisory locks have the same number', LONG, async () => {
  const kinds = ['repository', 'branch', 'removal', 'maintenance', 'objects'] as const;
  const named = [
    ...Object.values(names).filter((value) => typeof value === 'string'),
    ...kinds.map((kind) => names.repositoryLock(kind, 1)),
    names.repositoryLock('branch', 1, ' main'),
    names.statusesLock(1, '1', 'main'),
    names.resourceGroupLock(1, 'main'),
    names.accessLock('project', 1, 1),
    names.accessLock('group', 1, 1),
  ];
  const numbers = Object.values(names).filter((value) => typeof value === 'number');
  const query = 'SELECT hashtextextended(name, 0)::text AS number FROM unnest($1::text[]) name';
  const { rows } = await administer(await emptyDatabase(), (client) => client.query(query, [named]));
  const all = [...numbers.map(String), ...rows.map(({ number }) => number)];
  expect(all).toHaveLength(17);
  expect(new Set(all).size).toBe(all.length);
});

it('advisory locks are named in one place', () => {
  const root = packagePath('src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const naming = files.filter((name) =>
    /hashtextextended\('|hashtextextended\(\$\{`|pg_(try_)?advisory_\w+\(\d/.test(
      readFileSync(path.join(root, name), 'utf8'),
    ),
  );
  expect(naming).toEqual([]);
});
