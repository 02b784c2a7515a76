import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { readGlobalIds } from '#compat/engine/global_id.ts';
import { packagePath } from '#src/platform/package_root.ts';

let built: GraphQLSchema | undefined;

/** The schema that clients of today know (compat/schema.graphql). It has no resolvers: documents are translated. */
export function compatSchema(): GraphQLSchema {
  if (built) return built;
  built = buildSchema(readFileSync(packagePath('compat/schema.graphql'), 'utf8'));
  readGlobalIds(built);
  return built;
}
