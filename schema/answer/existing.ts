import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  parse,
} from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { domainErrorOf, type Existing } from '#src/platform/errors.ts';
import { idOfExisting } from '#src/platform/records/existing.ts';

/** Runs a query for the caller. */
type Ask = (document: DocumentNode, variables: Record<string, unknown>) => Promise<ExecutionResult>;

/**
 * The errors, those about something that exists already with `existing`: its type, global ID, full path and URL. Only what the
 * caller can see is named, as the query `node` finds it.
 */
export async function withExisting(
  errors: readonly GraphQLError[],
  schema: GraphQLSchema,
  context: GraphQLContext,
  ask: Ask,
): Promise<GraphQLError[]> {
  return Promise.all(
    errors.map(async (error) => {
      const known = domainErrorOf(error)?.existing;
      const existing = known && (await shown(known, schema, context, ask));
      if (!existing) return error;
      const { message, nodes, path, originalError } = error;
      const extensions = { ...error.extensions, existing };
      return new GraphQLError(message, { nodes, path, originalError, extensions });
    }),
  );
}

async function shown(
  existing: Existing,
  schema: GraphQLSchema,
  context: GraphQLContext,
  ask: Ask,
): Promise<Record<string, unknown> | null> {
  // What a repository has is named by the caller, who may write there.
  if ('name' in existing) return { type: existing.type, path: existing.name };
  const { type } = existing;
  const id = await idOfExisting(context.db, existing);
  if (id === null) return null;
  const { data } = await ask(documentFor(type, schema), { id: toGlobalId(type, id) });
  const node = data?.node as Record<string, unknown> | null | undefined;
  return node ? Object.fromEntries(Object.entries(node).filter(([, value]) => value != null)) : null;
}

const documents = new WeakMap<GraphQLSchema, Map<string, DocumentNode>>();

function documentFor(type: string, schema: GraphQLSchema): DocumentNode {
  const known = documents.get(schema) ?? new Map<string, DocumentNode>();
  documents.set(schema, known);
  const object = schema.getType(type);
  const fields = isObjectType(object) ? object.getFields() : {};
  const selected = [...(fields.fullPath ? ['path: fullPath'] : []), ...(fields.webUrl ? ['url: webUrl'] : [])].join(
    ' ',
  );
  const spread = selected === '' ? '' : `... on ${type} { ${selected} }`;
  const document = known.get(type) ?? parse(`query ($id: ID!) { node(id: $id) { type: __typename id ${spread} } }`);
  known.set(type, document);
  return document;
}
