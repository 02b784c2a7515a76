import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from '#schema/index.ts';

type Records = GraphQLObjectType | GraphQLInterfaceType;

function hasFields(type: unknown): type is Records {
  return isObjectType(type) || isInterfaceType(type);
}

/** A list of the schema: the way to it from the query, `repository.commits`, each but the last step of a level above. */
export interface ListField {
  /** `projects > milestones > issues`. */
  name: string;
  /** The levels from the topmost down: field names, with what stands between two lists. */
  levels: string[][];
  /** The fields of the lists, as `Project.repository.commits`. */
  edges: string[];
  node: Records;
}

/** All connections that can be asked for without an argument, up to so many lists within each other. */
export function listFields(depth: number): ListField[] {
  const query = schema.getQueryType();
  const all = query ? listsOf(query).map((list) => grow(null, query, list)) : [];
  for (let level = all, left = depth - 1; left > 0; left -= 1) {
    level = level.flatMap((parent) => listsOf(parent.node).map((list) => grow(parent, parent.node, list)));
    all.push(...level);
  }
  return all;
}

/** A document with so many records on each level, and all that a record of the innermost list shows of itself. */
export function documentOf({ levels, node }: ListField, first: number): string {
  const inner = fieldsOf(node, 1);
  return levels.reduceRight(
    (below, path) =>
      path.reduceRight((text, name, at) => {
        const args = at === path.length - 1 ? `(first: ${first})` : '';
        return at === path.length - 1 ? `${name}${args} { nodes { ${text} } }` : `${name} { ${text} }`;
      }, below),
    inner,
  );
}

interface Step {
  path: string[];
  node: Records;
}

function grow(parent: ListField | null, type: Records, { path, node }: Step): ListField {
  const own = path.join('.');
  return {
    name: parent ? `${parent.name} > ${own}` : own,
    levels: [...(parent?.levels ?? []), path],
    edges: [...(parent?.edges ?? []), `${type.name}.${own}`],
    node,
  };
}

/** The lists of a type, those of the places within it too, as of the repository of a project. */
function listsOf(type: Records): Step[] {
  return plain(type).flatMap((field) => {
    const target = getNamedType(field.type);
    if (!isObjectType(target)) return [];
    if (target.name.endsWith('Connection')) {
      const node = getNamedType((target.getFields().nodes as GraphQLField<unknown, unknown>).type);
      return hasFields(node) ? [{ path: [field.name], node }] : [];
    }
    return target.name === 'Repository'
      ? listsOf(target).map((list) => ({ ...list, path: [field.name, ...list.path] }))
      : [];
  });
}

/** What a record shows, and so many levels down what belongs to it. */
function fieldsOf(type: Records, depth: number): string {
  const texts = plain(type).flatMap((field) => {
    const target = getNamedType(field.type);
    if (isLeafType(target)) return field.name;
    if (!hasFields(target) || target.name.endsWith('Connection') || target.name === 'Repository') return [];
    return depth > 0 ? `${field.name} { ${fieldsOf(target, depth - 1)} }` : [];
  });
  return ['__typename', ...texts].join(' ');
}

/** Fields that need one of several arguments, of which none by itself is required. */
const ONE_OF_SEVERAL = new Set(['Project.pipeline']);

function plain(type: Records): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter(
    ({ name, args }) => !args.some(isRequiredArgument) && !ONE_OF_SEVERAL.has(`${type.name}.${name}`),
  );
}
