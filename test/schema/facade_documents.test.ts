import { globSync, readFileSync } from 'node:fs';
import { type DocumentNode, Kind, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { FacadeDocuments } from '#schema/facade_documents.ts';
import { schema } from '#schema/index.ts';
import * as tools from '#src/generated/mcp_operations.ts';
import * as operations from '#src/generated/operations.ts';
import * as pages from '#src/generated/page_operations.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { ENDPOINTS } from '../support/endpoints.ts';

/** Operations that follow from their rows (`rest/engine/mutation.ts`): they are in no file, and their fragments are. */
const derived = [...ENDPOINTS.values()]
  .map(({ document }) => document)
  .filter((document) => !Object.values<DocumentNode>(operations).includes(document));

const folders: [string, Readonly<Record<string, DocumentNode>>, readonly DocumentNode[]][] = [
  ['rest/v4', operations, derived],
  ['pages', pages, []],
  ['mcp', tools, []],
];

/** What a document consists of: `query Name`, `fragment Name`. */
const partsOf = ({ definitions }: DocumentNode) =>
  definitions.flatMap((one) => {
    if (one.kind === Kind.FRAGMENT_DEFINITION) return [`fragment ${one.name.value}`];
    return one.kind === Kind.OPERATION_DEFINITION ? [`${one.operation} ${one.name?.value}`] : [];
  });

describe.each(folders)('the documents of %s', (folder, documents, others) => {
  const files = globSync(`${folder}/*.graphql`, { cwd: packagePath('.') });
  const written = files.flatMap((file) => partsOf(parse(readFileSync(packagePath(file), 'utf8'))));

  test('are all operations in its files, and every fragment is in one of them', () => {
    const all = Object.values(documents).map(partsOf);
    const isFragment = (part: string) => part.startsWith('fragment ');
    expect(all.map(([operation]) => operation).sort()).toEqual(written.filter((part) => !isFragment(part)).sort());
    expect(new Set([...all, ...others.map(partsOf)].flat().filter(isFragment))).toEqual(
      new Set(written.filter(isFragment)),
    );
  });

  test('have the fragments that they need, each once', () => {
    for (const [name, document] of [...Object.entries(documents), ...Object.entries(others)]) {
      const parts = partsOf(document);
      expect(new Set(parts).size, name).toBe(parts.length);
      const errors = validate(schema, document).map(({ message }) => message);
      expect(
        errors.filter((message) => message.includes('fragment')),
        name,
      ).toEqual([]);
    }
  });
});

test('documents share what is parsed of fragments', () => {
  const documents = new FacadeDocuments('rest/v4');
  const fragmentOf = (operation: string) =>
    documents.get(operation).definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  expect(fragmentOf('ProjectLabel')).toBe(fragmentOf('ProjectLabels'));
  const document = documents.get('ProjectLabel');
  expect(document.definitions).toBe(document.definitions);
});

test('an operation that is nowhere is named', () => {
  expect(() => new FacadeDocuments('mcp').get('Nothing').definitions).toThrow('There is no Nothing in the documents');
});
