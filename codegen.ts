import fs from 'node:fs';
import path from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';
import { schema } from '#schema/index.ts';

/**
 * Prints schema/schema.graphql and turns the operations of the facades into typed documents: rest/v4/*.graphql in
 * src/generated/operations.ts, pages/*.graphql in src/generated/page_operations.ts, mcp/*.graphql in
 * src/generated/mcp_operations.ts.
 */
const root = import.meta.dirname;
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;
fs.writeFileSync(path.join(root, 'schema/schema.graphql'), sdl);

await generate('rest/v4', 'operations.ts');
await generate('pages', 'page_operations.ts');
await generate('mcp', 'mcp_operations.ts');

async function generate(folder: string, filename: string): Promise<void> {
  const documents = fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => ({
      location: name,
      document: parse(fs.readFileSync(path.join(root, folder, name), 'utf8'), { noLocation: true }),
    }));
  const output = await codegen({
    filename,
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
  fs.writeFileSync(path.join(root, 'src/generated', filename), output);
}
