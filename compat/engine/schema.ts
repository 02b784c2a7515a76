import { readFile } from 'node:fs/promises';
import { buildASTSchema, type DefinitionNode, type GraphQLSchema, Kind, parse } from 'graphql';
import { readGlobalIds } from '#compat/engine/global_id.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { packagePath } from '#src/platform/package_root.ts';

let built: Promise<GraphQLSchema> | undefined;

/**
 * The schema that clients of today know (compat/schema.graphql). It has no resolvers: documents are translated. It is built once, in
 * steps between which others are answered.
 */
export function compatSchema(): Promise<GraphQLSchema> {
  built ??= build();
  built.catch(() => {
    built = undefined;
  });
  return built;
}

async function build(): Promise<GraphQLSchema> {
  const text = await readFile(packagePath('compat/schema.graphql'), 'utf8');
  const definitions: DefinitionNode[] = [];
  for (const part of text.split(BETWEEN_DEFINITIONS)) {
    definitions.push(...parse(part, { noLocation: true }).definitions);
    await yieldToEventLoop();
  }
  // A test validates it.
  const schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: true, assumeValidSDL: true });
  readGlobalIds(schema);
  return schema;
}

/** An empty line, which no definition has in it. */
const BETWEEN_DEFINITIONS = /\n\n(?=\S)/;
