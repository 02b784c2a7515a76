import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { GeneratedSources } from '../../scripts/generated_sources.ts';
import { findMissingPackage } from '../../scripts/installed.ts';
import { LONG } from '../support/long.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'gantry-generated-'));
});

afterEach(() => rmSync(root, { recursive: true }));

const sources = () => new GeneratedSources(root);

/** A checkout as far as it is looked at, generated. */
function checkout(): void {
  const parts = [
    'prisma/schema',
    'schema',
    'rest',
    'pages',
    'mcp',
    'scripts',
    'codegen.ts',
    'package-lock.json',
    'prisma.config.ts',
  ];
  for (const part of parts) cpSync(packagePath(part), path.join(root, part), { recursive: true });
  for (const folder of ['prisma', 'viewer']) mkdirSync(path.join(root, 'src/generated', folder), { recursive: true });
  for (const name of [
    'languages.ts',
    'mcp_operations.ts',
    'models.ts',
    'operations.ts',
    'page_operations.ts',
    'pothos.ts',
    'prisma/client.ts',
    'viewer/graphiql.js.br',
  ]) {
    writeFileSync(path.join(root, 'src/generated', name), '');
  }
  sources().remember(sources().hash());
}

test('what is generated is fresh until a source changes', LONG, () => {
  checkout();
  expect(sources().isFresh()).toBe(true);
  const changed = [
    'prisma/schema/projects.prisma',
    'schema/index.ts',
    'rest/v4/index.ts',
    'rest/v4/projects.graphql',
    'pages/issues.graphql',
    'mcp/issues.graphql',
    'schema/schema.graphql',
    'rest/openapi.json',
    'package-lock.json',
    'scripts/generate_models.ts',
  ];
  for (const file of changed) {
    appendFileSync(path.join(root, file), '\n');
    expect(sources().isFresh(), file).toBe(false);
    sources().remember(sources().hash());
    expect(sources().isFresh(), file).toBe(true);
  }
});

test('a new source, a missing output or an interruption is no fresh state', () => {
  checkout();
  writeFileSync(path.join(root, 'schema/another.ts'), '');
  expect(sources().isFresh()).toBe(false);
  sources().remember(sources().hash());
  rmSync(path.join(root, 'src/generated/pothos.ts'));
  expect(sources().isFresh()).toBe(false);
  writeFileSync(path.join(root, 'src/generated/pothos.ts'), '');
  expect(sources().isFresh()).toBe(true);
  sources().forget();
  expect(sources().isFresh()).toBe(false);
});

test('packages that the server needs and that are not installed so are found, but for those of other platforms and for development', () => {
  const lock = (packages: object) => JSON.stringify({ packages });
  const wanted = {
    '': {},
    'node_modules/pg': { version: '2.0.0' },
    'node_modules/mac': { version: '1.0.0', optional: true },
    'node_modules/lint': { version: '1.0.0', dev: true },
  };
  writeFileSync(path.join(root, 'package-lock.json'), lock(wanted));
  expect(findMissingPackage(root)).toBe('pg 2.0.0');
  mkdirSync(path.join(root, 'node_modules'));
  const installed = path.join(root, 'node_modules/.package-lock.json');
  writeFileSync(installed, lock({ 'node_modules/pg': { version: '1.0.0' } }));
  expect(findMissingPackage(root)).toBe('pg 2.0.0');
  writeFileSync(installed, lock({ 'node_modules/pg': { version: '2.0.0' } }));
  expect(findMissingPackage(root)).toBeNull();
});
