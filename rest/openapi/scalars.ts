import { type GraphQLInputType, type GraphQLOutputType, isScalarType } from 'graphql';
import type { Json } from '#rest/openapi/components.ts';

/** The schema of a scalar. Throws for unknown ones. */
export function scalarSchema(type: GraphQLInputType | GraphQLOutputType): Json {
  const schema = isScalarType(type) ? SCALARS[type.name] : undefined;
  if (!schema) throw new Error(`The OpenAPI document knows no form of ${type}`);
  return { ...schema };
}

const ID_OR_PATH = { type: ['integer', 'string'] };

const SCALARS: Record<string, Json> = {
  Int: { type: 'integer' },
  ID: { type: 'integer' },
  Long: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  String: { type: 'string' },
  HTML: { type: 'string' },
  Sha: { type: 'string' },
  URL: { type: 'string' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  CommitDateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  Upload: { type: 'string', format: 'binary' },
  JSON: {},
  UserMatch: { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['None', 'Any'] }] },
  ProjectRef: ID_OR_PATH,
  GroupRef: ID_OR_PATH,
  NamespaceRef: ID_OR_PATH,
};
