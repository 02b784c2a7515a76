import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';

const enginesOf = (file: string): string => JSON.parse(readFileSync(packagePath(file), 'utf8')).engines.node;

test('the Nodes of package.json are those with which npm ci works, and the README names them', () => {
  // npm runs Prisma's install script with the Node that it is run by itself; nothing else depends on that one.
  const range = enginesOf('package.json');
  expect(range).toBe(enginesOf('node_modules/prisma/package.json'));
  const versions = [...range.matchAll(/\d+(\.[1-9]\d*)?/g)].map(([version]) => `${version}+`).filter((v) => v !== '0+');
  expect(versions).toHaveLength(3);
  const readme = readFileSync(packagePath('README.md'), 'utf8');
  expect(readme).toContain(`Node ${versions.slice(0, -1).join(', ')} and ${versions.at(-1)}`);
});
