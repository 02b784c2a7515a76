import fs from 'node:fs';
import path from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';
import { schema } from '#schema/index.ts';

/** Prints schema/schema.graphql and turns rest/v4/*.graphql into typed documents in src/generated/operations.ts. */
const root = import.meta.dirname;
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;
fs.writeFileSync(path.join(root, 'schema/schema.graphql'), sdl);

const folder = path.join(root, 'rest/v4');
const documents = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.graphql'))
  .map((name) => ({
    location: name,
    document: parse(fs.readFileSync(path.join(folder, name), 'utf8'), { noLocation: true }),
  }));

const output = await codegen({
  filename: 'operations.ts',
  schema: parse(sdl),
  documents,
  plugins: [{ operations: {} }, { documents: {} }],
  pluginMap: { operations: typescriptOperations, documents: typedDocumentNode },
  config: {
    useTypeImports: true,
    enumType: 'string-literal',
    skipTypename: true,
    scalars: { DateTime: 'string', Date: 'string', ProjectRef: 'string | number', GroupRef: 'string | number' },
  },
});
fs.mkdirSync(path.join(root, 'src/generated'), { recursive: true });
fs.writeFileSync(path.join(root, 'src/generated/operations.ts'), output);
