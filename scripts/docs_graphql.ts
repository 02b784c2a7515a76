import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';

/** The parts of the reference, each a page for a kind of types; those of objects are by first letter, as there are many. */
const KINDS: [page: string, title: string, is: (type: GraphQLNamedType) => boolean][] = [
  ...['A–C', 'D–I', 'J–N', 'O–R', 'S–Z'].map((letters): (typeof KINDS)[number] => [
    `objects-${letters.replace('–', '-').toLowerCase()}`,
    `Objects ${letters}`,
    (type) => isObjectType(type) && !type.name.endsWith('Payload') && isAmong(type.name, letters),
  ]),
  ['payloads', 'Payloads of mutations', (type) => isObjectType(type) && type.name.endsWith('Payload')],
  ['interfaces', 'Interfaces and unions', (type) => isInterfaceType(type) || isUnionType(type)],
  ['inputs', 'Inputs', isInputObjectType],
  ['enums', 'Enums', isEnumType],
  ['scalars', 'Scalars', () => true],
];

function isAmong(name: string, letters: string): boolean {
  const [from = '', to = ''] = letters.split('–');
  return name.slice(0, 1) >= from && name.slice(0, 1) <= to;
}

/**
 * The reference of the GraphQL API, from its descriptions.
 *
 * @param sdl the schema
 * @returns texts by the names of the pages, such as `queries.md`
 */
export function graphqlPages(sdl: string): Map<string, string> {
  const schema = buildSchema(sdl);
  const roots = [
    ['queries', 'Queries', schema.getQueryType()],
    ['mutations', 'Mutations', schema.getMutationType()],
    ['subscriptions', 'Subscriptions', schema.getSubscriptionType()],
  ] as const;
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !roots.some(([, , root]) => root === type),
  );
  const pageOf = new Map<string, string>();
  for (const type of types) {
    const [page = ''] = KINDS.find(([, , is]) => is(type)) ?? [];
    if (!isSpecifiedScalarType(type)) pageOf.set(type.name, page);
  }
  const link = (type: { toString(): string }, name: string) =>
    pageOf.has(name) ? `[\`${type}\`](./${pageOf.get(name)}.md#${name.toLowerCase()})` : `\`${type}\``;
  const pages = new Map<string, string>();
  const add = (page: string, title: string, parts: readonly string[]) =>
    pages.set(`${page}.md`, `---\noutline: 2\n---\n\n# GraphQL: ${title}\n\n${parts.join('\n')}`);
  for (const [page, title, root] of roots) {
    const fields = Object.values(root?.getFields() ?? {});
    add(
      page,
      title,
      fields.map((field) => fieldPart(field, link)),
    );
  }
  for (const [page, title] of KINDS) {
    const own = types.filter(({ name }) => pageOf.get(name) === page);
    own.sort((one, other) => (one.name < other.name ? -1 : 1));
    add(
      page,
      title,
      own.map((type) => typePart(type, link)),
    );
  }
  const all = [...roots.map(([page, title]) => [page, title]), ...KINDS.map(([page, title]) => [page, title])];
  const list = all.map(([page, title]) => `- [${title}](./${page}.md)`).join('\n');
  pages.set(
    'index.md',
    `# GraphQL reference\n\nEverything that the schema describes; [the guide](../graphql.md) says how to use it.\n\n${list}\n`,
  );
  return pages;
}

type Link = (type: { toString(): string }, name: string) => string;

/** A field of a root, with its arguments in a table. */
function fieldPart(field: GraphQLField<unknown, unknown>, link: Link): string {
  const result = `Returns ${link(field.type, getNamedType(field.type).name)}.`;
  return `## ${field.name}\n\n${plain(field.description)}\n\n${result}\n\n${table('argument', field.args, link)}`;
}

function typePart(type: GraphQLNamedType, link: Link): string {
  const head = `## ${type.name}\n\n${plain(type.description)}\n\n`;
  if (isUnionType(type))
    return `${head}One of ${type
      .getTypes()
      .map((one) => link(one, one.name))
      .join(', ')}.\n`;
  if (isEnumType(type)) {
    const rows = type.getValues().map(({ name, description }) => `| \`${name}\` | ${cell(description)} |`);
    return `${head}| value | |\n| --- | --- |\n${rows.join('\n')}\n`;
  }
  if (isInputObjectType(type)) return head + table('field', Object.values(type.getFields()), link);
  if (!isObjectType(type) && !isInterfaceType(type)) return head;
  const interfaces = type.getInterfaces().map((one) => link(one, one.name));
  const also = interfaces.length > 0 ? `Implements ${interfaces.join(', ')}.\n\n` : '';
  return head + also + table('field', Object.values(type.getFields()), link);
}

function table(
  what: string,
  parts: readonly (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[],
  link: Link,
): string {
  if (parts.length === 0) return '';
  const rows = parts.map((part) => {
    const args = 'args' in part ? part.args.map(({ name, type }) => `\`${name}: ${type}\``).join(', ') : '';
    const name = `\`${part.name}\`${args && ` (${args})`}`;
    return `| ${name} | ${link(part.type, getNamedType(part.type).name)} | ${cell(part.description)} |`;
  });
  return `| ${what} | type | |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** Descriptions may speak of `{{ … }}`, which is code for VitePress. */
function plain(description: string | null | undefined): string {
  return (description ?? '').replaceAll('{{', '{\u200b{');
}

function cell(description: string | null | undefined): string {
  return plain(description)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}
