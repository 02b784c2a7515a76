import { readFile } from 'node:fs/promises';
import { type GraphQLObjectType, GraphQLSchema, isEnumType, isScalarType, parse, specifiedDirectives } from 'graphql';
import { readGlobalIds } from '#compat/engine/global_id.ts';
import { Types } from '#compat/engine/types.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { packagePath } from '#src/platform/package_root.ts';

let built: Promise<GraphQLSchema> | undefined;

/**
 * The schema that clients of today know (compat/schema.graphql). It has no resolvers: documents are translated. It is built once, in
 * steps between which others are answered: to build it at once takes a tenth of a second.
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
  const types = new Types();
  for (const part of text.split(BETWEEN_DEFINITIONS)) {
    for (const definition of parse(part, { noLocation: true }).definitions) types.read(definition);
    await yieldToEventLoop();
  }
  const all = types.all();
  for (const type of all) {
    if (!isEnumType(type) && !isScalarType(type) && 'getFields' in type) type.getFields();
    await yieldToEventLoop();
  }
  const [query, mutation] = ['Query', 'Mutation'].map((name) => types.named(name) as GraphQLObjectType);
  const directives = [...types.directives, ...specifiedDirectives];
  // A test validates it.
  const schema = new GraphQLSchema({ query, mutation, types: all, directives, assumeValid: true });
  readGlobalIds(schema);
  return schema;
}

/** An empty line, which no definition has in it. */
const BETWEEN_DEFINITIONS = /\n\n(?=\S)/;
