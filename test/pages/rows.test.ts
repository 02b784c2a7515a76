import { existsSync, globSync, readFileSync } from 'node:fs';
import { validate } from 'graphql';
import { expect, it } from 'vitest';
import { rows } from '#pages/index.ts';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';

it('every page and form has an operation that the graph can answer, and a template', () => {
  const wrong = rows.flatMap((row) => {
    const errors = validate(schema, row.operation).map(({ message }) => message);
    const isThere = row.kind !== 'page' || existsSync(packagePath(`pages/views/${row.view}.eta`));
    return [...errors, ...(isThere ? [] : ['no template'])]
      .filter((message) => !/^Fragment ".*" is never used/.test(message))
      .map((message) => `${row.path}: ${message}`);
  });
  expect(wrong).toEqual([]);
});

it('every operation and fragment is there once', () => {
  const names = globSync('pages/*.graphql', { cwd: packagePath('.') }).flatMap((file) =>
    [...readFileSync(packagePath(file), 'utf8').matchAll(/^(?:query|mutation|fragment) (\w+)/gm)].map(
      ([, name]) => name,
    ),
  );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
