import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
} from 'graphql';

/** The input names for a domain name, where that is not just its camelCase; the first one that the input has is used. */
export const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  note: ['body'],
  title: ['newTitle', 'title'],
  password: ['newPassword', 'password'],
  visibility_level: ['visibility'],
  invite_email: ['user', 'userId'],
  user_id: ['user', 'userId'],
  access_level: ['accessLevel', 'role'],
  group_access: ['accessLevel', 'groupAccess'],
  parent_id: ['parent', 'parentId'],
  namespace: ['namespace', 'namespaceId'],
  new_namespace: ['group', 'project'],
  forked_from_project: ['forkedFrom'],
  fingerprint: ['key'],
  file_path: ['path'],
  redirect_uri: ['redirectUris'],
};

/** Arguments of a field, or fields of an input, by name. */
type Inputs = Readonly<Record<string, GraphQLInputType>>;

/**
 * The path in an operation's input for a domain name: `visibility_level` is `input.visibility`. Names that the input lacks stand
 * for the argument as a whole, and inputs of a list are named without their place; for fields without input, the name in camelCase.
 * `assignee_ids.1` is an item of a list: `input.assigneeIds.1`.
 */
export function inputPath(
  name: string,
  node: FieldNode | undefined,
  operation: OperationDefinitionNode | null | undefined,
  schema: GraphQLSchema,
): string {
  const parts = name.split('.');
  const end = parts.findLastIndex((part) => !/^\d+$/.test(part)) + 1;
  if (end > 0 && end < parts.length) {
    const [list, items] = [parts.slice(0, end).join('.'), `.${parts.slice(end).join('.')}`];
    const place = inputPath(list, node, operation, schema);
    return place.endsWith(camelCase(list)) ? `${place}${items}` : place;
  }
  const candidates = [...(OTHERWISE[name] ?? []), camelCase(name)];
  const root = operation?.operation === 'mutation' ? schema.getMutationType() : undefined;
  const args = root?.getFields()[node?.name.value ?? '']?.args ?? [];
  const inputs = Object.fromEntries(args.map((arg) => [arg.name, arg.type]));
  return find(candidates, inputs)?.join('.') ?? args[0]?.name ?? camelCase(name);
}

/** Maximum depth of inputs: `input.author.name`. */
const DEPTH = 3;

function find(candidates: readonly string[], inputs: Inputs, depth = DEPTH): string[] | undefined {
  const own = candidates.find((name) => Object.hasOwn(inputs, name));
  if (own !== undefined) return [own];
  for (const [name, type] of Object.entries(inputs)) {
    const named = getNamedType(type);
    if (!isInputObjectType(named) || depth === 1) continue;
    const fields = Object.values(named.getFields()).map((field) => [field.name, field.type]);
    const within = find(candidates, Object.fromEntries(fields), depth - 1);
    if (within) return [name, ...within];
  }
  return undefined;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
