import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { fromGlobalId, toGlobalId } from '#schema/node/global_id.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';

/** A value that is always read as a path, as the REST API has no global IDs. JSON cannot produce one. */
export class FullPath {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

type Parsed = { Project: number | string; Group: number | string; Namespace: NamespaceRef };

/** The parsers of a scalar that identifies a project, a group or a namespace by ID or path. */
export function refTo<T extends keyof Parsed>(type: T) {
  const parseValue = (value: unknown) => parseRef(type, value) as Parsed[T];
  return {
    serialize: (value: unknown) => value as string,
    parseValue,
    parseLiteral: (node: ValueNode) => parseValue(literal(node)),
  };
}

/** Parses digits as an ID, a global ID as that of its record, anything else as a path. */
export function parseRef(type: keyof Parsed, value: unknown): NamespaceRef {
  if (value instanceof FullPath) return value.path;
  if (typeof value === 'number' && Number.isInteger(value)) return inRange(value);
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) {
    if (/^\d+$/.test(value)) return inRange(Number(value));
    return byGlobalId(type, value) ?? value;
  }
  throw new GraphQLError('is neither an ID nor a full path');
}

function byGlobalId(type: keyof Parsed, value: string): NamespaceRef | null {
  const found = fromGlobalId(value);
  if (!found || toGlobalId(found.type, found.id) !== value) return null;
  if (type === 'Namespace' && found.type === 'User') return { userId: found.id };
  if (found.type === (type === 'Namespace' ? 'Group' : type)) return found.id;
  throw new GraphQLError(`is the ID of a record of type ${found.type}, not ${type}`);
}

/** IDs are 32 bits wide: larger ones match nothing. */
function inRange(id: number): number {
  return id >= 0 && id <= 2_147_483_647 ? id : 0;
}

function literal(node: ValueNode): unknown {
  if (node.kind === Kind.INT) return Number(node.value);
  return node.kind === Kind.STRING ? node.value : null;
}
