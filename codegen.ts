import fs from 'node:fs';
import path from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { type DefinitionNode, Kind, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { schema } from '#schema/index.ts';

/**
 * Prints schema/schema.graphql, and declares the operations of the facades with their types: those of rest/v4/*.graphql in
 * src/generated/operations.ts, of pages/*.graphql in src/generated/page_operations.ts, of mcp/*.graphql in
 * src/generated/mcp_operations.ts. Types are in files of their own, which are not loaded (…_types.ts).
 */
const root = import.meta.dirname;
const generated = path.join(root, 'src/generated');
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;
fs.writeFileSync(path.join(root, 'schema/schema.graphql'), sdl);
fs.mkdirSync(generated, { recursive: true });

await generate('rest/v4', 'operations');
await generate('pages', 'page_operations');
await generate('mcp', 'mcp_operations');

async function generate(folder: string, name: string): Promise<void> {
  const documents = fs
    .readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => ({
      location: file,
      document: parse(fs.readFileSync(path.join(root, folder, file), 'utf8'), { noLocation: true }),
    }));
  const filename = `${name}_types.ts`;
  const types = await codegen({
    filename,
    schema: parse(sdl),
    documents,
    plugins: [{ operations: {} }],
    pluginMap: { operations: typescriptOperations },
    config: {
      useTypeImports: true,
      enumType: 'string-literal',
      skipTypename: true,
      scalars: {
        DateTime: 'string',
        Date: 'string',
        CommitDateTime: 'string',
        HTML: 'string',
        Long: 'number',
        Sha: 'string',
        URL: 'string',
        ProjectRef: 'string | number',
        GroupRef: 'string | number',
      },
    },
  });
  fs.writeFileSync(path.join(generated, filename), types);
  const declared = documents.flatMap(({ document }) => document.definitions).flatMap(declarationOf);
  const from = `${name}_documents.ts`;
  const made = [
    "import { FacadeDocuments } from '#schema/facade_documents.ts';",
    `export const documents = new FacadeDocuments('${folder}');`,
  ];
  fs.writeFileSync(path.join(generated, from), `${made.join('\n')}\n`);
  const before = [
    `import { documents } from './${from}';`,
    `import type * as types from './${filename}';`,
    `export type * from './${filename}';`,
  ];
  fs.writeFileSync(path.join(generated, `${name}.ts`), `${[...before, ...declared].join('\n')}\n`);
}

function declarationOf(definition: DefinitionNode): string[] {
  if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
  const name = definition.name?.value ?? '';
  const kind = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[definition.operation];
  const types = `types.${name}${kind}, types.${name}${kind}Variables`;
  return [`export const ${name}Document = documents.get<${types}>('${name}');`];
}
